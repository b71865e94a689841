// The kernel table of `flash32`: declarations, life cycle and the loop over the work items of a GPU grid.
#include "kernels/flash32/flash32.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/flash32/attend.hpp"
#include "kernels/flash32/geometry.hpp"
#include "kernels/flash32/inputs.hpp"
#include "kernels/flash32/merge.hpp"
#include "kernels/flash32/plan.hpp"
#include "kernels/flash32/supports.hpp"

namespace xqacheck::kernels::flash32 {
namespace {

const xqacheck_description* describe() {
  static const xqacheck_description description = [] {
    xqacheck_description d{};
    d.name = "flash32";
    d.version = "1";
    d.memory = XQACHECK_HOST;
    d.deterministic = 1;
    d.rows_independent = 1;         // every row has its own maximum and its own sums
    d.split_invariant_company = 1;  // ranges of sub-sequences follow from the request's own length
    d.numerics.p_format = XQACHECK_FP32;
    d.numerics.p_scale = 1;
    d.numerics.accumulator_bits = 24;
    d.numerics.accumulator_truncates = 2;  // round to nearest
    d.numerics.accumulator_steps = 1;      // every product is added on its own
    d.numerics.partial_format = XQACHECK_FP32;
    d.numerics.tile_tokens = kTileTokens;
    d.numerics.exp_relative_error = 0x1p-23f;  // expf of the C library: below 1 ulp
    d.numerics.double_rounded_output = 2;      // fp32 straight to the output format
    // Domain: all zeros, the defaults of the golden model. fp32 sums may overflow where |v| * tokens exceeds fp32.
    return d;
  }();
  return &description;
}

struct Instance {
  std::uint32_t splits;
};

xqacheck_status admit(const xqacheck_problem* problem, char* why, size_t why_bytes) {
  return supports(*problem, why, why_bytes);
}

xqacheck_status prepare(const xqacheck_problem* problem, xqacheck_instance** instance, char* why, size_t why_bytes) {
  if (const xqacheck_status status = supports(*problem, why, why_bytes); status != XQACHECK_OK) return status;
  auto* made = static_cast<Instance*>(std::malloc(sizeof(Instance)));
  if (made == nullptr) return XQACHECK_ERROR;
  made->splits = plan_splits(*problem);
  *instance = reinterpret_cast<xqacheck_instance*>(made);
  return XQACHECK_OK;
}

xqacheck_status workspace(xqacheck_instance*, const xqacheck_problem* problem, xqacheck_workspace* sizes) {
  *sizes = {ScratchLayout(*problem).bytes(), state_bytes(*problem), alignof(float), alignof(std::uint32_t)};
  return XQACHECK_OK;
}

// One work item of the grid: a sub-sequence of a (sequence, KV head). Whichever arrives last merges, as on a GPU, and
// leaves the counter at zero for the next launch.
void run_item(const xqacheck_problem& p, const Sequence& s, std::uint32_t kv_head, std::uint32_t splits,
              std::uint32_t split, float* scratch, std::uint32_t* counters) {
  const ScratchLayout layout(p);
  const Tile tile{scratch + layout.partial_total, scratch + layout.partial_total + layout.query_floats};
  const std::uint64_t group = (std::uint64_t{s.request} * p.beam_width + s.beam) * p.kv_heads + kv_head;

  // Split i of n gets tiles [i * tiles / n, (i + 1) * tiles / n).
  const std::uint64_t all = tiles(s.length);
  const auto border = [&](std::uint64_t i) { return std::min<std::int64_t>(s.length, i * all / splits * kTileTokens); };
  load_queries(p, s, kv_head, tile.query);
  attend(p, s, kv_head, border(split), border(split + 1), tile, scratch + layout.partial(group, splits, split),
         layout.partial_floats);
  if (splits > 1 && ++counters[group] < splits) return;
  if (splits > 1) counters[group] = 0;
  merge(p, s, kv_head, splits, scratch + layout.partial(group, splits, 0), layout.group_rows, layout.partial_floats);
}

xqacheck_status run(xqacheck_instance* instance, const xqacheck_problem* problem, const xqacheck_launch* launch) {
  const xqacheck_problem& p = *problem;
  const std::uint32_t splits = reinterpret_cast<Instance*>(instance)->splits;
  for (std::uint32_t request = 0; request < p.requests; ++request)
    for (std::uint32_t beam = 0; beam < p.beam_width; ++beam)
      for (std::uint32_t kv_head = 0; kv_head < p.kv_heads; ++kv_head) {
        const Sequence sequence = sequence_at(p, request, beam);
        append_tokens(p, sequence, kv_head);
        for (std::uint32_t split = 0; split < splits; ++split)
          run_item(p, sequence, kv_head, splits, split, static_cast<float*>(launch->scratch),
                   static_cast<std::uint32_t*>(launch->state));
      }
  return XQACHECK_OK;
}

std::uint32_t split_plan(const xqacheck_problem* problem) {
  return plan_splits(*problem);
}

void destroy(xqacheck_instance* instance) {
  std::free(instance);
}

}  // namespace
}  // namespace xqacheck::kernels::flash32

extern "C" const xqacheck_kernel* xqacheck_flash32_kernel(void) {
  using namespace xqacheck::kernels::flash32;
  static const xqacheck_kernel kernel = {
      XQACHECK_ABI_VERSION, sizeof(xqacheck_kernel), describe, admit, prepare, workspace, run, split_plan, destroy};
  return &kernel;
}
