// The PTX machine against an NVIDIA H200: every recorded micro-kernel, bit for bit, without a GPU, and without a
// finding.
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "emulation/ptx/check/checker.hpp"
#include "emulation/ptx/forms/recording.hpp"
#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/machine/loaded_module.hpp"
#include "emulation/ptx/schedule/schedule.hpp"
#include "tests/catch.hpp"

namespace {

using namespace xqacheck::ptx;
using namespace xqacheck::ptx::forms;

struct FormRun {
  std::vector<std::byte> out;
  std::vector<Finding> findings;
};

FormRun run_on_machine(const Form& form, std::span<const std::uint64_t> inputs, const ScheduleSpec& spec) {
  Checker checker;
  Machine machine;
  machine.set_monitor(&checker);
  const auto schedule = make_schedule(spec);
  machine.set_schedule(schedule.get());
  DeviceMemory& memory = machine.memory();
  const std::uint64_t in_bytes = std::max<std::uint64_t>(inputs.size_bytes(), 16),
                      scratch_bytes = std::uint64_t{kItems} * kScratchBytes;
  const std::uint64_t in = memory.allocate(in_bytes, 256, "in"), out = memory.allocate(output_bytes(form), 256, "out"),
                      scratch = memory.allocate(scratch_bytes, 256, "scratch");
  std::memcpy(memory.at(in, in_bytes), inputs.data(), inputs.size_bytes());
  std::memset(memory.at(out, output_bytes(form)), 0, output_bytes(form));
  std::memset(memory.at(scratch, scratch_bytes), 0, scratch_bytes);
  checker.allocated({"in", in, in_bytes, true, true});
  checker.allocated({"out", out, output_bytes(form), false, true});
  checker.allocated({"scratch", scratch, scratch_bytes, false, true});
  LoadedModule module(machine, parse(kernel_text(form), form.name));
  Launch launch;
  launch.program = module.kernel("form");
  launch.grid.x = kItems / kThreads;
  launch.block.x = kThreads;
  const std::uint64_t addresses[3] = {in, out, scratch};
  const std::uint32_t numbers[2] = {kNumber, kRealBits};
  launch.parameters.resize(32);
  std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
  std::memcpy(launch.parameters.data() + 24, numbers, sizeof numbers);
  machine.run({launch});
  const std::byte* bytes = memory.at(out, output_bytes(form));
  return {std::vector<std::byte>(bytes, bytes + output_bytes(form)), checker.findings()};
}

TEST_CASE("the machine writes what the H200 wrote, for every form and under two schedules") {
  const char* source = std::getenv("XQACHECK_SOURCE_DIR");
  REQUIRE(source != nullptr);
  std::uint64_t compared = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(source) / "fixtures/ptx/recorded")) {
    if (entry.path().extension() != ".safetensors") continue;
    const FormRecording recording = read_form_recording(entry.path().string());
    for (const Form& form : all_forms()) {
      const auto inputs = make_inputs(form, recording.seed);
      for (const ScheduleSpec& schedule :
           {ScheduleSpec{ScheduleKind::in_order, 0}, ScheduleSpec{ScheduleKind::random, 1}}) {
        INFO(form.name << " under " << to_text(schedule));
        FormRun run;
        try {
          run = run_on_machine(form, inputs, schedule);
        } catch (const std::exception& error) {
          FAIL_CHECK(error.what());
          continue;
        }
        const OutputDifference difference = compare_outputs(form, inputs, run.out, recording.outputs.at(form.name));
        INFO(difference.first);
        CHECK(difference.count == 0);
        for (const Finding& finding : run.findings) FAIL_CHECK(to_text(finding));
      }
      ++compared;
    }
  }
  CHECK(compared >= all_forms().size());
}

}  // namespace
