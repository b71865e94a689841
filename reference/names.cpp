#include "reference/names.hpp"

namespace xqacheck::reference {
namespace {

using Names = std::string_view[];

constexpr Names kDtypes = {"fp16", "bf16", "int8", "e4m3"};
constexpr Names kLayouts = {"nhd", "hnd", "pool"};
constexpr Names kTables = {"identity", "shuffled", "reversed", "prefix", "aliased", "far"};
constexpr Names kUnused = {"spare", "zero", "minus", "huge"};
constexpr Names kTails = {"random", "max", "zero", "nan"};
constexpr Names kMasks = {"none", "causal", "full", "random", "tree", "bits"};
constexpr Names kRopes = {"none", "neox", "gptj", "longrope"};
constexpr Names kSinks = {"none", "level", "log", "mix", "extreme"};
constexpr Names kData = {"normal", "uniform", "peaky",    "peaky5", "outlier", "massive",  "heavy",
                         "ties",   "onehot",  "constant", "ints",   "kzero",   "qzero",    "pow2",
                         "coded",  "grow",    "neginf",   "tiny",   "wide",    "denormal", "huge"};
constexpr Names kInjectValues = {"nan", "inf", "minf", "huge"};
constexpr Names kInjectTensors = {"q", "k", "v"};

constexpr Names kDataTexts = {
    "q, k and v from N(0, 1)",
    "q, k and v from U(-1, 1)",
    "normal, q ten times larger: score deviation about 10",
    "normal, q five times larger: score deviation about 5",
    "normal, three channels of k and one of v 20 times larger",
    "the first four tokens attract most of the attention and have tiny v (attention sinks)",
    "k and v from the third power of N(0, 1), clipped to 30",
    "keys drawn from five vectors: many scores are equal",
    "one key dominates every row",
    "v is 1 everywhere, all keys of a head are one vector",
    "sparse small integers: sums are exact in any format",
    "k = 0: uniform softmax, v from N(0, 1)",
    "q = 0: uniform softmax, k and v from N(0, 1)",
    "q = 0 and k = 0, v random signed powers of two from 1/8 to 8",
    "q = 0, v has a single 1 in the channel that codes the token",
    "every 16 tokens the row maximum rises",
    "channel 0 of k is -inf and of q positive: every score is -inf (16-bit caches)",
    "normal, q 1024 times smaller: scores near 0",
    "normal, every value times a random power of two",
    "v made of subnormal numbers of its format (int8: 1 and 2)",
    "normal, q 10000 times larger: scores of some ten thousands",
};
constexpr Names kTableTexts = {
    "blocks take pages 0, 1, 2, ... in order; unused pages last",
    "blocks take the pages of the pool in random order",
    "blocks take the pages of the pool in reversed order",
    "shuffled, and every request shares its first full pages with the longest request",
    "shuffled, and about three blocks share one page",
    "shuffled, with page ids at the far end of a huge pool: element offsets beyond 2^31",
};

static_assert(std::size(kDataTexts) == std::size(kData));
static_assert(std::size(kData) == static_cast<std::size_t>(DataKind::huge) + 1);
static_assert(std::size(kTableTexts) == std::size(kTables));
static_assert(std::size(kTables) == static_cast<std::size_t>(TableKind::far) + 1);
static_assert(std::size(kMasks) == static_cast<std::size_t>(MaskKind::bits) + 1);
static_assert(std::size(kRopes) == static_cast<std::size_t>(RopeStyle::longrope) + 1);
static_assert(std::size(kSinks) == static_cast<std::size_t>(SinkKind::extreme) + 1);

}  // namespace

std::span<const std::string_view> dtype_names() {
  return kDtypes;
}
std::span<const std::string_view> layout_names() {
  return kLayouts;
}
std::span<const std::string_view> table_names() {
  return kTables;
}
std::span<const std::string_view> unused_names() {
  return kUnused;
}
std::span<const std::string_view> tail_names() {
  return kTails;
}
std::span<const std::string_view> mask_names() {
  return kMasks;
}
std::span<const std::string_view> rope_names() {
  return kRopes;
}
std::span<const std::string_view> sink_names() {
  return kSinks;
}
std::span<const std::string_view> data_names() {
  return kData;
}
std::span<const std::string_view> inject_value_names() {
  return kInjectValues;
}
std::span<const std::string_view> inject_tensor_names() {
  return kInjectTensors;
}
std::span<const std::string_view> data_descriptions() {
  return kDataTexts;
}
std::span<const std::string_view> table_descriptions() {
  return kTableTexts;
}

std::string_view name_of(Dtype value) {
  return kDtypes[static_cast<std::size_t>(value)];
}
std::string_view name_of(Layout value) {
  return kLayouts[static_cast<std::size_t>(value)];
}
std::string_view name_of(TableKind value) {
  return kTables[static_cast<std::size_t>(value)];
}
std::string_view name_of(MaskKind value) {
  return kMasks[static_cast<std::size_t>(value)];
}
std::string_view name_of(RopeStyle value) {
  return kRopes[static_cast<std::size_t>(value)];
}
std::string_view name_of(DataKind value) {
  return kData[static_cast<std::size_t>(value)];
}

}  // namespace xqacheck::reference
