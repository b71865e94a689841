// xqacheck budget as a person or a CI job runs it: files made, checked, refused, updated, and updates that are killed.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "properties/budget/budget.hpp"
#include "properties/errors.hpp"
#include "properties/report/explain.hpp"
#include "properties/report/json_lines.hpp"
#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck;
using namespace xqacheck::tests;

namespace {

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

const std::string kCase = "xqa/1 heads=4/1 dim=64 len=200 kv=e4m3";

void measure(const Workplace& place, const std::string& kernel, const std::string& file) {
  const ToolResult made =
      place.run({"budget", "measure", "--kernel", kernel, "--case", kCase, "--samples", "24", "--out", file});
  INFO(made.both());
  REQUIRE(made.exit == 0);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a budget is measured, checked and written as JSON lines") {
  const Workplace place;
  measure(place, "emu-qgmma", "b.json");
  const properties::budget::Budget budget = properties::budget::parse_budget(place.read("b.json"), "b.json");
  CHECK(budget.provenance.kernel == "emu-qgmma");
  CHECK(budget.provenance.recipe == "gmma sm_90");
  CHECK(budget.configurations.at(0).samples.size() == 24);
  const ToolResult checked = place.run({"budget", "check", "b.json", "--json", "r.jsonl"});
  INFO(checked.both());
  CHECK(checked.exit == 0);
  has(checked.out, "24 samples, 24 with identical output");
  const std::string lines = place.read("r.jsonl");
  has(lines, "\"type\":\"budget\",\"mode\":\"check\"");
  has(lines, "\"identical\":24");
  CHECK(properties::parse_results(lines).verdicts.size() == 1);  // readers of verdicts step over the records
}

TEST_CASE("remembered causes come with each check") {
  const Workplace place;
  const ToolResult made =
      place.run({"budget", "measure", "--kernel", "emu-qgmma", "--case", "xqa/1 heads=2/1 dim=64 len=70 kv=e4m3",
                 "--samples", "4", "--causes", "2", "--out", "b.json", "--json", "m.jsonl"});
  INFO(made.both());
  REQUIRE(made.exit == 0);
  place.run({"budget", "check", "b.json", "--json", "c.jsonl"});
  for (const char* file : {"m.jsonl", "c.jsonl"}) {
    const std::string lines = place.read(file);
    has(lines, "{\"type\":\"causes\",\"number\":0,\"kernel\":\"emu-qgmma\"");
    has(lines, "{\"step\":\"p\",\"share\":");
  }
}

TEST_CASE("a worse kernel fails, a better one is a warning, too few samples are neither") {
  const Workplace place;
  measure(place, "emu-hmma", "fine.json");
  measure(place, "emu-qgmma", "coarse.json");
  const ToolResult worse = place.run({"budget", "check", "fine.json", "--kernel", "emu-qgmma"});
  CHECK(worse.exit == 1);
  has(worse.out, "FAILED");
  has(worse.out, "over the limit: declared_l2 is");
  const ToolResult better = place.run({"budget", "check", "coarse.json", "--kernel", "emu-hmma"});
  CHECK(better.exit == 0);
  has(better.out, "much better: rel_l2 fell");
  has(better.out, "the error profile changed");
  const ToolResult few = place.run({"budget", "check", "coarse.json", "--samples", "2", "--fresh", "500"});
  CHECK(few.exit == 4);
  has(few.out, "MISTRUSTED");
  has(few.out, "2 samples against the budget's 24 are too few");
}

TEST_CASE("broken budget files are refused before anything runs") {
  const Workplace place;
  measure(place, "emu-qgmma", "b.json");
  const std::string text = place.read("b.json");
  const auto refused = [&](const std::string& broken, const std::string& reason) {
    place.write("broken.json", broken);
    const ToolResult result = place.run({"budget", "check", "broken.json"});
    INFO(result.both());
    CHECK(result.exit == 2);
    has(result.err, "broken.json");
    has(result.err, reason);
    const ToolResult update = place.run({"budget", "check", "broken.json", "--update"});
    CHECK(update.exit == 2);
    CHECK(place.read("broken.json") == broken);
  };
  refused(text.substr(0, text.size() / 2), "cut off or empty");
  refused("", "cut off or empty");
  refused(replaced(text, "xqacheck-budget/1", "xqacheck-budget/9"), "version 'xqacheck-budget/9' is not read");
  refused(replaced(text, "\"samples\"", "\"sample\""), "'sample' is not known here; there is run");
  refused(replaced(text, "\"limit\": ", "\"limitt\": 1, \"limit\": "), "'limitt' is not known here");
  refused(replaced(text, "\"limit\": ", "\"limit\": 1, \"limit\": "), "'limit' stands twice");
  refused(replaced(text, "\"limit\": ", "\"limit\": 1e999"), "number overflow");
  refused(replaced(text, "\"kernel\": \"", "\"kernel\": \"./evil.so:"), "not a path");
  refused(replaced(text, "\"kernel\": \"emu-qgmma\"", "\"kernel\": \"mine\""),
          "was measured with 'mine', which is not built in: give its plug-in with --kernel");
  refused(replaced(text, "\"first\": 1", "\"first\": 2"), "checksum");
  CHECK(place.run({"budget", "check", "absent.json"}).exit == 3);
}

TEST_CASE("fresh seeds are not those of the file, and no seed runs past the end") {
  const Workplace place;
  measure(place, "emu-qgmma", "b.json");
  const ToolResult own = place.run({"budget", "check", "b.json", "--fresh", "20"});
  CHECK(own.exit == 2);
  has(own.err, "--fresh 20: seeds 1 to 24 are those of the budget; these are fresh: --fresh 25");
  const ToolResult fresh = place.run({"budget", "check", "b.json", "--fresh", "25"});
  CHECK((fresh.exit == 0 || fresh.exit == 4));
  has(fresh.out, "samples of other seeds");
  CHECK(place.run({"budget", "check", "b.json", "--fresh", "18446744073709551615"}).exit == 2);
}

TEST_CASE("what is no regular file is written to, not replaced") {
  const Workplace place;
  const ToolResult full = place.run(
      {"budget", "measure", "--kernel", "emu-qgmma", "--case", kCase, "--samples", "3", "--out", "/dev/full"});
  CHECK(full.exit == 3);
  has(full.err, "cannot write /dev/full: No space left on device");
  CHECK(std::filesystem::is_character_file("/dev/full"));
  measure(place, "emu-qgmma", "real.json");
  std::filesystem::create_symlink("real.json", place.path("link.json"));
  const ToolResult updated = place.run({"budget", "check", "link.json", "--update", "--kernel", "emu-hmma"});
  INFO(updated.both());
  CHECK(updated.exit == 0);
  CHECK(std::filesystem::is_symlink(place.path("link.json")));
  CHECK(properties::budget::parse_budget(place.read("real.json"), "real.json").provenance.kernel == "emu-hmma");
}

TEST_CASE("a device kernel is measured from its PTX, on the seeds of its emulator's budget") {
  const Workplace place;
  const ToolResult made = place.run({"budget", "measure", "--kernel", "emu-mmha", "--case",
                                     "xqa/1 heads=4/2 dim=64 len=100,37 kv=e4m3", "--samples", "3", "--out", "m.json"});
  REQUIRE(made.exit == 0);
  const ToolResult checked =
      place.run({"budget", "check", "m.json", "--kernel", "mmha", "--device", "ptx", "--json", "r.jsonl"});
  if (checked.exit == 3) {
    WARN("skipped: " << checked.err);  // no compiler for device code
    return;
  }
  INFO(checked.both());
  CHECK(checked.exit == 0);
  has(checked.out, "3 samples, 3 with identical output");
  has(place.read("r.jsonl"), "PTX machine");
  const ToolResult other = place.run({"budget", "check", "m.json", "--kernel", "mmha", "--device", "tpu"});
  CHECK(other.exit == 2);
  has(other.err, "--device tpu: cuda or ptx");
}

TEST_CASE("broken tensor files are refused with the reason") {
  const Workplace place;
  place.write("t.safetensors", "not a tensor file");
  const ToolResult result = place.run({"budget", "measure", "--kernel", "emu-qgmma", "--case",
                                       "xqa/1 len=64 kv=e4m3 file=t.safetensors#0000000000000000"});
  CHECK(result.exit == 2);
  has(result.err, "t.safetensors");
  CHECK(place.files(".").size() == 3);  // the file itself, .out and .err: nothing half-written
}

TEST_CASE("an update prints what changes and keeps what a person fixed") {
  const Workplace place;
  measure(place, "emu-qgmma", "b.json");
  const std::string before = place.read("b.json");
  const std::size_t at = before.find("\"limit\": ");
  const std::string fixed =
      before.substr(0, at) + "\"fixed\": true, \"limit\": 0.5" + before.substr(before.find_first_of(",}", at));
  place.write("b.json", fixed);
  const ToolResult updated = place.run({"budget", "check", "b.json", "--update", "--kernel", "emu-hmma"});
  INFO(updated.both());
  CHECK(updated.exit == 0);
  has(updated.out, "b.json: updated");
  has(updated.out, "kernel: emu-qgmma -> emu-hmma");
  has(updated.out, "limit 0.5 -> 0.5 (fixed)");
  const properties::budget::Budget after = properties::budget::parse_budget(place.read("b.json"), "b.json");
  CHECK(after.provenance.kernel == "emu-hmma");
  CHECK(place.run({"budget", "check", "b.json"}).exit == 0);
  CHECK(place.files(".").size() == 3);  // no temporary file is left
}

TEST_CASE("an update that is killed leaves the old file or a whole new one") {
  const Workplace place;
  measure(place, "emu-qgmma", "b.json");
  const std::string before = place.read("b.json");
  for (const char* seconds : {"0.05", "0.1", "0.2", "0.4", "0.8"}) {
    const std::string command = "cd " + properties::shell_quoted(place.path(".")) + " && timeout -s KILL " + seconds +
                                " " + properties::shell_quoted(std::string(std::getenv("XQACHECK_BIN")) + "/xqacheck") +
                                " budget check b.json --update --kernel emu-hmma >/dev/null 2>&1";
    const int ignored = std::system(command.c_str());
    static_cast<void>(ignored);
    const std::string now = place.read("b.json");
    if (now == before) continue;
    CHECK(properties::budget::parse_budget(now, "b.json").provenance.kernel == "emu-hmma");
    place.write("b.json", before);
  }
}

TEST_CASE("explain splits the error and names unknown words") {
  const Workplace place;
  const ToolResult result =
      place.run({"budget", "explain", "--kernel", "emu-qgmma", "--case", "xqa/1 heads=2/1 dim=64 len=70 kv=e4m3",
                 "--samples", "3", "--orders", "1", "--json", "e.jsonl"});
  INFO(result.both());
  CHECK(result.exit == 0);
  has(result.out, "interaction (total - sum of alone)");
  has(result.out, "what if p=16bit");
  has(place.read("e.jsonl"), "\"type\":\"causes\"");
  const ToolResult wrong =
      place.run({"budget", "explain", "--kernel", "emu-qgmma", "--case", kCase, "--what-if", "p_scal=2"});
  CHECK(wrong.exit == 2);
  has(wrong.err, "p_scal");
  const ToolResult foreign = place.run({"budget", "explain", "--kernel", "flash32", "--case", kCase});
  CHECK(foreign.exit == 2);
  has(foreign.err, "declares no recipe");
}

TEST_CASE("options that make no sense are named") {
  const Workplace place;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& reason) {
    const ToolResult result = place.run(arguments);
    INFO(result.both());
    CHECK(result.exit == 2);
    has(result.err, reason);
  };
  refused({"budget", "measure"}, "--kernel");
  refused({"budget", "measure", "--kernel", "emu-qgmma", "--case", kCase + " seed=4"}, "has no seed");
  refused({"budget", "measure", "--kernel", "emu-qgmma", "--case", kCase + " table=aliased"}, "share pages");
  refused({"budget", "measure", "--kernel", "emu-qgmma", "--samples", "1"}, "--samples 1");
  refused({"budget", "measure", "--kernel", "emu-qgmma", "--set", "fp4"}, "e4m3, int8, bf16, fp16");
  refused({"budget", "measure", "--kernel", "emu-qgmma", "--case", kCase, "--ladder", "64.."}, "--ladder 64..");
  refused({"budget", "measure", "--kernel", "emu-qgmma", "--ladder", "64..128"}, "needs a --case");
}

// The whole of fixtures/budgets: all emulators, all formats.
TEST_CASE("the built-in budgets hold", "[nightly]") {
  const Workplace place;
  const std::string folder = std::string(std::getenv("XQACHECK_SOURCE_DIR")) + "/fixtures/budgets";
  const ToolResult result = place.run({"budget", "check", folder, folder + "/device"});
  INFO(result.both());
  CHECK(result.exit == 0);
  CHECK(result.out.find("warning") == std::string::npos);
}
