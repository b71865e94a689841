#include "tests/emulation/ptx/twin_run.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "emulation/ptx/check/checker.hpp"
#include "emulation/ptx/front/parser.hpp"
#include "emulation/ptx/machine/loaded_module.hpp"

namespace xqacheck::ptx::testing {
namespace {

constexpr std::uint64_t kBufferBytes = 4096;  // each of out, in, scratch

std::uint32_t number_after(const std::string& line, const std::string& key, std::uint32_t otherwise) {
  const std::size_t at = line.find(key + "=");
  return at == std::string::npos ? otherwise : static_cast<std::uint32_t>(std::stoul(line.substr(at + key.size() + 1)));
}

Twin read_twin(const std::filesystem::path& source) {
  Twin twin;
  twin.name = source.stem().string();
  std::ifstream file(source);
  std::string line;
  for (std::uint32_t number = 1; std::getline(file, line); ++number) {
    if (number == 1) {
      if (line.rfind("// launch:", 0) != 0)
        throw std::runtime_error(source.string() + ": the first line must be '// launch: …'");
      twin.grid = number_after(line, "grid", 1);
      twin.block = number_after(line, "block", 32);
      twin.shared = number_after(line, "shared", 0);
      twin.producer = line.find("producer") != std::string::npos;
    }
    const std::size_t mark = line.find("//! ");
    if (mark == std::string::npos) continue;
    std::istringstream kinds(line.substr(mark + 4));
    for (std::string kind; kinds >> kind;) twin.marks[number].insert(kind);
  }
  if (twin.marks.empty()) throw std::runtime_error(source.string() + ": no line is marked with '//! kind'");
  std::filesystem::path ptx = source;
  twin.module = parse_file(ptx.replace_extension(".ptx").string());
  return twin;
}

}  // namespace

std::vector<Twin> read_twins(const std::string& folder) {
  std::vector<std::filesystem::path> sources;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".cu") sources.push_back(entry.path());
  std::sort(sources.begin(), sources.end());
  std::vector<Twin> twins;
  for (const auto& source : sources) twins.push_back(read_twin(source));
  return twins;
}

TwinRun run_twin(const Twin& twin, const std::string& kernel, const ScheduleSpec& spec) {
  Checker checker;
  MachineOptions options;
  options.instruction_limit = 1u << 20;  // the twins run some thousand
  options.idle_turns = 2000;
  Machine machine(options);
  const auto schedule = make_schedule(spec);
  machine.set_monitor(&checker);
  machine.set_schedule(schedule.get());
  DeviceMemory& memory = machine.memory();
  const std::uint64_t out = memory.allocate(kBufferBytes, 256, "out"), in = memory.allocate(kBufferBytes, 256, "in"),
                      scratch = memory.allocate(kBufferBytes, 256, "scratch");
  checker.allocated({"out", out, kBufferBytes, false, false});
  checker.allocated({"in", in, kBufferBytes, true, true});
  checker.allocated({"scratch", scratch, kBufferBytes, false, true});
  std::memset(memory.at(out, kBufferBytes), 0, kBufferBytes);
  std::memset(memory.at(scratch, kBufferBytes), 0, kBufferBytes);
  for (std::uint32_t i = 0; i < kBufferBytes / 4; ++i) {
    const std::uint32_t value = i * 2654435761u;  // Knuth's multiplier: all different
    std::memcpy(memory.at(in + i * 4, 4), &value, 4);
  }
  LoadedModule module(machine, twin.module);
  const auto launch_of = [&](const std::string& name, bool dependent) {
    Launch launch;
    launch.program = module.kernel(name);
    launch.grid.x = twin.grid;
    launch.block.x = twin.block;
    launch.dynamic_shared = twin.shared;
    launch.programmatic_dependent = dependent;
    launch.parameters.resize(24);
    const std::uint64_t arguments[3] = {out, in, scratch};
    std::memcpy(launch.parameters.data(), arguments, sizeof arguments);
    return launch;
  };
  std::vector<Launch> launches;
  if (twin.producer) launches.push_back(launch_of("producer", false));
  launches.push_back(launch_of(kernel, twin.producer));
  TwinRun run;
  try {
    machine.run(std::move(launches));
  } catch (const MachineFault& fault) {
    run.stopped = true;
    if (checker.findings().empty()) throw;
  }
  run.findings = checker.findings();
  for (const std::uint64_t buffer : {out, scratch}) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(memory.at(buffer, kBufferBytes));
    run.out.insert(run.out.end(), bytes, bytes + kBufferBytes);
  }
  return run;
}

}  // namespace xqacheck::ptx::testing
