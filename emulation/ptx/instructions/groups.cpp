#include "emulation/ptx/instructions/groups.hpp"

#include "emulation/ptx/instructions/control.hpp"

namespace xqacheck::ptx {

const Opcodes& opcodes() {
  static const Opcodes table = [] {
    Opcodes all;
    add_integer(all), add_carry(all), add_logic(all), add_shifts(all), add_bit_fields(all), add_float(all), add_special(all), add_compare(all), add_convert(all),
        add_move(all);
    add_access(all), add_atomics(all), add_copies(all), add_barriers(all), add_mbarrier(all), add_exchange(all);
    add_fragments(all), add_matrix(all), add_control(all);
    return all;
  }();
  return table;
}

}  // namespace xqacheck::ptx
