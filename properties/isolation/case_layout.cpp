#include "properties/isolation/case_layout.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "properties/errors.hpp"
#include "properties/isolation/tensor_fields.hpp"

namespace xqacheck::properties::isolation {
namespace {

using reference::TensorId;

// Any non-null address: the view is asked for with these and gets the worker's addresses afterwards.
void* const kPlaceholder = reinterpret_cast<void*>(kPage);

// What of one host tensor the problem uses: the union of the extents of all fields that point into it (K and V of a
// pool).
struct Extent {
  const std::byte* begin = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t align = 1;
  bool used = false;

  void include(const std::byte* data, std::uint64_t size, std::uint64_t alignment) {
    const std::byte* end = data + size;
    if (used) {
      end = std::max(end, begin + bytes);
      data = std::min(data, begin);
    }
    begin = data;
    bytes = static_cast<std::uint64_t>(end - data);
    align = std::max(align, alignment);
    used = true;
  }
};

std::uint32_t owner_of(const reference::Problem& problem, const void* data, std::uint64_t bytes, TensorId field) {
  const auto* begin = static_cast<const std::byte*>(data);
  for (std::uint32_t i = 0; i < kTensorSlots; ++i) {
    const reference::HostBuffer& buffer = problem.tensors[i];
    if (buffer.size() != 0 && begin >= buffer.data() && begin + bytes <= buffer.data() + buffer.size()) return i;
  }
  throw std::logic_error(fmt::format("the problem's {} ({} bytes) does not lie inside one of its tensors",
                                     reference::name_of(field), bytes));
}

class Layout {
 public:
  Layout(const reference::Problem& problem, const RunOptions& options, std::uint64_t base, Arena& arena)
      : problem_(problem),
        options_(options),
        base_(base),
        arena_(arena),
        view_(problem.view(kPlaceholder, kPlaceholder)) {}

  CaseLayout make() {
    if (options_.plan != 0) view_.forced_splits = options_.plan;
    find_extents();
    plan_inputs();
    plan_output(TensorId::out, view_.out, problem_.out_bytes());
    plan_output(TensorId::lse, view_.lse, problem_.lse_bytes());
    for (const TensorField& f : kTensorFields) place(view_.*f.field, f.id);
    for (const ScaleField& f : kScaleFields) place(view_.*f.field, f.id);
    layout_.k = place_of(view_.k.data);
    layout_.v = place_of(view_.v.data);
    finish_request();
    layout_.view = view_;
    return layout_;
  }

 private:
  void find_extents() {
    for (const TensorField& f : kTensorFields) {
      const xqacheck_tensor& t = view_.*f.field;
      if (t.data == nullptr || t.bytes == 0) continue;
      const std::uint32_t owner = owner_of(problem_, t.data, t.bytes, f.id);
      extents_[owner].include(static_cast<const std::byte*>(t.data), t.bytes, t.align);
    }
    for (const ScaleField& f : kScaleFields) {
      const xqacheck_scale& s = view_.*f.field;
      if (s.pointer == nullptr) continue;
      const std::uint32_t owner = owner_of(problem_, s.pointer, sizeof(float), f.id);
      extents_[owner].include(reinterpret_cast<const std::byte*>(s.pointer), sizeof(float), alignof(float));
    }
  }

  // A pool of K and V is one tensor: it is written to when the kernel appends to the cache.
  Access access_of(std::uint32_t tensor) const {
    const bool cache =
        tensor == static_cast<std::uint32_t>(TensorId::k) || tensor == static_cast<std::uint32_t>(TensorId::v);
    return cache && view_.rope_kind != XQACHECK_ROPE_NONE ? Access::write : Access::read;
  }

  void plan_inputs() {
    for (std::uint32_t i = 0; i < kTensorSlots; ++i) {
      const Extent& extent = extents_[i];
      if (!extent.used) continue;
      const std::uint32_t slot = kFirstTensorSlot + i;
      if (!std::has_single_bit(extent.align) || extent.align > kLargestAlign)
        throw std::logic_error(fmt::format("the problem's {} has align = {}", slot_name(slot), extent.align));
      const SlotPlan plan = plan_slot(extent.bytes, extent.align, options_.place, access_of(i));
      layout_.request.plans[slot] = plan;
      const reference::HostBuffer& buffer = problem_.tensors[i];
      arena_.copy_in(slot, plan.data, buffer, static_cast<std::uint64_t>(extent.begin - buffer.data()), extent.bytes);
      if (buffer.sparse()) note_written(slot, buffer, static_cast<std::uint64_t>(extent.begin - buffer.data()), plan.bytes);
      fill_around(canary_pattern(options_.fill_seed, slot), plan, arena_.slot(slot, plan.map_end));
    }
  }

  void note_written(std::uint32_t slot, const reference::HostBuffer& buffer, std::uint64_t begin, std::uint64_t bytes) {
    layout_.written.push_back({slot, 0, 0, 0});  // says that the slot is sparse, even if nothing was written
    for (const reference::HostBuffer::Range& range : buffer.written_ranges()) {
      const std::uint64_t from = std::max<std::uint64_t>(range.offset, begin);
      const std::uint64_t to = std::min<std::uint64_t>(range.offset + range.bytes, begin + bytes);
      if (from < to) layout_.written.push_back({slot, 0, from - begin, to - from});
    }
  }

  void plan_output(TensorId id, xqacheck_tensor& tensor, std::uint64_t bytes) {
    if (tensor.data == nullptr) return;
    const std::uint32_t slot = slot_of(id);
    const SlotPlan plan = plan_slot(bytes, tensor.align, options_.place, Access::write);
    layout_.request.plans[slot] = plan;
    tensor.data = worker_address(slot, plan.data);
    std::byte* memory = arena_.slot(slot, plan.map_end);
    fill_around(canary_pattern(options_.fill_seed, slot), plan, memory);
    write_pattern(output_pattern(options_, slot, tensor.dtype), plan.data, memory + plan.data, plan.bytes);
  }

  void* worker_address(std::uint32_t slot, std::uint64_t offset) const {
    return reinterpret_cast<void*>(base_ + slot * arena_.stride() + offset);
  }

  PlaceInSlot place_of(const void* worker_data) const {
    if (worker_data == nullptr) return {};
    const std::uint64_t distance = reinterpret_cast<std::uint64_t>(worker_data) - base_;
    return {static_cast<std::uint32_t>(distance / arena_.stride()), distance % arena_.stride()};
  }

  void* moved(const void* data, std::uint64_t bytes, TensorId id) const {
    const std::uint32_t owner = owner_of(problem_, data, bytes, id);
    const std::uint32_t slot = kFirstTensorSlot + owner;
    const auto inside = static_cast<std::uint64_t>(static_cast<const std::byte*>(data) - extents_[owner].begin);
    return worker_address(slot, layout_.request.plans[slot].data + inside);
  }

  void place(xqacheck_tensor& tensor, TensorId id) {
    if (tensor.data == nullptr) return;
    if (tensor.bytes != 0) {
      tensor.data = moved(tensor.data, tensor.bytes, id);
      return;
    }
    // Present but empty: an address at which nothing may be touched.
    SlotPlan& plan = layout_.request.plans[slot_of(id)];
    if (plan.access == Access::none) plan = plan_slot(0, tensor.align, options_.place, Access::read);
    tensor.data = worker_address(slot_of(id), plan.data);
  }

  void place(xqacheck_scale& scale, TensorId id) {
    if (scale.pointer != nullptr) scale.pointer = static_cast<const float*>(moved(scale.pointer, sizeof(float), id));
  }

  void finish_request() {
    CaseRequest& request = layout_.request;
    request.problem_bytes = sizeof view_;
    request.place = options_.place;
    request.scratch = options_.scratch;
    request.launching = options_.launching;
    request.keep_scratch = options_.keep_scratch;
    request.runs = std::max(options_.runs, 1u);
    request.schedule = options_.schedule;
    request.fill_seed = options_.fill_seed;
    // The struct itself ends where unmapped memory begins: a kernel of a newer header that reads more faults.
    const SlotPlan problem = plan_slot(sizeof view_, alignof(xqacheck_problem), Placement::end, Access::read);
    request.plans[kProblemSlot] = problem;
    std::memcpy(arena_.slot(kProblemSlot, problem.map_end) + problem.data, &view_, sizeof view_);
    request.plans[kWhySlot] = plan_slot(kWhyBytes, 1, Placement::end, Access::write);
  }

  const reference::Problem& problem_;
  const RunOptions& options_;
  std::uint64_t base_;
  Arena& arena_;
  xqacheck_problem view_;
  Extent extents_[kTensorSlots];
  CaseLayout layout_;
};

}  // namespace

Pattern output_pattern(const RunOptions& options, std::uint32_t slot, std::uint32_t dtype) {
  return {options.output, dtype, options.fill_seed, slot};
}

CaseLayout lay_out(const reference::Problem& problem, const RunOptions& options, std::uint64_t base, Arena& arena) {
  return Layout(problem, options, base, arena).make();
}

}  // namespace xqacheck::properties::isolation
