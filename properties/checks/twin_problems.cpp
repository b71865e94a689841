#include "properties/checks/twin_problems.hpp"

#include <functional>

namespace xqacheck::properties {
namespace {

using reference::HostBuffer;
using reference::Problem;
using reference::TensorId;

void drop(Problem& p, TensorId id, xqacheck_tensor& field) {
  p.tensor(id) = HostBuffer();
  field = {};
}

void set_scale(Problem& p, TensorId id, xqacheck_scale& field, float value) {
  field.value = value;
  *p.tensor(id).as<float>() = value;
}

// Every draft sees every draft, or only the earlier ones and itself where that is what it was.
void change_mask(Problem& p, bool causal) {
  xqacheck_problem& d = p.description;
  HostBuffer& mask = p.tensor(TensorId::mask);
  const auto rows_of_mask = mask.size() / sizeof(std::uint32_t) / d.mask_words;
  const auto* offsets = d.ragged != 0 ? p.tensor(TensorId::row_offsets).as<std::uint32_t>() : nullptr;
  for (std::uint32_t b = 0; b < d.requests; ++b) {
    const std::size_t first = offsets ? offsets[b] : std::size_t{b} * d.max_rows;
    const std::size_t rows = offsets ? offsets[b + 1] - offsets[b] : d.max_rows;
    for (std::size_t i = 0; i < rows && first + i < rows_of_mask; ++i)
      for (std::uint32_t w = 0; w < d.mask_words; ++w) {
        std::uint32_t word = 0;
        for (std::uint32_t bit = 0; bit < 32; ++bit) {
          const std::size_t draft = std::size_t{w} * 32 + bit;
          if (draft < rows && (!causal || draft <= i)) word |= 1u << bit;
        }
        mask.as<std::uint32_t>()[(first + i) * d.mask_words + w] = word;
      }
  }
}

// Another beam's tokens, wherever a beam may choose.
void turn_beams(Problem& p) {
  const xqacheck_problem& d = p.description;
  auto* index = p.tensor(TensorId::beam_index).as<std::int32_t>();
  const auto* lens = p.tensor(TensorId::seq_lens).as<std::uint32_t>();
  const auto* context = p.tensor(TensorId::beam_context).as<std::uint32_t>();
  for (std::uint32_t b = 0; b < d.requests; ++b)
    for (std::uint32_t w = 0; w < d.beam_width; ++w)
      // The newest token is a beam's own: its entry stays.
      for (std::uint32_t t = context[b]; t + 1 < lens[b]; ++t) {
        std::int32_t& from = index[(std::size_t{b} * d.beam_width + w) * d.max_seq_len + t];
        from = (from + 1) % static_cast<std::int32_t>(d.beam_width);
      }
}

class Maker {
 public:
  explicit Maker(const Problem& from) : from_(from) {}

  void add(const char* argument, const char* what, const std::function<void(Problem&)>& change) {
    Twin twin{argument, what, from_.clone()};
    change(twin.problem);
    twins_.push_back(std::move(twin));
  }

  std::vector<Twin> all() {
    const xqacheck_problem& d = from_.description;
    if (d.sinks.dtype != XQACHECK_NONE)
      add("sinks", "without sinks", [](Problem& p) { drop(p, TensorId::sinks, p.description.sinks); });
    if (d.window != 0) add("window", "without window", [](Problem& p) { p.description.window = 0; });
    masks();
    scales();
    if (d.beam_width > 1) add("beam_index", "with the beams turned by one", turn_beams);
    if (d.rope_kind != XQACHECK_ROPE_NONE)
      add("rope_table", "with every rotation reversed", [](Problem& p) {
        // cos, sin, cos, sin …
        HostBuffer& table = p.tensor(TensorId::rope_table);
        for (std::size_t i = 1; i < table.size() / sizeof(float); i += 2) table.as<float>()[i] *= -1;
      });
    if (d.qkv_bias.dtype != XQACHECK_NONE)
      add("qkv_bias", "without bias", [](Problem& p) { drop(p, TensorId::qkv_bias, p.description.qkv_bias); });
    return std::move(twins_);
  }

 private:
  void masks() {
    const xqacheck_problem& d = from_.description;
    if (d.mask_kind == XQACHECK_MASK_TREE) {
      // The kind stays: a kernel that heeds the bits has the same code path.
      add("mask", "with a causal mask in place of the tree", [](Problem& p) { change_mask(p, true); });
      add("mask", "with all drafts visible", [](Problem& p) { change_mask(p, false); });
    }
    if (d.mask_kind == XQACHECK_MASK_CAUSAL)
      add("mask", "with all drafts visible", [](Problem& p) {
        xqacheck_problem& twin = p.description;
        change_mask(p, false);
        twin.mask_kind = XQACHECK_MASK_TREE;
        twin.depths.dtype = XQACHECK_UINT32;  // as in a chain: windows and positions stay what they were
        HostBuffer& depths = p.tensor(TensorId::depths) = HostBuffer(twin.total_rows * sizeof(std::uint32_t));
        const auto* offsets = twin.ragged != 0 ? p.tensor(TensorId::row_offsets).as<std::uint32_t>() : nullptr;
        for (std::uint32_t b = 0; b < twin.requests; ++b) {
          const std::uint32_t first = offsets ? offsets[b] : b * twin.max_rows,
                              end = offsets ? offsets[b + 1] : first + twin.max_rows;
          for (std::uint32_t row = first; row < end; ++row) depths.as<std::uint32_t>()[row] = row - first;
        }
      });
  }

  void scales() {
    const xqacheck_problem& d = from_.description;
    add("q_scale", "with q_scale halved",
        [](Problem& p) { set_scale(p, TensorId::q_scale, p.description.q_scale, p.description.q_scale.value / 2); });
    if (d.k.dtype == XQACHECK_INT8 || d.k.dtype == XQACHECK_E4M3) {
      const auto halve_k = [](Problem& p) {
        set_scale(p, TensorId::k_scale, p.description.k_scale, p.description.k_scale.value / 2);
      };
      const auto halve_v = [](Problem& p) {
        set_scale(p, TensorId::v_scale, p.description.v_scale, p.description.v_scale.value / 2);
      };
      add("k_scale", "with k_scale halved", halve_k);
      add("v_scale", "with v_scale halved", halve_v);
      add("kv scales", "with k_scale and v_scale halved", [=](Problem& p) { halve_k(p), halve_v(p); });
    }
    if (d.out.dtype == XQACHECK_E4M3)
      add("rcp_out_scale", "with rcp_out_scale halved", [](Problem& p) {
        set_scale(p, TensorId::rcp_out_scale, p.description.rcp_out_scale, p.description.rcp_out_scale.value / 2);
      });
  }

  const Problem& from_;
  std::vector<Twin> twins_;
};

}  // namespace

std::vector<Twin> twins_of(const Problem& problem) {
  return Maker(problem).all();
}

}  // namespace xqacheck::properties
