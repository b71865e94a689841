#include "properties/isolation/ending_text.hpp"

#include <fmt/core.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <cstdlib>

namespace xqacheck::properties::isolation {
namespace {

// Addresses below this come from a null pointer plus an index or member offset (the system maps nothing there).
constexpr std::uint64_t kNullArea = 65536;
// A fault this close to the stack pointer is the stack's own guard page.
constexpr std::int64_t kStackReach = 1 << 20;

std::string signal_name(int number) {
  const char* abbreviation = sigabbrev_np(number);
  return abbreviation != nullptr ? fmt::format("SIG{}", abbreviation) : fmt::format("signal {}", number);
}

std::string count_bytes(std::uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

const char* access_name(std::uint32_t access) {
  switch (access) {
    case 1:
      return "read";
    case 2:
      return "write";
    case 3:
      return "jump";
    default:
      return "access";
  }
}

std::string relative_to_slot(std::uint64_t offset, std::uint32_t slot, const SlotPlan& plan, bool inside_is_frozen) {
  const std::string name = slot_name(slot);
  if (plan.access == Access::none) return fmt::format("at {}, which this problem does not have", name);
  if (offset < plan.data) return fmt::format("{} before the start of {}", count_bytes(plan.data - offset), name);
  if (offset >= plan.data + plan.bytes)
    return fmt::format("{} past the end of {} (size {})", count_bytes(offset - (plan.data + plan.bytes) + 1), name,
                       plan.bytes);
  return fmt::format("to {} at byte {} of {}{}", name, offset - plan.data, plan.bytes,
                     plan.access == Access::read ? ", which is read-only"
                     : inside_is_frozen          ? " after run() had returned"
                                                 : "");
}

// The slot and offset of an address; an address just below a slot's start belongs to that slot, not to the end of the
// one before.
std::string place_text(std::uint64_t address, const AddressBook& book, bool frozen) {
  if (address < kNullArea) return fmt::format("at address {:#x} (a null pointer)", address);
  const std::uint64_t span = book.stride * kSlotCount;
  if (book.plans == nullptr || book.stride == 0 || address < book.base || address >= book.base + span)
    return fmt::format("at address {:#x}, outside every buffer", address);
  const std::uint64_t offset = address - book.base;
  std::uint64_t slot = offset / book.stride, inside = offset % book.stride;
  if (inside > book.stride / 2 && slot + 1 < kSlotCount) {
    const SlotPlan& next = book.plans[slot + 1];
    return fmt::format("{} before the start of {}", count_bytes(book.stride - inside + next.data),
                       slot_name(static_cast<std::uint32_t>(slot + 1)));
  }
  return relative_to_slot(inside, static_cast<std::uint32_t>(slot), book.plans[slot], frozen);
}

std::string pc_text(std::uint64_t pc, const AddressBook& book) {
  if (pc < book.module.begin || pc >= book.module.end) return "";
  return fmt::format(", at {}+{:#x}", book.module.path.substr(book.module.path.rfind('/') + 1), pc - book.module.begin);
}

// "run()", or "call 3 of run()" where it was not the first.
std::string stage_text(const ControlPage& page) {
  const Stage stage = page.stage.load();
  const std::uint32_t earlier = page.run_index.load();
  return stage == Stage::run && earlier > 0 ? fmt::format("call {} of run()", std::uint64_t{earlier} + 1)
                                            : name_of(stage);
}

std::string by_signal(int number, const ControlPage& page, const AddressBook& book) {
  const std::string stage = stage_text(page);
  if (page.fault.valid.load() == 2 && page.fault.signal == number) {
    const std::string what = fault_text(page.fault, book);
    return fmt::format("{} in {}{}{}", signal_name(number), stage, what.empty() ? "" : ": ", what);
  }
  const char* hint = number == SIGKILL   ? " (sent by the kernel itself or by the system when memory ran out)"
                     : number == SIGSEGV ? " (no handler could run: a stack overflow in a thread, or a blocked signal)"
                                         : "";
  return fmt::format("killed by {} in {}{}", signal_name(number), stage, hint);
}

std::string protocol_text(const ControlPage& page, const char* what) {
  const Stage stage = page.stage.load();
  const bool in_kernel = stage >= Stage::loading && stage <= Stage::destroy;
  return fmt::format("worker protocol broken{}: the kernel {}", in_kernel ? " in " + stage_text(page) : "", what);
}

std::string by_exit(int code, const ControlPage& page) {
  if (page.connection_lost.load() != 0) return protocol_text(page, "closed file descriptors that are not its own");
  return fmt::format("the kernel called {}({}) in {}", page.exit_called.load() != 0 ? "exit" : "_exit", code,
                     stage_text(page));
}

std::string core_text(const Exchange& exchange, const ControlPage& page, const AddressBook& book,
                      double timeout_seconds) {
  const std::string stage = stage_text(page);
  switch (exchange.ending) {
    case Ending::answered:
      return "";
    case Ending::died:
      if (WIFSIGNALED(exchange.gone.wait_status)) return by_signal(WTERMSIG(exchange.gone.wait_status), page, book);
      return by_exit(WEXITSTATUS(exchange.gone.wait_status), page);
    case Ending::closed:
      return protocol_text(page, "closed file descriptors that are not its own");
    case Ending::garbage:
      return protocol_text(page, "wrote to a file descriptor that is not its own");
    case Ending::stopped:
      return fmt::format("stopped by {} in {}", signal_name(exchange.signal), stage);
    case Ending::timed_out:
      return fmt::format("no answer within {:g} s, in {}", timeout_seconds, stage);
  }
  return "";
}

}  // namespace

std::string fault_text(const FaultRecord& fault, const AddressBook& book) {
  const std::string at = pc_text(fault.pc, book);
  const char* thread = fault.main_thread != 0 ? "" : ", in a thread of the kernel";
  // abort(), assert() or a signal that was sent: nobody touched memory.
  if (fault.code <= 0 || fault.signal == SIGABRT) return fault.main_thread != 0 ? "" : "in a thread of the kernel";
  if (fault.signal == SIGFPE)
    return fmt::format("{}{}{}", fault.code == FPE_INTDIV ? "integer division by zero" : "arithmetic fault", at,
                       thread);
  if (fault.signal == SIGILL) return fmt::format("illegal instruction{}{}", at, thread);
  if (fault.signal != SIGSEGV && fault.signal != SIGBUS) return fmt::format("si_code {}{}{}", fault.code, at, thread);
  if (fault.code == SI_KERNEL)
    return fmt::format("access to a misaligned vector or to an impossible address{}{}", at, thread);
  const std::int64_t from_stack = static_cast<std::int64_t>(fault.address - fault.sp);
  const bool in_slots = fault.address >= book.base && fault.address < book.base + book.stride * kSlotCount;
  if (!in_slots && fault.address >= kNullArea && std::llabs(from_stack) < kStackReach)
    return fmt::format("stack overflow{}{}", at, thread);
  return fmt::format("{} {}{}{}", access_name(fault.access), place_text(fault.address, book, fault.access == 2), at,
                     thread);
}

std::string ending_text(const Exchange& exchange, const ControlPage& page, const AddressBook& book, const LogTail& log,
                        double timeout_seconds) {
  std::string text = core_text(exchange, page, book, timeout_seconds);
  if (exchange.gone.strays > 0)
    text += fmt::format("; {} process{} that it had started had to be killed", exchange.gone.strays,
                        exchange.gone.strays == 1 ? "" : "es");
  if (exchange.undead) text += "; the system did not let it die";
  if (const std::string printed = log.text(); !printed.empty()) text += fmt::format("; it printed: {}", printed);
  return text;
}

}  // namespace xqacheck::properties::isolation
