#include "tests/properties/budget/planted.hpp"

#include <cmath>
#include <cstring>

#include "emulation/kernels/emulate.hpp"
#include "emulation/kernels/emulated_kernels.h"
#include "emulation/kernels/partial.hpp"
#include "properties/output.hpp"
#include "reference/formats.hpp"
#include "reference/gather.hpp"

namespace xqacheck::tests {
namespace {

using namespace properties;
using emulation::Recipe;

class PlantedRunner : public Runner {
 public:
  PlantedRunner(Planted planted, bool with_recipe)
      : planted_(std::move(planted)), description_(*xqacheck_emu_qgmma_kernel()->describe()) {
    description_.name = "planted";
    if (!with_recipe) description_.recipe = nullptr;
  }
  Outcome run(const reference::Problem& problem, const RunOptions& options) override {
    Outcome outcome;
    outcome.out.resize(problem.out_bytes());
    xqacheck_problem view = problem.view(outcome.out.data(), nullptr);
    view.forced_splits = options.plan;
    planted_(problem, view);
    outcome.status = RunStatus::ok;
    outcome.route = {"planted", "1", "host", emulation::split_plan(emulation::gmma_recipe(), view)};
    return outcome;
  }
  const xqacheck_description& description() override { return description_; }

 private:
  Planted planted_;
  xqacheck_description description_;
};

const Recipe& right() {
  static const Recipe recipe = emulation::gmma_recipe();
  return recipe;
}

void scale(xqacheck_scale& scale, float factor) { scale = {scale.value * factor, 0, nullptr}; }

std::uint16_t rounded(const xqacheck_problem& view, double value) {
  return reference::encode(view.out.dtype == XQACHECK_FP16 ? reference::Dtype::fp16 : reference::Dtype::bf16, value);
}

double round16(const xqacheck_problem& view, double value) {
  const auto type = view.out.dtype == XQACHECK_FP16 ? reference::Dtype::fp16 : reference::Dtype::bf16;
  return reference::decode(type, reference::encode(type, value));
}

}  // namespace

Runners planted_runners(const Planted& planted, bool with_recipe) {
  Runners runners;
  for (int i = 0; i < 2; ++i) runners.push_back(std::make_unique<PlantedRunner>(planted, with_recipe));
  return runners;
}

Runners runners_of(const Recipe& recipe) {
  const Planted planted = [recipe](const reference::Problem&, const xqacheck_problem& v) { emulation::emulate(recipe, v); };
  return planted_runners(planted);
}

Planted of_recipe(const std::string& parameters) {
  return [recipe = emulation::with_parameters(right(), parameters)](const reference::Problem&, const xqacheck_problem& v) {
    emulation::emulate(recipe, v);
  };
}

Planted with_score_scale(float factor) {
  return [factor](const reference::Problem&, xqacheck_problem v) {
    scale(v.q_scale, factor);
    emulation::emulate(right(), v);
  };
}

Planted with_output_scale(float factor) {
  return [factor](const reference::Problem&, const xqacheck_problem& v) {
    Recipe recipe = right();
    recipe.p_unscale /= factor;
    emulation::emulate(recipe, v);
  };
}

// Later tokens move up by one place, as in a kernel that skips a slot of a page.
Planted without_token(std::uint32_t token) {
  return [token](const reference::Problem& problem, const xqacheck_problem& view) {
    reference::Problem shorter = problem.clone();
    const reference::KvView where(view);
    auto* const lens = reinterpret_cast<std::uint32_t*>(shorter.tensor(reference::TensorId::seq_lens).data());
    const std::size_t bytes = reference::bytes_of(problem.source.kv) * view.head_dim;
    for (std::uint32_t request = 0; request < view.requests; ++request) {
      for (std::uint32_t t = token; t + 1 < lens[request]; ++t) {
        for (std::uint32_t head = 0; head < view.kv_heads; ++head) {
          std::memcpy(shorter.tensor(reference::TensorId::k).data() + where.k_row(request, 0, t, head),
                      problem.tensor(reference::TensorId::k).data() + where.k_row(request, 0, t + 1, head), bytes);
          std::memcpy(shorter.tensor(reference::TensorId::v).data() + where.v_row(request, 0, t, head),
                      problem.tensor(reference::TensorId::v).data() + where.v_row(request, 0, t + 1, head), bytes);
        }
      }
      --lens[request];
    }
    xqacheck_problem v = shorter.view(view.out.data, nullptr);
    v.forced_splits = view.forced_splits;
    emulation::emulate(right(), v);
  };
}

Planted with_merge_in_16_bit() {
  return [](const reference::Problem&, const xqacheck_problem& view) {
    const emulation::Call call(view);
    const emulation::ScratchLayout layout = emulation::scratch_layout(right(), view);
    std::vector<std::byte> scratch(layout.bytes);
    std::vector<std::uint32_t> semaphores(emulation::semaphore_count(right(), view));
    emulation::emulate(right(), view, scratch.data(), semaphores.data());
    const emulation::ScratchPartials partials(layout, call, scratch.data());
    for (const emulation::Block& block : emulation::make_blocks(right(), call)) {
      for (std::uint32_t r = 0; block.splits > 1 && r < block.rows.size(); ++r) {
        std::vector<emulation::PartialRow<float>> parts(block.splits);
        float top = parts[0].max = -HUGE_VALF;
        for (std::uint32_t n = 0; n < block.splits; ++n) {
          partials.load(block.slot, n, r, parts[n]);
          top = std::max(top, parts[n].max);
        }
        double total = 0;
        std::vector<double> sums(call.dim);
        for (const auto& part : parts) {
          const double weight = part.sum * std::exp(double{part.max} - double{top});
          total = round16(view, total + weight);
          for (std::uint32_t d = 0; d < call.dim; ++d) sums[d] = round16(view, sums[d] + part.tile[d] * weight);
        }
        for (std::uint32_t d = 0; d < call.dim; ++d) {
          const std::uint16_t bits = rounded(view, sums[d] / total);
          std::memcpy(static_cast<std::byte*>(view.out.data) + out_offset(view, block.rows[r].q_row, block.rows[r].q_head, d),
                      &bits, sizeof bits);
        }
      }
    }
  };
}

}  // namespace xqacheck::tests
