// bra, brx.idx, call, ret, exit, trap, brkpt, nanosleep, setmaxnreg and other instructions without data.
#include "emulation/ptx/instructions/control.hpp"

#include "emulation/ptx/machine/lanes.hpp"
#include "emulation/ptx/machine/machine.hpp"

namespace xqacheck::ptx {
namespace {

Step run_branch(Warp& warp, const Inst& inst, LaneMask active) {
  return warp.branch(inst, active);
}

// Lanes may choose different targets: one part leaves, the rest comes back to this instruction.
Step run_table_branch(Warp& warp, const Inst& inst, LaneMask active) {
  const auto index = read<std::uint32_t>(warp, inst.a);
  const std::uint32_t first = index[static_cast<unsigned>(std::countr_zero(active))];
  if (first >= inst.list_count)
    warp.cta().machine().fault(warp, active, "brx.idx: the index is beyond the branch targets");
  LaneMask same = 0;
  each(active, [&](unsigned lane) { same |= static_cast<LaneMask>(index[lane] == first) << lane; });
  Inst jump = inst;
  jump.target = static_cast<std::uint32_t>(warp.cta().program().lists[inst.list + first]);
  Fragment& fragment = warp.fragment();
  if (same == fragment.lanes) {
    fragment.pc = jump.target;
    return Step::jumped;
  }
  // branch() sends the others to the next instruction; for those with another index that is this one.
  if (same != active) --fragment.pc;
  return warp.branch(jump, same);
}

Step run_exit(Warp& warp, const Inst&, LaneMask active) {
  return warp.exit_lanes(active);
}

Step run_trap(Warp& warp, const Inst&, LaneMask active) {
  warp.cta().machine().fault(warp, active, "trap");
}

Step run_nothing(Warp&, const Inst&, LaneMask) {
  return Step::next;
}
Step run_nanosleep(Warp&, const Inst&, LaneMask) {
  return Step::yield;
}

Step run_launch_dependents(Warp& warp, const Inst&, LaneMask active) {
  if (Monitor* monitor = warp.cta().monitor()) monitor->launch_dependents(warp.at(active));
  warp.cta().grid().launch_dependents(warp.cta().linear());
  return Step::next;
}

Step run_dependency_wait(Warp& warp, const Inst&, LaneMask active) {
  if (warp.cta().grid().predecessors_done) {
    if (Monitor* monitor = warp.cta().monitor()) monitor->dependency_wait(warp.at(active));
    return Step::next;
  }
  // Runs again when the grid before has ended.
  warp.fragment().state = FragmentState::at_grid;
  return Step::blocked;
}

void decode_bra(Decoder& d) {
  d.take("uni");
  d.expect_operands(1, 1);
  if (d.operand(0).kind != OperandKind::label) d.fail("a label is needed");
  d.inst.run = run_branch;
  d.branch_to(d.operand(0).index);
}

void decode_brx(Decoder& d) {
  if (!d.take("idx")) d.fail(".idx is missing");
  d.take("uni");
  d.expect_operands(2, 2);
  d.inst.run = run_table_branch;
  d.inst.a = d.source(0, Type::u32);
  d.branch_table(d.operand(1));
}

void decode_call(Decoder& d) {
  d.take("uni");
  d.call();
}

void decode_ret(Decoder& d) {
  d.take("uni");
  if (d.frame().kernel) {
    d.inst.run = run_exit;
  } else {
    d.inst.run = run_branch;
    d.return_from_frame();
  }
}

void decode_exit(Decoder& d) {
  d.inst.run = run_exit;
}
void decode_trap(Decoder& d) {
  d.inst.run = run_trap;
}
void decode_nothing(Decoder& d) {
  d.inst.run = run_nothing;
}

void decode_nanosleep(Decoder& d) {
  d.take("u32");
  d.source(0, Type::u32);
  d.inst.run = run_nanosleep;
}

// Registers are not a resource here.
void decode_setmaxnreg(Decoder& d) {
  if (d.take_one_of({"inc", "dec"}).empty()) d.fail(".inc or .dec is missing");
  if (!d.take("sync") || !d.take("aligned") || !d.take("u32")) d.fail(".sync.aligned.u32 is missing");
  d.immediate(0, "the number of registers");
  d.inst.run = run_nothing;
}

void decode_griddepcontrol(Decoder& d) {
  const auto what = d.take_one_of({"launch_dependents", "wait"});
  if (what.empty()) d.fail(".launch_dependents or .wait is missing");
  d.inst.run = what == "wait" ? run_dependency_wait : run_launch_dependents;
}

// Hints about the L2 cache: addresses are not accessed.
void decode_prefetch(Decoder& d) {
  d.take_space({StateSpace::global, StateSpace::local}, StateSpace::generic);
  d.take_one_of({"tensormap"});
  d.take_one_of({"L1", "L2"});
  d.take_cache_hints();
  d.inst.run = run_nothing;
}

}  // namespace

bool is_table_branch(const Inst& inst) {
  return inst.run == run_table_branch;
}
bool is_branch(const Inst& inst) {
  return inst.run == run_branch || inst.run == run_table_branch;
}
bool is_exit(const Inst& inst) {
  return inst.run == run_exit || inst.run == run_trap;
}

void append_exit(Program& program) {
  Inst inst;
  inst.run = run_exit;
  program.code.push_back(inst);
  program.places.push_back(program.places.empty() ? Place{} : program.places.back());
  program.texts.push_back("exit");
}

void add_control(Opcodes& table) {
  table["bra"] = decode_bra;
  table["brx"] = decode_brx;
  table["call"] = decode_call;
  table["ret"] = decode_ret;
  table["exit"] = decode_exit;
  table["trap"] = decode_trap;
  table["brkpt"] = decode_trap;
  table["nanosleep"] = decode_nanosleep;
  table["setmaxnreg"] = decode_setmaxnreg;
  table["griddepcontrol"] = decode_griddepcontrol;
  table["prefetch"] = decode_prefetch;
  table["prefetchu"] = decode_prefetch;
  table["applypriority"] = decode_prefetch;
  table["pmevent"] = decode_nothing;
}

}  // namespace xqacheck::ptx
