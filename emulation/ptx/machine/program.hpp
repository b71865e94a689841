// A function ready to run: flat instructions with operands as places in the register file and a handler to call.
//
// Register file of a warp, in 32-bit words: a 32-bit (or narrower) register is 32 words, lane by lane, the unused upper
// bits zero; a 64-bit register is 64 words (32 lanes of two); a predicate is one word, bit i for lane i. Literals are
// broadcast into the constants of the program and read like registers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/ptx/check/monitor.hpp"
#include "emulation/ptx/front/type.hpp"

namespace xqacheck::ptx {

class Warp;
struct Inst;

// Word offset in the warp's registers, or ~offset in the program's constants.
using Ref = std::int32_t;
inline constexpr Ref kNoRef = INT32_MIN;

enum class Step : std::uint8_t {
  next,     // go on with the following instruction
  jumped,   // the handler has set the fragment's pc (or ended it)
  blocked,  // cannot go on: the same instruction again when what it waits for has happened
  waiting,  // has arrived somewhere; goes on behind the instruction when it is released
  yield     // go on, but let others run first: a failed wait
};

using Handler = Step (*)(Warp&, const Inst&, LaneMask);

// Which lanes must execute an instruction together.
enum class Together : std::uint8_t {
  no,
  members,  // the lanes that operand `e` names (bar.warp.sync, shfl.sync, …)
  all       // every lane of the warp that has not exited (mma.sync, ldmatrix, …)
};

inline constexpr std::uint32_t kNowhere = UINT32_MAX;  // no reconvergence point: lanes meet only at their exit

struct Inst {
  Handler run = nullptr;
  Ref d = kNoRef, a = kNoRef, b = kNoRef, c = kNoRef, e = kNoRef;
  Ref guard = kNoRef;
  bool guard_negated = false;
  Together together = Together::no;
  Space space = Space::global;
  bool generic = false;  // the space follows from each lane's address
  AccessKind access = AccessKind::load;
  Order order = Order::weak;
  Scope scope = Scope::cta;
  std::uint8_t bytes = 0;     // of one element in memory
  std::uint8_t elements = 1;  // of a vector
  std::uint8_t which = 0;     // variant within a handler (comparison, shuffle mode, …)
  std::uint8_t flags = 0;
  std::uint32_t list = 0;  // first of the operands in Program::lists
  std::uint16_t list_count = 0;
  std::uint32_t target = 0;  // branches
  std::uint32_t reconverge = kNowhere;
  std::int64_t offset = 0;  // of an address, or a small literal
};

// Registers that hold something before the first instruction.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
  clusterid,
  nclusterid,
  cluster_ctaid,
  cluster_nctaid,
  cluster_ctarank,
  cluster_nctarank,
  zero
};
struct SpecialRegister {
  Special what = Special::zero;
  Ref at = 0;
  bool wide = false;
};

struct ParameterPlace {
  std::uint32_t offset = 0, bytes = 0;
};

struct Program {
  std::string name;
  std::vector<Inst> code;
  std::vector<Ref> lists;
  std::vector<std::uint32_t> constants;
  std::vector<SpecialRegister> specials;
  std::vector<ParameterPlace> parameters;
  std::vector<Place> places;       // by instruction
  std::vector<std::string> files;  // of the places
  std::vector<InlinedAt> sites;    // of the places
  std::vector<std::string> texts;  // opcode with modifiers, by instruction
  std::string ptx_file;
  std::uint32_t register_words = 0;  // per warp
  std::uint32_t parameter_bytes = 0;
  std::uint32_t shared_bytes = 0;  // static; dynamic shared memory begins behind it, aligned to dynamic_align
  std::uint32_t dynamic_align = 16;
  std::uint32_t local_bytes = 0;  // per lane
  std::uint32_t registers = 0;    // declared by the text
  std::uint32_t max_threads = 0;  // 0: not limited by the text
  std::uint32_t cluster[3] = {};
};

}  // namespace xqacheck::ptx
