#include "emulation/ptx/instructions/carry.hpp"

#include "emulation/ptx/instructions/groups.hpp"
#include "emulation/ptx/instructions/lanewise.hpp"

namespace xqacheck::ptx {
namespace {

template <class T, bool kSubtract>
Step run_carry(Warp& warp, const Inst& inst, LaneMask active) {
  const auto a = read<T>(warp, inst.a), b = read<T>(warp, inst.b);
  const LaneMask in = inst.which != 0 ? *warp.words(inst.e) : 0;
  std::uint32_t out = 0;
  auto* result = reinterpret_cast<Stored<T>*>(warp.words(inst.d));
  each(active, [&](unsigned lane) {
    const T carry = (in >> lane) & 1;
    const unsigned __int128 wide = kSubtract ? static_cast<unsigned __int128>(a[lane]) - b[lane] - carry
                                             : static_cast<unsigned __int128>(a[lane]) + b[lane] + carry;
    result[lane] = static_cast<T>(wide);
    out |= static_cast<std::uint32_t>((wide >> (8 * sizeof(T))) & 1) << lane;
  });
  if (inst.flags != 0) write_predicate(warp, inst.e, active, out);
  return Step::next;
}

}  // namespace

bool decode_carry(Decoder& d, bool uses, bool subtract) {
  const bool sets = d.take("cc");
  if (!uses && !sets) return false;
  const Type type = d.take_type();
  d.expect_operands(3, 3);
  d.inst.a = d.source(1, type), d.inst.b = d.source(2, type);
  d.inst.d = d.destination(0, type);
  d.inst.e = d.carry();
  d.inst.which = uses ? 1 : 0;
  d.inst.flags = sets ? 1 : 0;
  if (bytes_of(type) == 8) {
    d.inst.run = subtract ? run_carry<std::uint64_t, true> : run_carry<std::uint64_t, false>;
  } else if (bytes_of(type) == 4) {
    d.inst.run = subtract ? run_carry<std::uint32_t, true> : run_carry<std::uint32_t, false>;
  } else {
    d.fail(std::string("type .") + name_of(type) + " is not supported here");
  }
  return true;
}

void add_carry(Opcodes& table) {
  table["addc"] = [](Decoder& d) { decode_carry(d, true, false); };
  table["subc"] = [](Decoder& d) { decode_carry(d, true, true); };
}

}  // namespace xqacheck::ptx
