#include "properties/corpus.hpp"

#include <filesystem>

#include "properties/errors.hpp"
#include "properties/report/atomic_file.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::properties;

namespace {

std::string message_of(const std::string& text) {
  try {
    parse_corpus(text, "c.txt");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a corpus holds case lines, run lines and comments") {
  const auto entries = parse_corpus(
      "# a comment\n"
      "\n"
      "xqa/1 len=5\r\n"
      "   xqa/1 len=6 @ kernel=flash32 prop=guard plan=2 tool=0.1  \n"
      "  # another\n"
      "xqa/1 len=7",
      "c.txt");
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].place == "c.txt:3");
  CHECK(entries[0].run.subject.lens.front() == 5);
  CHECK(entries[1].run.property == "guard");
  CHECK(entries[1].run.forced_splits() == 2);
  CHECK(entries[2].place == "c.txt:6");
}

TEST_CASE("malformed corpora are refused with file, line, field and what is allowed") {
  struct Malformed {
    std::string text, message;  // the message begins so
  };
  const Malformed all[] = {
      {"", "c.txt: holds no case line"},
      {"# only\n# comments\n", "c.txt: holds no case line"},
      {std::string("xqa/1 len=5\0", 12), "c.txt: holds a zero byte"},
      {"xqa/1 len=5\nxqa/1 lenn=5\n", "c.txt:2: lenn: unknown key"},
      {"xqa/2 len=5\n", "c.txt:1: "},
      {"len=5\n", "c.txt:1: "},
      {"xqa/1 len=5 @ kernel=\n", "c.txt:1: kernel: needs a value"},
      {"xqa/1 len=5 @ prop=goldn\n", "c.txt:1: prop=goldn: no such property; there are golden, "},
      {"xqa/1 len=5 @ tool=9.9\n", "c.txt:1: tool=9.9: saved by another version than this 0.1"},
      {"xqa/1 len=5 @ place=middle\n", "c.txt:1: place=middle"},
      {"xqa/1 len=5 @ @ prop=golden\n", "c.txt:1: "},
      {"xqa/1 len=-1\n", "c.txt:1: len=-1"},
      {"xqa/1 len=5 len=6\n", "c.txt:1: len=6: given twice"},
      {"xqa/1 heads=3/2 len=5\n", "c.txt:1: heads=3/2"},
      {"\xef\xbb\xbfxqa/1 len=5\n", "c.txt:1: "},  // a byte order mark
  };
  for (const Malformed& each : all) {
    INFO(each.text);
    CHECK_THAT(message_of(each.text), Catch::Matchers::StartsWith(each.message));
  }
}

TEST_CASE("a corpus that cannot be read names the path") {
  CHECK_THROWS_WITH(read_corpus("/no/such/corpus.txt"), "cannot read /no/such/corpus.txt: No such file or directory");
  CHECK_THROWS_WITH(read_corpus("/tmp"), "cannot read /tmp: it is a folder; name a file");
}

TEST_CASE("appending keeps what is there and adds each line once") {
  const std::string path = (std::filesystem::temp_directory_path() / "xqacheck-corpus-test.txt").string();
  std::filesystem::remove(path);
  append_to_corpus(path, {"xqa/1 len=5", "xqa/1 len=6"});
  append_to_corpus(path, {"xqa/1 len=6", "xqa/1 len=7"});
  CHECK(read_whole_file(path) ==
        "# xqacheck corpus: one case or run line a line\nxqa/1 len=5\nxqa/1 len=6\nxqa/1 len=7\n");
  write_file_atomically(path, "# mine\nxqa/1 len=1");  // without a line end
  append_to_corpus(path, {"xqa/1 len=2"});
  CHECK(read_whole_file(path) == "# mine\nxqa/1 len=1\nxqa/1 len=2\n");
  std::filesystem::remove(path);
}
