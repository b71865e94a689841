#include "properties/profile.hpp"

namespace xqacheck::properties {
namespace {

using namespace reference;

}  // namespace

Profile full_profile() {
  Profile p;
  for (const Dtype q : {Dtype::bf16, Dtype::fp16}) {
    for (const Dtype kv : {q, Dtype::int8, Dtype::e4m3}) p.formats.push_back({q, kv, q});
    p.formats.push_back({q, Dtype::e4m3, Dtype::e4m3});
  }
  for (std::uint32_t dim = 16; dim <= 256; dim += 16) p.dims.push_back(dim);
  p.groups = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 32};  // odd groups and one past each tile of 8 and 16 rows
  p.pages = {0, 8, 16, 32, 64, 128};
  p.layouts = {Layout::nhd, Layout::hnd, Layout::pool};
  p.tables = {TableKind::identity, TableKind::shuffled, TableKind::shuffled, TableKind::reversed,
              TableKind::prefix,   TableKind::aliased};  // `far` makes pools of many GiB: the edges property does that
  p.masks = {MaskKind::none, MaskKind::none,   MaskKind::none, MaskKind::none, MaskKind::causal,
             MaskKind::full, MaskKind::random, MaskKind::tree, MaskKind::bits};
  p.sinks = {SinkKind::none, SinkKind::none, SinkKind::none,   SinkKind::level,
             SinkKind::log,  SinkKind::mix,  SinkKind::extreme};
  p.ropes = {RopeStyle::none, RopeStyle::none, RopeStyle::none, RopeStyle::none,
             RopeStyle::none, RopeStyle::neox, RopeStyle::gptj, RopeStyle::longrope};
  p.data = {DataKind::normal,  DataKind::uniform, DataKind::peaky, DataKind::peaky5,   DataKind::outlier,
            DataKind::massive, DataKind::heavy,   DataKind::ties,  DataKind::onehot,   DataKind::constant,
            DataKind::ints,    DataKind::kzero,   DataKind::qzero, DataKind::pow2,     DataKind::coded,
            DataKind::grow,    DataKind::tiny,    DataKind::wide,  DataKind::denormal, DataKind::huge,
            DataKind::neginf};
  p.mla = p.zero_length = p.padding = p.scales = p.scales_apart = p.window = p.ragged_draft = true;
  p.beam = p.skip = p.bias = p.lse = p.poisoned_tail = p.nan_inputs = true;
  return p;
}

}  // namespace xqacheck::properties
