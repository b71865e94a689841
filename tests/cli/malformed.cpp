// Malformed requests: each ends with exit code 2, a message that names what is wrong, no output and nothing written.
#include "tests/catch.hpp"
#include "tests/cli/tool.hpp"

using namespace xqacheck::tests;
using Catch::Matchers::Contains;

namespace {

struct Malformed {
  std::vector<std::string> arguments;
  std::string message;  // a part of what is said on stderr
};

// Every option of the command with a value that makes no sense, and every kind of text with a fault in it.
const Malformed kAll[] = {
    {{}, "A subcommand is required"},
    {{"verfy"}, "no command 'verfy'; there are verify, repro, diff, report, list"},
    {{"verfy"}, "(did you mean 'verify'?)"},
    {{"verify", "--casse", "xqa/1"}, "--casse"},
    {{"verify", "--cases", "many"}, "--cases"},
    {{"verify", "--cases", "0"}, "--cases 0: needs a number from 1"},
    {{"verify", "--cases", "-7"}, "--cases -7: needs a number from 1"},
    {{"verify", "--cases", "99999999999"}, "--cases 99999999999: needs a number from 1"},
    {{"verify", "--seed", "-1"}, "--seed"},
    {{"verify", "--seed", "x"}, "--seed"},
    {{"verify", "--shard", "3"}, "--shard 3: needs I/N"},
    {{"verify", "--shard", "0/4"}, "--shard 0/4: needs I/N"},
    {{"verify", "--shard", "5/4"}, "--shard 5/4: needs I/N"},
    {{"verify", "--shard", "1/0"}, "--shard 1/0: needs I/N"},
    {{"verify", "--shard", "a/b"}, "--shard a/b: needs I/N"},
    {{"verify", "--shard", "1/4/2"}, "--shard 1/4/2: needs I/N"},
    {{"verify", "--jobs", "-1"}, "--jobs"},
    {{"verify", "--jobs", "100000", "--kernel", "flash32"}, "--jobs 100000: at most"},
    {{"verify", "--threads", "-2"}, "--threads -2: needs 1 to 1024"},
    {{"verify", "--timeout", "0"}, "--timeout 0: needs seconds above 0"},
    {{"verify", "--timeout", "nan"}, "--timeout nan: needs seconds above 0"},
    {{"verify", "--timeout", "soon"}, "--timeout"},
    {{"verify", "--min-executed", "101", "--case", "xqa/1 len=5"}, "--min-executed 101: needs a share in per cent"},
    {{"verify", "--max-mistrusted", "-1", "--case", "xqa/1 len=5"}, "--max-mistrusted -1: needs a share in per cent"},
    {{"verify", "--property", "goldn"}, "--property goldn: there is golden, "},
    {{"verify", "--property", "goldn"}, "(did you mean 'golden'?)"},
    {{"verify", "--kernel", "flash23", "--cases", "1"}, "flash23"},
    {{"verify", "--kernel", "./no-such.so", "--cases", "1"}, "no-such.so"},
    {{"verify", "--kernel", "", "--cases", "1"}, "--kernel"},
    {{"verify", "--case", ""}, "--case: "},
    {{"verify", "--case", "len=5"}, "--case: "},
    {{"verify", "--case", "xqa/2 len=5"}, "--case: "},
    {{"verify", "--case", "xqa/1 len=5 widnow=3"}, "(did you mean 'window'?)"},
    {{"verify", "--case", "xqa/1 len=5 heads=3/2"}, "--case: heads=3/2"},
    {{"verify", "--case", "xqa/1 len=5 dim=100"}, "--case: dim=100"},
    {{"verify", "--case", "xqa/1 len=99999999999"}, "--case: len=99999999999"},
    {{"verify", "--case", "xqa/1 len=3 draft=4"}, "--case: "},
    {{"verify", "--case", "xqa/1 len=5 @ prop=nothing"}, "--case: prop=nothing: no such property"},
    {{"verify", "--case", "xqa/1 len=5 @ tool=77.1"}, "--case: tool=77.1: saved by another version"},
    {{"verify", "--corpus", "no-such.txt"}, "cannot read no-such.txt: No such file or directory"},
    {{"verify", "--corpus", "."}, "cannot read .: it is a folder"},
    {{"verify", "--corpus", "empty.txt"}, "empty.txt: holds no case line"},
    {{"verify", "--corpus", "bad.txt"}, "bad.txt:3: lenn: unknown key"},
    {{"verify", "--corpus", "binary.txt"}, "binary.txt: "},
    {{"repro"}, "what is required"},
    {{"repro", "xqa/1 len=5 @ prop=golden"}, "run line: names no kernel: add ' @ kernel=NAME'"},
    {{"repro", "xqa/1 len=5 @ kernel=flash32 prop=goldne"}, "run line: prop=goldne: no such property"},
    {{"repro", "xqa/1 len=5 @ kernel=flash32 tool=0.0"}, "run line: tool=0.0: saved by another version"},
    {{"repro", "no-such-file"}, "cannot read no-such-file: No such file or directory; repro takes a run line"},
    {{"repro", "torn.txt"}, "torn.txt: the line '# tool: …' is missing"},
    {{"repro", "bad.txt"}, "bad.txt:3: lenn: unknown key"},
    {{"diff", "flash32"}, "second is required"},
    {{"diff", "flash32", "flash23", "--cases", "1"}, "flash23"},
    {{"list"}, "A subcommand is required"},
    {{"list", "kernel"}, "no command 'kernel'; there are kernels, properties, data, tables (did you mean 'kernels'?)"},
    {{"list", "kernels", "./no-such.so"}, "no-such.so"},
};

}  // namespace

TEST_CASE("malformed requests are refused with a specific message") {
  const Workplace here;
  here.write("empty.txt", "# nothing\n");
  here.write("bad.txt", "# a corpus\nxqa/1 len=5\nxqa/1 lenn=5\n");
  here.write("binary.txt", std::string("\x7f"
                                       "ELF\0\1\2",
                                       7));
  here.write("torn.txt", "# xqacheck failure 1\n");
  for (const Malformed& each : kAll) {
    std::string typed;
    for (const std::string& argument : each.arguments) typed += " [" + argument + "]";
    INFO("xqacheck" << typed);
    const ToolResult result = here.run(each.arguments);
    INFO("stdout: " << result.out << "stderr: " << result.err);
    CHECK(result.exit == 2);
    CHECK_THAT(result.err, Contains(each.message));
    CHECK(result.out.empty());
  }
  CHECK(here.files("failures").empty());
}

TEST_CASE("plug-ins that cannot be loaded are refused with a specific message") {
  const Workplace here;
  const std::pair<const char*, const char*> all[] = {{"no_symbol", "xqacheck_get_kernel"},
                                                     {"wrong_version", "77"},
                                                     {"undefined_symbol", "symbol"},
                                                     {"null_run", "run"},
                                                     {"unnamed", "name"},
                                                     {"crash_in_constructor", "SIG"},
                                                     {"exit_in_constructor", "exit"},
                                                     {"two_of_a_name", "name"}};
  for (const auto& [name, message] : all) {
    INFO(name);
    const ToolResult result = here.run({"verify", "--kernel", plugin(name), "--cases", "1"});
    INFO(result.both());
    CHECK(result.exit == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Contains(message));
    CHECK_THAT(result.err, Contains(std::string(name) + ".so"));
  }
}
