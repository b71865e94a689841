// MMHA with a fault, on the PTX machine as `--device ptx` runs it: each fault is found, by the right check, in the
// right buffer and at the right line; MMHA as it is passes on the same cases.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <sstream>

#include "kernels/jit/prebuilt.hpp"
#include "kernels/mmha/source.hpp"
#include "properties/checks/machine_schedules.hpp"
#include "properties/isolation/process_runner.hpp"
#include "properties/property.hpp"
#include "reference/problem.hpp"
#include "reference/run_line.hpp"
#include "tests/catch.hpp"
#include "tests/properties/ptx/planted.hpp"

namespace xqacheck::tests {
namespace {

using namespace kernels;
using properties::Outcome;
using properties::RunStatus;

// The shape of every case of planted.cpp.
constexpr mmha::Shape kShape{64, 64, XQACHECK_BF16, XQACHECK_BF16, XQACHECK_BF16};

jit::CompileRequest request() {
  return mmha::compile_request(kShape, "compute_90a");
}

std::filesystem::path prebuilt_folder() {
  return std::filesystem::path(std::getenv("XQACHECK_SOURCE_DIR")) / "fixtures/ptx";
}

// A folder of prebuilt PTX with the faulty kernel under the name of the right one.
class Folder {
 public:
  explicit Folder(const std::string& ptx) {
    path_ = std::filesystem::temp_directory_path() / ("xqacheck-planted-" + std::to_string(getpid()));
    std::filesystem::create_directories(path_);
    for (const auto& entry : std::filesystem::directory_iterator(prebuilt_folder()))
      if (entry.path().extension() == ".ptx") std::filesystem::copy(entry.path(), path_ / entry.path().filename());
    std::ofstream(path_ / jit::prebuilt_name(request()), std::ios::binary) << ptx;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Workers that run what is in the folder.
std::unique_ptr<properties::ProcessRunner> runner_of(const std::filesystem::path& prebuilt) {
  setenv("XQACHECK_DEVICE", "ptx", 1);
  setenv("XQACHECK_PREBUILT_PTX", prebuilt.c_str(), 1);
  properties::ProcessOptions process;
  process.confirm_crashes = false;
  return std::make_unique<properties::ProcessRunner>("mmha", process);
}

Outcome run(const PlantedFault& fault, properties::ProcessRunner& runner) {
  const reference::RunLine line = reference::parse_run_line(fault.line);
  properties::RunOptions options;
  options.plan = line.forced_splits();
  if (fault.producer) {
    options.launching = properties::Launching::pdl_producer;
    options.schedule = properties::schedule_number(ptx::ScheduleKind::late_producer);
  }
  return runner.run(reference::make_problem(line.subject), options);
}

std::string line_of(const std::string& text, int number) {
  std::istringstream in(text);
  std::string line;
  for (int i = 0; i < number && std::getline(in, line);) ++i;
  return line;
}

// Whether one finding is of the kind, names the buffer and a line of the source that holds `at`.
bool finds(const std::string& findings, const PlantedFault& fault, const std::string& source) {
  std::istringstream in(findings);
  const std::regex place(R"(mmha\.cu:(\d+))");
  for (std::string finding; std::getline(in, finding);) {
    if (!finding.starts_with(std::string(fault.kind) + ": ")) continue;
    if (*fault.buffer != '\0' && finding.find(std::string(" = ") + fault.buffer + " + ") == std::string::npos) continue;
    for (auto at = std::sregex_iterator(finding.begin(), finding.end(), place); at != std::sregex_iterator(); ++at)
      if (line_of(source, std::stoi((*at)[1])).find(fault.at) != std::string::npos) return true;
  }
  return false;
}

std::string prebuilt_text() {
  std::ifstream in(prebuilt_folder() / jit::prebuilt_name(request()), std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool compiler_there() {
  try {
    jit::compiler_version();
    return true;
  } catch (const jit::CompilerMissing& error) {
    WARN("faults in the source need NVRTC: " << error.what());
    return false;
  }
}

void judge(const PlantedFault& fault, const std::string& ptx, const std::string& source) {
  const Folder folder(ptx);
  const Outcome wrong = run(fault, *runner_of(folder.path()));
  INFO(fault.name << ", expected " << fault.kind << " of " << fault.buffer << " at '" << fault.at << "'\n"
                  << wrong.why);
  CHECK(wrong.status == RunStatus::crashed);
  CHECK(finds(wrong.why, fault, source));
}

TEST_CASE("MMHA as it is runs without a finding where its faults are looked for") {
  const auto runner = runner_of(prebuilt_folder());
  for (const PlantedFault& fault : planted_faults()) {
    const Outcome right = run(fault, *runner);
    INFO(fault.name << ": " << right.why);
    CHECK(right.status == RunStatus::ok);
  }
}

TEST_CASE("Faults in the PTX of MMHA are found") {
  const std::string source = request().source.text;
  for (const PlantedFault& fault : planted_faults())
    if (fault.level == Level::ptx) judge(fault, plant(prebuilt_text(), fault), source);
}

struct Faulty {
  std::string source, ptx;
};

Faulty compiled(const PlantedFault& fault) {
  jit::CompileRequest wrong = request();
  wrong.source.text = plant(wrong.source.text, fault);
  return {wrong.source.text, reinterpret_cast<const char*>(jit::compile(wrong).image.data())};
}

TEST_CASE("Faults in the source of MMHA are found") {
  if (!compiler_there()) return;
  for (const PlantedFault& fault : planted_faults()) {
    if (fault.level != Level::source) continue;
    const Faulty faulty = compiled(fault);
    judge(fault, faulty.ptx, faulty.source);
  }
}

TEST_CASE("What is rounded in another way than declared passes golden and fails bits") {
  const auto judged = [](const PlantedFault& fault, properties::Runner& runner, const char* property) {
    properties::Trial trial(reference::parse_run_line(fault.line), runner, {});
    return properties::judge_property(*properties::property_named(property), trial);
  };
  const bool compiler = compiler_there();
  for (const PlantedFault& fault : planted_roundings()) {
    if (fault.level == Level::source && !compiler) continue;
    const Folder folder(fault.level == Level::ptx ? plant(prebuilt_text(), fault) : compiled(fault).ptx);
    const auto wrong = runner_of(folder.path());
    INFO(fault.name);
    CHECK(judged(fault, *wrong, "golden").status == properties::Status::passed);
    CHECK(judged(fault, *wrong, "bits").kind == "other LSE bits");
    CHECK(judged(fault, *runner_of(prebuilt_folder()), "bits").status == properties::Status::passed);
  }
}

}  // namespace
}  // namespace xqacheck::tests
