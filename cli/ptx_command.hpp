// The parts of `xqacheck ptx`, one file each.
#pragma once

#include <functional>
#include <memory>

#include "kernels/launch/seam.hpp"

namespace CLI {
class App;
}

namespace xqacheck::cli {

void add_ptx_forms_commands(CLI::App& ptx);  // forms, record-forms, check-forms
void add_ptx_confirm_command(CLI::App& ptx);
void add_ptx_replay_command(CLI::App& ptx);
void add_ptx_contraction_command(CLI::App& ptx);
void add_ptx_run_command(CLI::App& ptx);

// Runs a command; PTX that the machine cannot read is a mistake in what the user gave. Throws properties::UsageError.
void with_ptx_errors(const std::function<void()>& command);

// The machine with its default schedule, and all checks unless the caller or the environment does without. Throws properties::UsageError.
std::unique_ptr<kernels::launch::Device> open_ptx_machine(bool checks = true);

}  // namespace xqacheck::cli
