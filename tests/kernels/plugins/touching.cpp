// Kernels that touch one byte too many: "read-past-q", "write-before-scratch" … for every buffer, both ends, and
// "write-q" for every input; the names are what the tests ask for.
#include <array>
#include <utility>

#include "faulty_table.hpp"

namespace {

struct Field {
  const char* name;
  bool input;
  xqacheck_tensor xqacheck_problem::*tensor;           // null: workspace, scale or the problem itself
  xqacheck_scale xqacheck_problem::*scale = nullptr;
};

constexpr Field kFields[] = {
    {"q", true, &xqacheck_problem::q},
    {"k", true, &xqacheck_problem::k},
    {"v", true, &xqacheck_problem::v},
    {"page_table", true, &xqacheck_problem::page_table},
    {"seq_lens", true, &xqacheck_problem::seq_lens},
    {"mask", true, &xqacheck_problem::mask},
    {"depths", true, &xqacheck_problem::depths},
    {"row_offsets", true, &xqacheck_problem::row_offsets},
    {"sinks", true, &xqacheck_problem::sinks},
    {"beam_index", true, &xqacheck_problem::beam_index},
    {"beam_context", true, &xqacheck_problem::beam_context},
    {"rope_table", true, &xqacheck_problem::rope_table},
    {"k_new", true, &xqacheck_problem::k_new},
    {"v_new", true, &xqacheck_problem::v_new},
    {"qkv_bias", true, &xqacheck_problem::qkv_bias},
    {"out", false, &xqacheck_problem::out},
    {"lse", false, &xqacheck_problem::lse},
    {"scratch", false, nullptr},
    {"state", false, nullptr},
    {"q_scale", true, nullptr, &xqacheck_problem::q_scale},
    {"k_scale", true, nullptr, &xqacheck_problem::k_scale},
    {"v_scale", true, nullptr, &xqacheck_problem::v_scale},
    {"rcp_out_scale", true, nullptr, &xqacheck_problem::rcp_out_scale},
    {"problem", true, nullptr},
};
constexpr int kFieldCount = sizeof kFields / sizeof kFields[0];
enum Touch { kReadBefore, kReadPast, kWriteBefore, kWritePast, kWriteInside, kTouches };
constexpr const char* kTouchNames[] = {"read-before-", "read-past-", "write-before-", "write-past-", "write-"};

struct Bytes {
  volatile char* begin;
  std::uint64_t size;
};

Bytes bytes_of(int field, const xqacheck_problem* p, const xqacheck_launch* launch) {
  const Field& f = kFields[field];
  if (f.tensor != nullptr) return {static_cast<char*>((p->*f.tensor).data), (p->*f.tensor).bytes};
  if (std::strcmp(f.name, "scratch") == 0) return {static_cast<char*>(launch->scratch), 300};
  if (std::strcmp(f.name, "state") == 0) return {static_cast<char*>(launch->state), 20};
  if (f.scale != nullptr) return {const_cast<char*>(reinterpret_cast<const char*>((p->*f.scale).pointer)), 4};
  return {const_cast<char*>(reinterpret_cast<const char*>(p)), p->struct_bytes};
}

template <int Index>
xqacheck_status run(xqacheck_instance* instance, const xqacheck_problem* p, const xqacheck_launch* launch) {
  const Bytes bytes = bytes_of(Index / kTouches, p, launch);
  const int touch = Index % kTouches;
  // Other formats have no copy of q as their output; what is touched is all that counts.
  if (char why[64]; plain::supports(p, why, sizeof why) == XQACHECK_OK) plain::run(instance, p, launch);
  if (bytes.begin == nullptr) return XQACHECK_OK;
  volatile char* at = touch == kReadBefore || touch == kWriteBefore ? bytes.begin - 1 : bytes.begin + bytes.size;
  if (touch == kWriteInside) at = bytes.begin + 1;
  [[maybe_unused]] static volatile char sink;
  if (touch == kReadBefore || touch == kReadPast)
    sink = *at;
  else
    *at = 0x55;
  return XQACHECK_OK;
}

template <int Index>
void add_one() {
  faulty::add<Index>(std::string(kTouchNames[Index % kTouches]) + kFields[Index / kTouches].name,
                     [](xqacheck_kernel& k) {
                       k.run = run<Index>;
                       k.supports = [](const xqacheck_problem*, char*, size_t) { return XQACHECK_OK; };
                     });
}

template <int... Index>
bool add_all(std::integer_sequence<int, Index...>) {
  (add_one<Index>(), ...);
  return true;
}

const bool registered = add_all(std::make_integer_sequence<int, kFieldCount * kTouches>());

}  // namespace

extern "C" const xqacheck_kernel* xqacheck_get_kernel(uint32_t abi_version, uint32_t index) {
  return faulty::get(abi_version, index);
}
