// Outcome: what one run of a kernel on one problem left behind: output, LSE, workspace state, exit state and the route
// taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace xqacheck::properties {

enum class RunStatus : std::uint8_t {
  ok,           // run returned XQACHECK_OK
  unsupported,  // supports() or prepare() said no; `why` has the reason
  invalid,      // supports() calls the problem contradictory
  error,        // the kernel reported XQACHECK_ERROR
  crashed,      // signal, guard fault, exit inside the kernel, out of memory, early end of the worker; `why` says which
  hung          // no answer within the time limit; the worker was killed
};

// What really ran, for reports: never what was asked for.
struct Route {
  std::string kernel;  // name from describe()
  std::string version;
  std::string device;  // "host", or the GPU's name
  std::uint32_t splits = 0;
  std::string compiled{};  // keys of the machine code compiled at run time, "" where none was
};

// Damage to memory that is not the kernel's to write: a changed canary or input.
struct Damage {
  std::string buffer;       // "before out", "after scratch", "input k" …
  std::int64_t offset = 0;  // of the first changed byte, relative to the buffer's first byte (negative: before it)
  std::uint64_t bytes = 0;  // changed bytes seen
};

struct Outcome {
  RunStatus status = RunStatus::error;
  std::string why;
  std::vector<std::byte> out, lse;  // [R][Hq][Dv] with the strides of the problem; lse empty if not asked for
  // With fused RoPE, what the kernel appended to the cache: rows [R][kv_heads][head_dim(_v)] in the dtype of the cache.
  std::vector<std::byte> k_appended, v_appended;
  bool state_left_zero = true;  // persistent state is all zero after the run, as the ABI demands
  std::vector<Damage> damage;
  Route route;
  double seconds = 0;  // wall time of run()
};

}  // namespace xqacheck::properties
