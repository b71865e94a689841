// xqacheck ptx forms | record-forms | check-forms: the micro-kernels of emulation/ptx/forms.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/ptx_command.hpp"
#include "emulation/ptx/forms/recording.hpp"
#include "kernels/launch/cuda_device.hpp"
#include "properties/errors.hpp"
#include "properties/ptx/run_form.hpp"
#include "reference/safetensors.hpp"

namespace xqacheck::cli {

namespace {

using namespace ptx::forms;

struct Options {
  std::string path, only, device = "definition", write;
  std::vector<std::string> skip;
  std::uint64_t seed = 1;
  int gpu = 0;
};

bool chosen(const Options& options, const Form& form) {
  return (options.only.empty() || options.only == form.name) &&
         std::find(options.skip.begin(), options.skip.end(), form.name) == options.skip.end();
}

std::unique_ptr<kernels::launch::Device> open_gpu(int ordinal) {
  std::string why;
  auto device = kernels::launch::open_cuda_device(ordinal, why);
  if (device == nullptr) throw properties::EnvironmentError("ptx: " + why);
  return device;
}

// File names: the form's, without what shells dislike.
std::string file_name(std::string name) {
  for (char& c : name)
    if (c == ':' || c == '#') c = '_';
  return name + ".ptx";
}

void list_forms(const Options& options) {
  if (!options.write.empty()) std::filesystem::create_directories(options.write);
  for (const Form& form : all_forms()) {
    if (!chosen(options, form)) continue;
    fmt::print("{}\n", form.name);
    if (options.write.empty()) continue;
    std::ofstream file(std::filesystem::path(options.write) / file_name(form.name));
    file << kernel_text(form);
    if (!file.flush()) throw properties::EnvironmentError(fmt::format("ptx: {} cannot be written", options.write));
  }
}

void record_forms(const Options& options) {
  auto device = open_gpu(options.gpu);
  FormRecording recording;
  recording.seed = options.seed;
  recording.device = device->info().name;
  recording.driver = fmt::format("{} (CUDA {})", device->info().driver, device->info().driver_api);
  std::string lost;
  for (const Form& form : all_forms()) {
    if (!chosen(options, form)) continue;
    try {
      recording.outputs[form.name] = properties::run_form(*device, form, make_inputs(form, options.seed));
      recording.hashes[form.name] = kernel_hash(form);
    } catch (const kernels::launch::DeviceError& error) {
      recording.refused[form.name] = error.what();
      fmt::print("REFUSED {}: {}\n", form.name, error.what());
      if (device->lost()) {  // nothing more can run in this process
        lost = form.name;
        break;
      }
    }
  }
  write_form_recording(options.path, recording);
  fmt::print("{} forms recorded on {}, {} refused: {}\n", recording.outputs.size(), recording.device,
             recording.refused.size(), options.path);
  if (!lost.empty())
    throw properties::EnvironmentError(
        fmt::format("ptx record-forms: {} made the device unusable; record the others with --skip '{}'", lost, lost));
}

// What form's kernel gives on the chosen device; empty with a line on stdout if it does not run there.
std::vector<std::byte> run_on(const std::string& name, kernels::launch::Device* device, const Form& form,
                              std::span<const std::uint64_t> inputs) {
  if (device == nullptr) return expected_output(form, inputs);
  try {
    return properties::run_form(*device, form, inputs);
  } catch (const std::exception& error) {
    fmt::print("FAILED    {}: {} says: {}\n", form.name, name, error.what());
    return {};
  }
}

void check_forms(const Options& options) {
  FormRecording recording;
  try {
    recording = read_form_recording(options.path);
  } catch (const reference::SafetensorsError& error) {
    throw properties::UsageError(error.what());
  }
  std::unique_ptr<kernels::launch::Device> device;
  if (options.device == "cuda") device = open_gpu(options.gpu);
  if (options.device == "ptx") device = open_ptx_machine();
  std::uint64_t equal = 0, different = 0, missing = 0, results = 0;
  for (const Form& form : all_forms()) {
    if (!chosen(options, form)) continue;
    const auto recorded = recording.outputs.find(form.name);
    if (recorded == recording.outputs.end() || recording.hashes[form.name] != kernel_hash(form)) {
      ++missing;
      const auto refused = recording.refused.find(form.name);
      fmt::print("NOT THERE {}: {}\n", form.name,
                 refused != recording.refused.end()    ? "the device refused it: " + refused->second
                 : recorded != recording.outputs.end() ? "recorded with another kernel text"
                                                       : "not recorded");
      continue;
    }
    const std::vector<std::uint64_t> inputs = make_inputs(form, recording.seed);
    const std::vector<std::byte> actual = run_on(options.device, device.get(), form, inputs);
    const OutputDifference difference =
        actual.empty() ? OutputDifference{kItems, ""} : compare_outputs(form, inputs, actual, recorded->second);
    results += form.out.size() * kItems;
    difference.count == 0 ? ++equal : ++different;
    if (difference.count != 0 && !difference.first.empty())
      fmt::print("DIFFERENT {}: {} results; {}\n", form.name, difference.count, difference.first);
  }
  fmt::print(
      "{} forms equal, {} different, {} not recorded; {} results; recorded on {}, driver {}; compared with: {}\n",
      equal, different, missing, results, recording.device, recording.driver, options.device);
  if (different != 0) set_exit_code(1);
  if (equal == 0 && different == 0) set_exit_code(4);
}

}  // namespace

void add_ptx_forms_commands(CLI::App& ptx) {
  auto options = std::make_shared<Options>();
  const auto choose = [&](CLI::App* command) {
    command->add_option("--only", options->only, "This form alone");
    command->add_option("--skip", options->skip, "Not these forms");
  };
  CLI::App* list = ptx.add_subcommand("forms", "List the instruction forms that have a micro-kernel");
  list->add_option("--write", options->write, "Write every kernel to this directory, one .ptx file a form");
  choose(list);
  list->callback([options] { list_forms(*options); });

  CLI::App* record = ptx.add_subcommand("record-forms", "Run every micro-kernel on a GPU and keep what it wrote");
  record->add_option("file", options->path, "The .safetensors file to write")->required();
  record->add_option("--seed", options->seed, "Of the operands");
  record->add_option("--gpu", options->gpu, "Which GPU");
  choose(record);
  record->callback([options] { record_forms(*options); });

  CLI::App* check =
      ptx.add_subcommand("check-forms", "Compare a recording of the micro-kernels with another way to run them");
  check->add_option("file", options->path, "What record-forms wrote")->required();
  check
      ->add_option("--device", options->device,
                   "definition: results by the ISA's text; ptx: the PTX machine; cuda: a GPU")
      ->check(CLI::IsMember({"definition", "ptx", "cuda"}));
  check->add_option("--gpu", options->gpu, "Which GPU");
  choose(check);
  check->footer("Exit code 1 if any result differs, 2 on a bad file, 3 without the device, 4 if nothing was compared.");
  check->callback([options] { check_forms(*options); });
}

}  // namespace xqacheck::cli
