// fixtures/checksums.txt: the bytes of problems, frozen. Why the bytes are right is shown by the other tests (moments,
// second implementation, known answers); this one shows that no compiler, thread count or change of the code alters
// them unseen.
#include <omp.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "reference/case_line.hpp"
#include "reference/names.hpp"
#include "reference/problem_hash.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::reference;

namespace {

struct Entry {
  std::string hash, line;
};

std::vector<Entry> entries() {
  const char* root = std::getenv("XQACHECK_SOURCE_DIR");
  std::ifstream file(std::string(root == nullptr ? "." : root) + "/fixtures/checksums.txt");
  REQUIRE(file.good());
  std::vector<Entry> found;
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text[0] == '#') continue;
    const std::size_t blank = text.find(' ');
    found.push_back({text.substr(0, blank), text.substr(blank + 1)});
  }
  return found;
}

std::string hash_of(const std::string& line, int threads) {
  omp_set_num_threads(threads);
  return fmt::format("{:016x}", problem_hash(make_problem(parse_case(line))));
}

}  // namespace

TEST_CASE("bytes of problems are frozen, with one thread and with two", "[data]") {
  const auto all = entries();
  CHECK(all.size() >= 50);
  for (const Entry& entry : all) {
    INFO(entry.line);
    CHECK(hash_of(entry.line, 1) == entry.hash);
    CHECK(hash_of(entry.line, 2) == entry.hash);
  }
}

TEST_CASE("the frozen cases use every data kind, table kind, mask, RoPE style and sink kind", "[data]") {
  std::string lines;
  for (const Entry& entry : entries()) lines += entry.line + "\n";
  const auto need = [&](const char* key, std::span<const std::string_view> names, std::string_view standard) {
    for (std::string_view name : names) {
      if (name == standard || name == "none" || name == "level" || name == "bits") continue;
      INFO(key << "=" << name);
      // tree is written by its own key.
      CHECK(lines.find(name == "tree" ? "tree=" : fmt::format("{}={}", key, name)) != std::string::npos);
    }
  };
  need("data", data_names(), "normal");
  need("table", table_names(), "shuffled");
  need("mask", mask_names(), "causal");
  need("rope", rope_names(), "none");
  need("sinks", sink_names(), "none");
  need("tail", tail_names(), "random");
  need("unused", unused_names(), "spare");
}

TEST_CASE("the hash sees every tensor and the shape", "[data]") {
  const Case c = parse_case("xqa/1 len=40,3 draft=2,3 mask=random rope=neox bias=1 kv=e4m3 sinks=1");
  const std::uint64_t before = problem_hash(make_problem(c));
  for (int i = 0; i < static_cast<int>(TensorId::count); ++i) {
    Problem changed = make_problem(c);
    if (changed.tensors[i].empty()) continue;
    INFO(name_of(static_cast<TensorId>(i)));
    changed.tensors[i].data()[changed.tensors[i].size() - 1] ^= std::byte{1};
    CHECK(problem_hash(changed) != before);
  }
  Problem changed = make_problem(c);
  changed.description.window = 7;
  CHECK(problem_hash(changed) != before);
}

// Prints the file anew: test_reference_data "[.update]". For use after a deliberate change of the data format only.
TEST_CASE("print checksums", "[.][.update]") {
  for (const Entry& entry : entries()) std::cout << hash_of(entry.line, 1) << " " << entry.line << "\n";
}
