// Do the recordings bite? Every recipe with one wrong step must differ somewhere, except where it is known that none can.
#include "emulation/recording/swaps.hpp"

#include <fmt/core.h>

#include <set>

#include "tests/catch.hpp"
#include "tests/emulation/recording/recorded_files.hpp"

using namespace xqacheck;
using namespace xqacheck::emulation;

namespace {

// How many of the 98 runs that were recorded notice each error, by family (hmma, qgmma, hgmma): counted with a model of the
// kernels that was written by other people than this one, before this one.
struct Known {
  const char* error;
  std::uint32_t noticed[kRecordedFamilies];
};
constexpr Known kKnown[] = {
    {"hint updated for every tile", {3, 0, 0}},
    {"hint never used", {17, 0, 0}},
    {"row sum of unrounded P", {43, 0, 0}},
    {"P rescaled in f32, then rounded", {20, 0, 0}},
    {"empty rows ignored in skip-all", {0, 0, 0}},
    {"group tiles added in f32", {41, 0, 0}},
    {"masked score -1e5 instead of -FLT_MAX", {0, 0, 0}},
    {"ex2((s-m)*log2e) instead of the fma form", {11, 13, 6}},
    {"16-bit matrix unit keeps 24 instead of 25 bits", {9, 0, 9}},
    {"e4m3 wgmma with a full f32 accumulator", {0, 32, 0}},
    {"row sum in plain token order", {0, 14, 6}},
    {"row sum of rounded x", {0, 29, 13}},
    {"rcp.rn instead of rcp.approx in the merge", {0, 2, 1}},
    {"merge with the global maximum", {0, 4, 3}},
    {"correctly rounded ex2", {8, 4, 5}},
    {"sinks ignored", {15, 10, 5}},
    {"window one token too long", {7, 5, 1}},
    {"low precision, one split (wgmma): rounded once", {0, 2, 0}},
    {"q_scale * (kv_scale * 1/sqrt(D))", {2, 5, 0}},
    {"rsqrt.approx for 1/sqrt(D)", {10, 10, 5}},
    {"draft mask replaced by causal", {6, 8, 0}},
    {"division and output scale applied separately", {5, 8, 3}},
    {"rcp.approx instead of rcp.rn in a split", {2, 0, 0}},
    {"contiguous instead of strided splits", {3, 19, 12}},
    {"no factor 448 on x (1/448 kept)", {0, 32, 15}},
    {"group 0's factors used for all groups", {41, 0, 0}},
    {"e4m3 wgmma in groups of 16 products", {0, 31, 0}},
    {"16-bit matrix unit in groups of 8 products", {11, 0, 9}},
    {"mul + add instead of fma in the group exchange", {1, 0, 0}},
    {"low precision, several splits (wgmma): rounded twice", {0, 5, 0}},
    {"row-sum trees of keys and queries on the M side exchanged", {0, 10, 5}},
    {"sink index by true head in draft cases", {1, 2, 0}},
    {"draft window taken from the last row for all rows", {1, 0, 0}},
};
constexpr std::size_t kAllRecordings = 98;

std::vector<Recording> read_each_once(const std::vector<std::string>& paths) {
  std::vector<Recording> recordings;
  std::set<std::string> names;
  for (const std::string& path : paths) {
    Recording recording = read_recording(path);
    if (names.insert(recording.name).second) recordings.push_back(std::move(recording));
  }
  return recordings;
}

}  // namespace

TEST_CASE("wrong recipes are told from right ones", "[swaps]") {
  const std::vector<Recording> recordings = read_each_once(tests::all_recordings());
  const bool complete = recordings.size() == kAllRecordings;
  for (const SwapResult& result : try_swaps(recordings)) {
    const Known* known = nullptr;
    for (const Known& entry : kKnown) {
      if (std::string(entry.error) == result.swap->error) known = &entry;
    }
    fmt::print("{:60} {:3}/{}/{} recordings, {} elements\n", result.swap->error, result.noticed[0], result.noticed[1],
               result.noticed[2], result.elements);
    INFO(result.swap->error);
    if (complete && known != nullptr) {
      for (std::size_t family = 0; family < kRecordedFamilies; ++family) CHECK(result.noticed[family] == known->noticed[family]);
    }
    // A step that no recording can see does not change a single bit; any other is seen.
    const bool unseen = known != nullptr && known->noticed[0] + known->noticed[1] + known->noticed[2] == 0;
    CHECK((result.elements == 0) == unseen);
  }
}
