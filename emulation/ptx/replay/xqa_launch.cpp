#include "emulation/ptx/replay/xqa_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace xqacheck::ptx {
namespace {

using reference::TensorId;

// Query rows that one CTA takes in the draft form: the kernel's M tile.
constexpr std::uint32_t kDraftRows = 32;
// mma.sync kernel: 4 x 1 x 2 warps.
constexpr Extent kBlock{128, 1, 2};

const char* input_name(const xqacheck_problem& p) {
  return p.q.dtype == XQACHECK_FP16 ? "fp16" : "bf16";
}
int cache_kind(const xqacheck_problem& p) {
  return p.k.dtype == XQACHECK_INT8 ? 1 : p.k.dtype == XQACHECK_E4M3 ? 2 : 0;
}
bool low_precision(const xqacheck_problem& p) {
  return p.out.dtype == XQACHECK_E4M3;
}
bool drafts(const xqacheck_problem& p) {
  return p.mask_kind != XQACHECK_MASK_NONE;
}

std::uint32_t padded_dim(std::uint32_t dim) {
  return dim <= 64 ? 64 : dim <= 128 ? 128 : dim <= 256 ? 256 : 512;
}
std::uint32_t divide_up(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}
std::uint64_t round_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b * b;
}

// Parameters in order, each at its natural alignment as PTX lays them out.
class Parameters {
 public:
  template <class T>
  void add(T value) {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    bytes_.resize(at_ + sizeof(T));
    std::memcpy(bytes_.data() + at_, &value, sizeof(T));
    at_ += sizeof(T);
  }
  void align(std::size_t to) { at_ = (at_ + to - 1) / to * to, bytes_.resize(at_); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string xqa_configuration(const emulation::Recording& recording) {
  const xqacheck_problem& p = recording.problem.description;
  return fmt::format("{}_{}_kv{}_d{}g{}_p{}{}{}{}", recording.kernel, input_name(p), cache_kind(p), p.head_dim,
                     p.q_heads / p.kv_heads, p.page_tokens, p.window != 0 ? "_win" : "", low_precision(p) ? "_lp" : "",
                     drafts(p) ? "_sd" : "");
}

std::uint64_t XqaCall::place(const std::string& name, const void* data, std::uint64_t bytes) {
  if (bytes == 0) return 0;
  const std::uint64_t at = machine_.memory().allocate(bytes, 256, name);
  buffers_.push_back(at);
  if (data != nullptr) {
    std::memcpy(machine_.memory().at(at, bytes), data, bytes);
    machine_.memory().set_read_only(at, true);
  }
  if (Monitor* monitor = machine_.monitor()) monitor->allocated({name, at, bytes, data != nullptr, data != nullptr});
  return at;
}

XqaGeometry xqa_geometry(const emulation::Recording& recording) {
  const xqacheck_problem& p = recording.problem.description;
  const std::uint32_t group = p.q_heads / p.kv_heads;
  const std::uint32_t splits = std::max(p.forced_splits, 1u);
  const std::uint32_t groups = drafts(p) ? p.kv_heads * divide_up(p.max_rows * group, kDraftRows) : p.kv_heads;
  XqaGeometry geometry;
  geometry.grid = {splits, groups, p.requests};
  geometry.block = kBlock;
  geometry.out_bytes = recording.out.size();
  if (splits > 1) {
    // Row maxima and sums of each partial, then the partials in the type of q, aligned to one of them.
    const std::uint64_t cells = std::uint64_t{splits} * groups * p.requests, rows = drafts(p) ? kDraftRows : group;
    const std::uint64_t partial = 2ull * padded_dim(p.head_dim) * rows;
    geometry.scratch_bytes =
        round_up(2 * cells * 128 * divide_up(static_cast<std::uint32_t>(round_up(rows, 16)), 32), partial) +
        cells * partial;
    // With head dim 64 four warp groups merge, and each fetches the partial of its own number even where there are
    // fewer sub-sequences; the kernel reads behind its scratch (and uses nothing of it). Room for that, so that it can
    // run.
    if (padded_dim(p.head_dim) == 64 && splits < 4) geometry.scratch_bytes += (4 - splits) * partial;
    geometry.semaphore_bytes = 4ull * groups * p.requests;
  }
  return geometry;
}

std::string xqa_kernel_name(const Module& module) {
  std::string found;
  for (const auto& function : module.functions) {
    if (!function.entry || !function.defined) continue;
    if (!found.empty())
      throw PtxError(module.file + ": more than one kernel: one of the mma.sync XQA kernel is expected");
    found = function.name;
  }
  return found;
}

std::uint32_t xqa_shared_bytes(const Module& module) {
  const Variable* size = module.find_variable("smemSize");
  if (size == nullptr || size->bytes() != 4 || size->initial.size() != 4)
    throw PtxError(module.file + ": there is no variable smemSize: this is not the mma.sync XQA kernel");
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, size->initial.data(), 4);
  return bytes;
}

XqaCall::XqaCall(Machine& machine, LoadedModule& module, const emulation::Recording& recording)
    : machine_(machine), geometry_(xqa_geometry(recording)) {
  launch_.dynamic_shared = xqa_shared_bytes(module.module());
  launch_.program = module.kernel(xqa_kernel_name(module.module()));
  launch_.grid = geometry_.grid, launch_.block = geometry_.block;
  at_.out = place("out", nullptr, geometry_.out_bytes);
  at_.scratch = place("scratch", nullptr, geometry_.scratch_bytes);
  at_.semaphores = place("semaphores", nullptr, geometry_.semaphore_bytes);
  place_inputs(recording, at_, [&](const char* name, TensorId id, std::uint64_t bytes) {
    return place(name, recording.problem.tensor(id).data(), bytes);
  });
  launch_.parameters = xqa_parameters(recording, at_);
  const Program& program = *launch_.program;
  if (launch_.parameters.size() != program.parameter_bytes)
    throw PtxError(fmt::format(
        "{}: the kernel takes {} bytes of parameters, a call of configuration {} has {}: it was compiled with other "
        "options",
        module.module().file, program.parameter_bytes, xqa_configuration(recording), launch_.parameters.size()));
  reset();
}

XqaCall::~XqaCall() {
  for (const std::uint64_t at : buffers_) {
    if (Monitor* monitor = machine_.monitor()) monitor->freed(at);
    machine_.memory().free(at);
  }
}

std::vector<std::byte> xqa_parameters(const emulation::Recording& recording, const XqaAddresses& at) {
  const xqacheck_problem& p = recording.problem.description;
  const std::uint64_t none = 0;
  Parameters list;
  if (drafts(p))
    list.add(p.max_rows), list.add(p.kv_heads), list.add(p.q_heads / p.kv_heads), list.add(at.offsets);
  else
    list.add(p.kv_heads);
  if (p.window != 0) list.add(p.window);
  list.add(p.q_scale.value), list.add(none);  // by value, no pointer
  list.add(at.out);
  if (low_precision(p)) list.add(p.rcp_out_scale.value);
  list.add(at.q);
  if (drafts(p)) list.add(at.mask);
  list.add(at.sinks);
  list.align(8);  // the structure of the cache: pools, page list, lengths, pages of a request
  list.add(at.k), list.add(at.v), list.add(at.pages), list.add(at.lengths), list.add(p.table_columns);
  list.align(8);
  list.add(p.requests);
  list.add(p.k_scale.value), list.add(none);
  // Strides in heads.
  const auto heads = [&](std::int64_t elements) { return static_cast<std::uint32_t>(elements / p.head_dim); };
  list.add(heads(p.k_stride_page)), list.add(heads(p.k_stride_token)), list.add(heads(p.k_stride_head));
  list.add(at.semaphores), list.add(at.scratch);
  return list.take();
}

void XqaCall::reset() {
  const auto fill = [&](std::uint64_t at, std::uint64_t bytes, int byte) {
    if (bytes != 0) std::memset(machine_.memory().at(at, bytes), byte, bytes);
  };
  fill(at_.out, geometry_.out_bytes, 0xff);  // NaN in every format
  fill(at_.scratch, geometry_.scratch_bytes, 0xff);
  fill(at_.semaphores, geometry_.semaphore_bytes, 0);
  if (Monitor* monitor = machine_.monitor(); monitor != nullptr && geometry_.semaphore_bytes != 0)
    monitor->host_wrote(at_.semaphores, geometry_.semaphore_bytes);
}

std::vector<std::byte> XqaCall::output() const {
  std::vector<std::byte> bytes(geometry_.out_bytes);
  if (geometry_.out_bytes != 0)
    std::memcpy(bytes.data(), machine_.memory().at(at_.out, geometry_.out_bytes), geometry_.out_bytes);
  return bytes;
}

bool XqaCall::semaphores_are_zero() const {
  if (geometry_.semaphore_bytes == 0) return true;
  const std::byte* at = machine_.memory().at(at_.semaphores, geometry_.semaphore_bytes);
  return std::all_of(at, at + geometry_.semaphore_bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace xqacheck::ptx
