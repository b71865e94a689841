#include "properties/failure_file.hpp"

#include "properties/corpus.hpp"
#include "properties/errors.hpp"
#include "reference/case_line.hpp"
#include "tests/approved.hpp"
#include "tests/catch.hpp"
#include "tests/properties/sample_verdicts.hpp"

using namespace xqacheck::properties;
using namespace xqacheck::tests;

namespace {

const std::string kFound = "xqa/1 heads=8/4 len=650 seed=7 @ kernel=flash32 prop=golden tool=0.1";

std::string sample_text() {
  return text_of(saved_failure(failed_sample(), kFound, 0xfedcba9876543210));
}

std::string message_of(const std::string& text) {
  try {
    parse_failure(text, "f.txt");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a saved failure is as approved") {
  CHECK_APPROVED("tests/properties/approved/failure.txt", sample_text());
}

TEST_CASE("a saved failure is read back, and is a corpus too") {
  const SavedFailure saved = parse_failure(sample_text(), "f.txt");
  CHECK(saved.status == "FAILED");
  CHECK(saved.kind == "value");
  CHECK(saved.found == kFound);
  CHECK(saved.problem_hash == 0xfedcba9876543210);
  CHECK(saved.out_hash == 0x0123456789abcdef);
  CHECK(saved.run == xqacheck::reference::parse_run_line(failed_sample().run_line));
  REQUIRE(parse_corpus(sample_text(), "f.txt").size() == 1);
}

TEST_CASE("stale, foreign and malformed files are refused") {
  struct Refused {
    std::string from, to, message;
  };
  const Refused all[] = {
      {"# tool: 0.1.0", "# tool: 0.2.0", "f.txt: stale: saved by xqacheck 0.2.0, this is 0.1.0"},
      {"# abi: 1", "# abi: 2", "f.txt: stale: saved with kernel interface 2, this tool speaks 1"},
      {"xqacheck failure 1", "xqacheck failure 2", "f.txt: begins with '# xqacheck failure 2'"},
      {"# status: FAILED", "# status: BROKEN", "f.txt: status 'BROKEN': no such status"},
      {"# status: FAILED\n", "", "f.txt: the line '# status: …' is missing"},
      {"# tool: 0.1.0\n", "", "f.txt: the line '# tool: …' is missing"},
      {"fedcba9876543210", "fedc", "f.txt: problem-xxh64 'fedc': needs 16 hexadecimal digits"},
      {"fedcba9876543210", "fedcba987654321x", "f.txt: problem-xxh64 'fedcba987654321x': needs 16"},
      {"xqa/1 heads=4/2", "xqa/1 heads=4/3", "f.txt:11: heads=4/3"},
      {"prop=golden tool=0.1\n", "prop=golden tool=0.1\nxqa/1 len=4\n", "f.txt: holds 2 run lines, needs exactly one"},
  };
  for (const Refused& each : all) {
    INFO(each.from << " -> " << each.to);
    std::string text = sample_text();
    // The found line looks like the run line: change the last one.
    const std::size_t at = text.rfind(each.from);
    REQUIRE(at != std::string::npos);
    text.replace(at, each.from.size(), each.to);
    CHECK_THAT(message_of(text), Catch::Matchers::StartsWith(each.message));
  }
}

TEST_CASE("other tensors than those that were saved are refused") {
  const SavedFailure saved = parse_failure(sample_text(), "f.txt");
  CHECK_NOTHROW(refuse_other_data(saved, saved.problem_hash, "f.txt"));
  CHECK_THROWS_WITH(
      refuse_other_data(saved, 1, "f.txt"),
      Catch::Matchers::StartsWith("f.txt: stale: the tensors of this case have xxh64 0000000000000001 now"));
}

TEST_CASE("the hash of a problem tells any byte of any tensor") {
  using namespace xqacheck::reference;
  const Case c = parse_case("xqa/1 heads=2/1 dim=16 len=5 page=8 sinks=1");
  Problem problem = make_problem(c);
  const std::uint64_t hash = hash_of(problem);
  CHECK(hash == hash_of(make_problem(c)));
  for (HostBuffer& tensor : problem.tensors) {
    if (tensor.size() == 0) continue;
    tensor.data()[tensor.size() - 1] ^= std::byte{1};
    CHECK(hash_of(problem) != hash);
    tensor.data()[tensor.size() - 1] ^= std::byte{1};
  }
  CHECK(hash_of(problem) == hash);
}

TEST_CASE("file names tell failures apart and hold no path") {
  SavedFailure saved = parse_failure(sample_text(), "f.txt");
  const std::string name = file_name_of(saved);
  CHECK_THAT(name, Catch::Matchers::StartsWith("flash32-golden-"));
  saved.run.subject.seed = 8;
  CHECK(file_name_of(saved) != name);
  saved.run.kernel = "../../odd dir/my kernel.so:a";
  CHECK_THAT(file_name_of(saved), Catch::Matchers::StartsWith("my_kernel.so_a-golden-"));
}
