#include "emulation/kernels/emulate.hpp"

#include <omp.h>

#include <algorithm>

#include "emulation/kernels/gmma.hpp"
#include "emulation/kernels/hardware_arithmetic.hpp"
#include "emulation/kernels/hmma.hpp"
#include "emulation/kernels/partial.hpp"

namespace xqacheck::emulation {

namespace {

// e4m3 output goes through 16 bit where the kernel has a finished 16-bit tile in its hands.
bool through_half(const Recipe& recipe, const Block& block) {
  if (recipe.family == Family::hmma) return true;
  if (block.splits > 1) return recipe.merged_e4m3_through_half;
  return recipe.e4m3_through_half && block.keys_on_m;
}

// Where the rows of a block end up: the output tensor, or an array of numbers.
template <class A>
class TensorOutput {
 public:
  TensorOutput(const A& a, const Call& call) : a_(a), call_(call) {}
  void store(const Row& row, const std::vector<float>& values, bool through_half) const {
    const std::int64_t offset = call_.out_offset(row.q_row, row.q_head);
    for (std::uint32_t d = 0; d < call_.dim; ++d) a_.store_out(offset + d, values[d], through_half);
  }

 private:
  const A& a_;
  const Call& call_;
};

class NumberOutput {
 public:
  NumberOutput(const MixedArithmetic& a, const Call& call, std::vector<double>& out) : a_(a), call_(call), out_(out) {}
  void store(const Row& row, const std::vector<double>& values, bool through_half) const {
    const std::size_t offset = (std::size_t{row.q_row} * call_.problem.q_heads + row.q_head) * call_.dim;
    for (std::uint32_t d = 0; d < call_.dim; ++d) out_[offset + d] = a_.out_value(values[d], through_half);
  }

 private:
  const MixedArithmetic& a_;
  const Call& call_;
  std::vector<double>& out_;
};

// atom.inc with the wrap that leaves a counter at zero for the next launch; true for the block that arrives last.
bool arrive(std::uint32_t& semaphore, std::uint32_t splits) {
  const std::uint32_t before = semaphore;
  semaphore = before >= splits - 1 ? 0 : before + 1;
  return before == splits - 1;
}

// Below this many products a second thread costs more than it brings.
constexpr double kProductsPerThread = 4e6;

int worth_of_threads(const Call& call, const std::vector<Block>& blocks, int threads) {
  double products = 0;
  for (const Block& block : blocks) products += 2.0 * static_cast<double>(block.seq_len) * block.rows.size() * call.dim;
  const int most = threads > 0 ? threads : omp_get_max_threads();
  return std::clamp(static_cast<int>(products / kProductsPerThread), 1, most);
}

template <template <class> class BlockKernel, class A, class Partials, class Output>
void launch(const Recipe& recipe, const Call& call, const A& a, Partials& partials, const Output& output,
            std::uint32_t* semaphores, int threads) {
  const std::vector<Block> blocks = make_blocks(recipe, call);
  struct Task { std::uint32_t block, split; };
  std::vector<Task> tasks;
  for (const Block& block : blocks) {
    for (std::uint32_t split = 0; split < block.splits; ++split) tasks.push_back({block.slot, split});
  }
  const int workers = worth_of_threads(call, blocks, threads);
  // Splits of all blocks in any order: each writes to places of its own.
#pragma omp parallel for schedule(dynamic) num_threads(workers)
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Block& block = blocks[tasks[i].block];
    BlockKernel<A> kernel(a, recipe, call, block);
    const bool last = block.splits == 1;
    const auto rows = kernel.run(tasks[i].split, last);
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      if (last) output.store(block.rows[r], rows[r].tile, through_half(recipe, block));
      else partials.store(block.slot, tasks[i].split, r, rows[r]);
    }
  }
#pragma omp parallel for schedule(dynamic) num_threads(workers)
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Block& block = blocks[b];
    if (block.splits == 1) continue;
    for (std::uint32_t split = 0; split < block.splits; ++split) {
      if (!arrive(semaphores[block.slot], block.splits)) continue;
      const BlockKernel<A> kernel(a, recipe, call, block);
      std::vector<PartialRow<typename A::Real>> rows(block.splits);
      for (std::uint32_t r = 0; r < block.rows.size(); ++r) {
        for (std::uint32_t n = 0; n < block.splits; ++n) partials.load(block.slot, n, r, rows[n]);
        output.store(block.rows[r], kernel.merge(block.rows[r], rows), through_half(recipe, block));
      }
    }
  }
}

}  // namespace

std::uint32_t semaphore_count(const Recipe& recipe, const xqacheck_problem& problem) {
  return problem.requests * problem.kv_heads * draft_blocks(recipe, Call(problem));
}

void check_recipe(const Recipe& recipe, const xqacheck_problem& problem) {
  const Call call(problem);
  instruction_of(recipe, e4m3_operands(recipe, call) ? arith::Format::e4m3 : call.half);
}

void emulate(const Recipe& recipe, const xqacheck_problem& problem, std::byte* scratch, std::uint32_t* semaphores,
             const EmulateOptions& options) {
  if (!recipe.roundings.all()) throw RecipeError("exact: a recipe with exact steps has no bits; use emulate_values()");
  const Call call(problem);
  if (recipe.p_operand == POperand::half && e4m3_operands(recipe, call)) {
    throw RecipeError("p_operand: no e4m3 matrix unit takes 16-bit P, so there are no bits; use emulate_values()");
  }
  const ScratchLayout layout = scratch_layout(recipe, problem);
  ScratchPartials partials(layout, call, scratch);
  if (e4m3_operands(recipe, call)) {
    const E4m3Arithmetic a(recipe, call);
    launch<GmmaBlock>(recipe, call, a, partials, TensorOutput(a, call), semaphores, options.threads);
    return;
  }
  const HalfArithmetic a(recipe, call);
  const TensorOutput output(a, call);
  if (recipe.family == Family::hmma) launch<HmmaBlock>(recipe, call, a, partials, output, semaphores, options.threads);
  else launch<GmmaBlock>(recipe, call, a, partials, output, semaphores, options.threads);
}

std::vector<std::uint32_t> emulate(const Recipe& recipe, const xqacheck_problem& problem, const EmulateOptions& options) {
  std::vector<std::uint32_t> semaphores(semaphore_count(recipe, problem));
  std::vector<std::byte> scratch(scratch_layout(recipe, problem).bytes);
  emulate(recipe, problem, scratch.data(), semaphores.data(), options);
  return semaphores;
}

std::vector<double> emulate_values(const Recipe& recipe, const xqacheck_problem& problem, const ExactInputs& exact,
                                   const EmulateOptions& options) {
  const Call call(problem);
  const MixedArithmetic a(recipe, call, exact);
  const ScratchLayout layout = scratch_layout(recipe, problem);
  ExactPartials partials(layout, call, nullptr);
  std::vector<double> out(std::size_t{problem.total_rows} * problem.q_heads * call.dim);
  std::vector<std::uint32_t> semaphores(semaphore_count(recipe, problem));
  const NumberOutput output(a, call, out);
  if (recipe.family == Family::hmma) launch<HmmaBlock>(recipe, call, a, partials, output, semaphores.data(), options.threads);
  else launch<GmmaBlock>(recipe, call, a, partials, output, semaphores.data(), options.threads);
  return out;
}

}  // namespace xqacheck::emulation
