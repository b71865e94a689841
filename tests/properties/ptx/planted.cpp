#include "tests/properties/ptx/planted.hpp"

#include <regex>
#include <stdexcept>

namespace xqacheck::tests {
namespace {

// Contiguous cache of exactly the request's tokens: the token behind the last one is behind the buffer.
constexpr const char* kContiguous = "xqa/1 heads=2/1 dim=64 len=40 page=0 seed=1";
// The table has an entry for each page and none behind.
constexpr const char* kPaged = "xqa/1 heads=2/1 dim=64 len=40 page=8 lse=1 seed=2";
// Two tiles of 128 tokens for one block, or one for each of two.
constexpr const char* kTwoTiles = "xqa/1 heads=1/1 dim=64 len=200 page=32 seed=3 @ plan=1";
constexpr const char* kSplit = "xqa/1 heads=2/1 dim=64 len=200 page=32 seed=4 @ plan=2";

// Elements of K and V are loaded where they are converted, in an inlined function.
constexpr const char* kLoadBf16 = "static __device__ float load(Bits x) { return __uint_as_float";

const std::vector<PlantedFault> kFaults = {
    {"reads one token past the end", Level::source, "token >= r.length) return false;",
     "token > r.length) return false;", 1, kContiguous, "out-of-bounds", "k", kLoadBf16},
    {"looks up the page behind the token's", Level::source, "[entry + token / p.page_tokens]",
     "[entry + token / p.page_tokens + 1]", 1, kPaged, "out-of-bounds", "page_table", "as<int>(p.page_table)["},
    {"writes the output over K", Level::source, "static_cast<Output::Bits*>(p.out.data)",
     "static_cast<Output::Bits*>(p.k.data)", 1, kContiguous, "write-to-read-only", "k",
     "out[channel] = Output::store("},
    {"writes one channel past a row", Level::source, "if (channel < MMHA_HEAD_DIM_V) out[channel]",
     "if (channel <= MMHA_HEAD_DIM_V) out[channel]", 1, kContiguous, "out-of-bounds", "out",
     "out[channel] = Output::store("},
    {"loads two elements of K at once", Level::source, "Cache::load(key[c])",
     "Cache::load(static_cast<Cache::Bits>(*reinterpret_cast<const unsigned*>(key + c)))", 1, kPaged, "misaligned", "k",
     "reinterpret_cast<const unsigned*>(key + c)"},
    {"no barrier behind the scores", Level::source,
     "cache_index(p, r, kv_head, token, true) : -1;\n  }\n  __syncthreads();",
     "cache_index(p, r, kv_head, token, true) : -1;\n  }", 1, kPaged, "race", "shared", "tile.score[i] = score"},
    {"no barrier before the next tile", Level::source, "running.output[j] = sum;\n  }\n  __syncthreads();",
     "running.output[j] = sum;\n  }", 1, kTwoTiles, "race", "shared", "tile.score[i] = score"},
    {"a barrier that one lane of a warp reaches", Level::source,
     "if (lane == 0) tile.partial[0][warp] = highest;\n  __syncthreads();",
     "if (lane == 0) {\n    tile.partial[0][warp] = highest;\n    __syncthreads();\n  }", 1, kPaged, "barrier-misuse",
     "", "__syncthreads();"},
    {"the sum of a warp is not stored", Level::source, "if (lane == 0) tile.partial[1][warp] = total;",
     "if (lane == 0 && warp != 3) tile.partial[1][warp] = total;", 1, kPaged, "uninitialised", "shared",
     "__fadd_rn(sums[2], sums[3])"},
    {"the sum of a sub-sequence is not stored", Level::source,
     "partial[0] = running.maximum, partial[1] = running.sum;", "partial[0] = running.maximum;", 1, kSplit,
     "uninitialised", "scratch", "__ldcg(partial + 1)"},
    {"no fence before the count", Level::source, "__threadfence();  // the partials of this block",
     "// the partials of this block", 1, kSplit, "race", "scratch", "__ldcg("},
    {"no fence behind the count", Level::source, "__threadfence();  // and the others' partials",
     "// and the others' partials", 1, kSplit, "race", "scratch", "__ldcg("},
    {"counts before all have stored", Level::source, "__shared__ bool last;\n  __syncthreads();",
     "__shared__ bool last;", 1, kSplit, "race", "scratch", "partial[2 + channel] = running.output[j]"},
    {"merges one sub-sequence too many", Level::source,
     "for (unsigned s = 0; s < splits; ++s) running.maximum = max_or_nan(",
     "for (unsigned s = 0; s <= splits; ++s) running.maximum = max_or_nan(", 1, kSplit, "out-of-bounds", "scratch",
     "running.maximum = max_or_nan(running.maximum, __ldcg("},
    {"does not wait for the kernel before", Level::source, "asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");", "",
     1, kPaged, "race", "v", kLoadBf16, true},

    {"PTX: no barrier behind the query", Level::ptx, R"(bar\.sync\s+0;)", "", 1, kPaged, "race", "shared",
     "tile.query[c]"},
    {"PTX: no fence before the count", Level::ptx, R"(membar\.gl;)", "", 1, kSplit, "race", "scratch", "__ldcg("},
    {"PTX: no barrier before the count", Level::ptx, R"(bar\.sync\s+0;)", "", 6, kSplit, "race", "scratch", "partial"},
    {"PTX: the output one element too far", Level::ptx, R"(st\.global\.u16\s+\[(%rd\d+)\])", "st.global.u16 [$1+2]", 1,
     kContiguous, "out-of-bounds", "out", "out[channel] = Output::store("},
    {"PTX: the output half an element too far", Level::ptx, R"(st\.global\.u16\s+\[(%rd\d+)\])", "st.global.u16 [$1+1]",
     1, kContiguous, "misaligned", "out", "out[channel] = Output::store("},
    {"PTX: does not wait for the kernel before", Level::ptx, R"(griddepcontrol\.wait;)", "", 1, kPaged, "race", "v",
     kLoadBf16, true},
};

// fp32 LSE shows what rounding to a 16-bit output would hide: that of one token is its score, that of many heads has
// the sum of the weights in it.
constexpr const char* kOneToken = "xqa/1 heads=8/2 dim=64 len=1 page=32 lse=1 data=normal seed=5";
constexpr const char* kManyHeads = "xqa/1 heads=32/2 dim=64 len=200 page=32 lse=1 data=normal seed=6 @ plan=1";

const std::vector<PlantedFault> kRoundings = {
    {"adds the sums of the warps one by one", Level::source,
     "__fadd_rn(__fadd_rn(sums[0], sums[1]), __fadd_rn(sums[2], sums[3]))",
     "__fadd_rn(__fadd_rn(__fadd_rn(sums[0], sums[1]), sums[2]), sums[3])", 1, kManyHeads, "", "", ""},
    {"adds the lanes in another order", Level::source, "step = 16; step > 0; step /= 2) x = __fadd_rn",
     "step = 1; step < 32; step *= 2) x = __fadd_rn", 1, kOneToken, "", "", ""},
    {"PTX: log2(e) one unit in the last place too large", Level::ptx, "0f3FB8AA3B", "0f3FB8AA3C", 0, kManyHeads, "", "",
     ""},
};

std::string replace_once(const std::string& text, const PlantedFault& fault) {
  const std::size_t at = text.find(fault.find);
  if (at == std::string::npos || text.find(fault.find, at + 1) != std::string::npos)
    throw std::runtime_error(std::string(fault.name) + ": not exactly once in the source: " + fault.find);
  return text.substr(0, at) + fault.wrong + text.substr(at + fault.find.size());
}

std::string replace_match(const std::string& text, const PlantedFault& fault) {
  const std::regex pattern(fault.find);
  if (fault.nth == 0 && std::regex_search(text, pattern)) return std::regex_replace(text, pattern, fault.wrong);
  int number = 0;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), pattern); match != std::sregex_iterator(); ++match) {
    if (++number != fault.nth) continue;
    const auto begin = static_cast<std::size_t>(match->position()), length = static_cast<std::size_t>(match->length());
    return text.substr(0, begin) + match->format(fault.wrong) + text.substr(begin + length);
  }
  throw std::runtime_error(std::string(fault.name) + ": not in the PTX: " + fault.find);
}

}  // namespace

std::vector<PlantedFault> planted_faults() {
  return kFaults;
}

std::vector<PlantedFault> planted_roundings() {
  return kRoundings;
}

std::string plant(const std::string& text, const PlantedFault& fault) {
  return fault.level == Level::source ? replace_once(text, fault) : replace_match(text, fault);
}

}  // namespace xqacheck::tests
