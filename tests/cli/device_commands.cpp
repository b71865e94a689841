// perf, run, precompile, plan and --record-calls as a person meets them, mostly on a machine without a GPU.
#include <cstdlib>

#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using Catch::Matchers::Contains;

namespace {

// Sets a variable for one test; the tool inherits it.
struct Environment {
  const char* name;
  Environment(const char* name_, const std::string& value) : name(name_) { setenv(name, value.c_str(), 1); }
  ~Environment() { unsetenv(name); }
};

// Hides the GPU of a machine that has one.
struct NoGpu {
  Environment hidden{"CUDA_VISIBLE_DEVICES", "-1"};
};

}  // namespace

TEST_CASE("perf and run without a GPU exit 3 with the reason, and write nothing", "[cli]") {
  const NoGpu no_gpu;
  const Workplace work;
  const auto perf = work.run({"perf", "--kernel", "mmha", "--json", "perf.json"});
  CHECK(perf.exit == 3);
  CHECK_THAT(perf.err, Contains("xqacheck perf needs a CUDA device: "));
  CHECK(work.files(".") == std::vector<std::string>{".err", ".out"});  // what the tool said
  const auto run = work.run({"run", "--kernel", "mmha", "--case", "xqa/1"});
  CHECK(run.exit == 3);
  CHECK_THAT(run.err, Contains("xqacheck run needs a CUDA device: "));
}

TEST_CASE("perf and run refuse what makes no sense before they look for a GPU", "[cli]") {
  const Workplace work;
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const auto answer = work.run(arguments);
    INFO(message);
    CHECK(answer.exit == 2);
    CHECK_THAT(answer.err, Contains(message));
  };
  refused({"perf"}, "--kernel is required");
  refused({"perf", "--kernel", "flash32"}, "it runs on host memory");
  refused({"perf", "--kernel", "mmhb"}, "mmhb");
  refused({"perf", "--kernel", "./nothing.so"}, "./nothing.so");
  refused({"perf", "--kernel", "mmha", "--case", "xqa/1 dim=17"}, "dim=17");
  refused({"perf", "--kernel", "mmha", "--samples", "1"}, "--samples 1: needs a number from 3");
  refused({"perf", "--kernel", "mmha", "--launches", "0"}, "--launches 0");
  refused({"perf", "--kernel", "mmha", "--warm-up", "-1"}, "--warm-up -1");
  refused({"perf", "--kernel", "mmha", "--rotation", "-5"}, "--rotation -5");
  refused({"run", "--kernel", "mmha"}, "at least one --case or --corpus");
  refused({"run", "--kernel", "mmha", "--corpus", "none.txt"}, "none.txt");
}

TEST_CASE("precompile says what it lacks", "[cli]") {
  const NoGpu no_gpu;
  const Workplace work;
  const Environment cache("XQACHECK_CACHE_DIR", work.path("cache"));
  CHECK_THAT(work.run({"precompile", "--kernel", "flash32", "--case", "xqa/1"}).err, Contains("there is mmha"));
  const auto load = work.run({"precompile", "--load", "--arch", "sm_90a", "--case", "xqa/1"});
  CHECK(load.exit == 3);
  CHECK_THAT(load.err, Contains("--load needs a CUDA device"));
  const auto none = work.run({"precompile", "--case", "xqa/1"});
  CHECK((none.exit == 2 || none.exit == 3));  // 3: no compiler either
  CHECK_THAT(none.err, Contains("--arch") || Contains("NVRTC"));
}

TEST_CASE("precompile fills the cache; a second process takes every shape from disk within 50 ms", "[cli]") {
  const Workplace work;
  const Environment cache("XQACHECK_CACHE_DIR", work.path("cache"));
  const std::vector<std::string> command = {"precompile", "--arch", "sm_90a",           "--case", "xqa/1 heads=8/1",
                                            "--case",     "xqa/1 kv=e4m3", "--case",    "xqa/1 heads=4/1 len=7"};
  const auto cold = work.run(command);
  if (cold.exit == 3 && cold.err.find("NVRTC") != std::string::npos) {
    WARN("skipped: " << cold.err);
    return;
  }
  INFO(cold.both());
  REQUIRE(cold.exit == 0);
  CHECK_THAT(cold.out, Contains("2 shapes: 2 compiled") && Contains("registers") && Contains("0 with spills"));
  const auto warm = work.run(command);
  INFO(warm.both());
  REQUIRE(warm.exit == 0);
  CHECK_THAT(warm.out, Contains("0 compiled") && Contains("2 from disk"));
  const auto at = warm.out.find("from disk (slowest ");
  REQUIRE(at != std::string::npos);
  // 0.1 ms on an idle machine.
  CHECK(std::strtod(warm.out.c_str() + at + 19, nullptr) < 50);
}

TEST_CASE("plan names the choice, the reasons and the launch; the environment overrides it", "[cli]") {
  const Workplace work;
  const auto plain = work.run({"plan", "xqa/1 heads=8/1 len=8192x4 kv=e4m3"});
  CHECK(plain.exit == 0);
  CHECK_THAT(plain.out, Contains("chosen: qgmma") && Contains("mla     refused: ") && Contains("article") && Contains("grid"));
  CHECK_THAT(work.run({"plan", "xqa/1 heads=8/8"}).out, Contains("chosen: mmha") && Contains("group size 1"));
  {
    const Environment kernel("XQACHECK_FORCE_KERNEL", "hmma");
    const Environment splits("XQACHECK_FORCE_SPLITS", "9");
    const auto forced = work.run({"plan", "xqa/1 heads=8/1 len=8192x4 kv=e4m3"});
    CHECK_THAT(forced.out, Contains("chosen: hmma") && Contains("9 by force") && Contains("hmma    grid 9 x 1 x 4"));
    const auto refused = work.run({"plan", "xqa/1 heads=8/8"});
    CHECK(refused.exit == 2);
    CHECK_THAT(refused.err, Contains("XQACHECK_FORCE_KERNEL=hmma"));
  }
  const Environment bad("XQACHECK_FORCE_SPLITS", "many");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"plan", "xqa/1"}, {"verify", "--cases", "1", "--kernel", "flash32"}}) {
    const auto answer = work.run(command);
    CHECK(answer.exit == 2);
    CHECK_THAT(answer.err, Contains("XQACHECK_FORCE_SPLITS=many: a number from 1"));
  }
}

TEST_CASE("recorded calls replay equal, and one changed digit does not", "[cli]") {
  const Workplace work;
  const auto verify = work.run({"verify", "--kernel", "emu-mmha", "--cases", "12", "--seed", "5", "--draw", "dim=32,64",
                                "--property", "golden", "--record-calls", "some.calls.jsonl"});
  INFO(verify.both());
  REQUIRE(verify.exit == 0);
  CHECK_THAT(verify.out, Contains("12 calls of emu-mmha recorded"));
  CHECK_THAT(work.run({"replay", "-q", "some.calls.jsonl"}).out, Contains("12 recordings, 0 different"));
  std::string text = work.read("some.calls.jsonl");
  const auto at = text.find("\"out\":\"") + 7;
  text[at] = text[at] == '0' ? '1' : '0';
  work.write("some.calls.jsonl", text);
  const auto changed = work.run({"replay", "some.calls.jsonl"});
  CHECK(changed.exit == 1);
  CHECK_THAT(changed.out, Contains("12 recordings, 1 different"));
  CHECK(work.run({"replay", "--arch", "sm_80", "some.calls.jsonl"}).exit == 2);
  CHECK(work.run({"verify", "--cases", "1", "--kernel", "flash32", "--record-calls", "x.jsonl"}).exit == 2);
  CHECK(work.run({"verify", "--cases", "1", "--kernel", "flash32", "--draw", "dim=63"}).exit == 2);
}
