#include "properties/isolation/in_process_runner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "properties/errors.hpp"
#include "properties/isolation/cache_check.hpp"
#include "properties/isolation/case_layout.hpp"
#include "properties/isolation/collect.hpp"
#include "properties/isolation/launch.hpp"
#include "properties/isolation/workspace_check.hpp"

namespace xqacheck::properties {
namespace {

using namespace isolation;

// As for workers: a host kernel that asks for more has miscounted.
constexpr std::uint64_t kLargestWorkspace = std::uint64_t{8} << 30;

// One buffer with canaries around it, laid out as in a slot; keeps its memory from run to run.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::uint32_t slot) : slot_(slot) {}

  std::byte* prepare(std::uint64_t bytes, std::uint64_t align, std::uint64_t seed) {
    plan_ = plan_slot(bytes, align, Placement::plain, Access::write);
    if (plan_.map_end > capacity_) {
      // The slot's start must have the strictest alignment that was asked for.
      const std::uint64_t alignment = std::max<std::uint64_t>(kPage, align);
      memory_.reset(static_cast<std::byte*>(
          std::aligned_alloc(alignment, (plan_.map_end + alignment - 1) / alignment * alignment)));
      if (!memory_) throw std::bad_alloc();
      capacity_ = plan_.map_end;
    }
    fill_around(canary_pattern(seed, slot_), plan_, memory_.get());
    return memory_.get() + plan_.data;
  }
  void check(std::uint64_t seed, std::vector<Damage>& damage) const {
    find_damage_around(plan_, memory_.get(), canary_pattern(seed, slot_), slot_name(slot_), damage);
  }
  std::vector<std::byte> contents() const { return {data(), data() + plan_.bytes}; }
  std::byte* data() const { return memory_.get() + plan_.data; }
  const SlotPlan& plan() const { return plan_; }
  std::uint32_t slot() const { return slot_; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::uint32_t slot_;
  std::unique_ptr<std::byte[], Free> memory_;
  std::uint64_t capacity_ = 0;
  SlotPlan plan_;
};

class HeapWorkspaces final : public Workspaces {
 public:
  void begin(const RunOptions& options) {
    options_ = options;
    provided_ = false;
  }
  std::string provide(const xqacheck_workspace& sizes, void** scratch, void** state) override {
    if (std::string fault = workspace_fault(sizes, kLargestWorkspace); !fault.empty()) return fault;
    *scratch = scratch_.prepare(sizes.scratch_bytes, sizes.scratch_align, options_.fill_seed);
    *state = state_.prepare(sizes.state_bytes, sizes.state_align, options_.fill_seed);
    if (!options_.keep_scratch)
      write_pattern({options_.scratch, XQACHECK_NONE, options_.fill_seed, kScratchSlot}, scratch_.plan().data,
                    scratch_.data(), sizes.scratch_bytes);
    std::memset(state_.data(), 0, sizes.state_bytes);
    provided_ = true;
    return "";
  }
  std::int64_t nonzero_state() override {
    const auto mismatch =
        find_mismatch({Fill::zero, XQACHECK_NONE, 0, kStateSlot}, 0, state_.data(), state_.plan().bytes);
    return mismatch ? static_cast<std::int64_t>(mismatch->first) : -1;
  }
  void freeze() override {}
  void check(std::vector<Damage>& damage) const {
    if (!provided_) return;
    scratch_.check(options_.fill_seed, damage);
    state_.check(options_.fill_seed, damage);
  }

 private:
  RunOptions options_;
  GuardedBuffer scratch_{kScratchSlot}, state_{kStateSlot};
  bool provided_ = false;
};

}  // namespace

class InProcessRunner::Body {
 public:
  explicit Body(const xqacheck_kernel& kernel) : kernel_(kernel) {
    if (description().memory != XQACHECK_HOST)
      throw EnvironmentError(fmt::format("{} does not run on host memory; use a worker process", description().name));
  }

  const xqacheck_description& description() const { return *kernel_.describe(); }

  Outcome run(const reference::Problem& problem, const RunOptions& options) {
    std::byte* out_data = out_.prepare(problem.out_bytes(), kAnyAlign, options.fill_seed);
    std::byte* lse_data = lse_.prepare(problem.lse_bytes(), kAnyAlign, options.fill_seed);
    xqacheck_problem view = problem.view(out_data, lse_data);
    write_pattern(output_pattern(options, out_.slot(), view.out.dtype), out_.plan().data, out_data, out_.plan().bytes);
    write_pattern(output_pattern(options, lse_.slot(), view.lse.dtype), lse_.plan().data, lse_data, lse_.plan().bytes);
    if (options.plan != 0) view.forced_splits = options.plan;
    reference::HostBuffer k, v;
    if (view.rope_kind != XQACHECK_ROPE_NONE) own_cache(problem, view, k, v);

    workspaces_.begin(options);
    std::vector<char> why(kWhyBytes);
    const LaunchResult result =
        launch_steps(kernel_, view, std::max(options.runs, 1u), workspaces_, why.data(), progress_, {});
    Outcome outcome;
    outcome.status = result.status;
    outcome.why = result.why;
    outcome.seconds = result.seconds;
    outcome.state_left_zero = result.nonzero_state < 0;
    outcome.route = {description().name, description().version ? description().version : "", "host", result.splits,
                     result.compiled};
    if (result.status == RunStatus::ok) collect_results(problem, options, view, outcome);
    return outcome;
  }

 private:
  // Alignment of every buffer here: at least as strict as any problem's promise.
  static constexpr std::uint64_t kAnyAlign = 256;

  // The kernel appends to the cache, the problem is immutable: it gets copies.
  static void own_cache(const reference::Problem& problem, xqacheck_problem& view, reference::HostBuffer& k,
                        reference::HostBuffer& v) {
    const auto move = [&](xqacheck_tensor& tensor) {
      const auto* data = static_cast<const std::byte*>(tensor.data);
      const reference::HostBuffer& own_k = problem.tensor(reference::TensorId::k);
      const reference::HostBuffer& own_v = problem.tensor(reference::TensorId::v);
      const bool in_k = data >= own_k.data() && data < own_k.data() + own_k.size();
      const reference::HostBuffer& from = in_k ? own_k : own_v;
      reference::HostBuffer& to = in_k ? k : v;
      if (to.size() == 0) to = from.clone();
      tensor.data = to.data() + (data - from.data());
    };
    move(view.k);
    move(view.v);
  }

  void collect_results(const reference::Problem& problem, const RunOptions& options, const xqacheck_problem& view,
                       Outcome& outcome) {
    outcome.out = out_.contents();
    outcome.lse = lse_.contents();
    out_.check(options.fill_seed, outcome.damage);
    lse_.check(options.fill_seed, outcome.damage);
    workspaces_.check(outcome.damage);
    if (!outcome.out.empty())
      find_damaged_gaps(view, outcome.out.data(), outcome.out.size(),
                        output_pattern(options, out_.slot(), view.out.dtype), out_.plan().data, outcome.damage);
    check_cache(problem, static_cast<const std::byte*>(view.k.data), static_cast<const std::byte*>(view.v.data),
                outcome);
  }

  const xqacheck_kernel& kernel_;
  GuardedBuffer out_{slot_of(reference::TensorId::out)}, lse_{slot_of(reference::TensorId::lse)};
  HeapWorkspaces workspaces_;
  ControlPage progress_;
};

InProcessRunner::InProcessRunner(const xqacheck_kernel& kernel) : body_(std::make_unique<Body>(kernel)) {}
InProcessRunner::~InProcessRunner() = default;
Outcome InProcessRunner::run(const reference::Problem& problem, const RunOptions& options) {
  return body_->run(problem, options);
}
const xqacheck_description& InProcessRunner::description() {
  return body_->description();
}

}  // namespace xqacheck::properties
