// Sentences about how a worker ended.
#pragma once

#include <string>

#include "properties/isolation/control_page.hpp"
#include "properties/isolation/worker_link.hpp"

namespace xqacheck::properties::isolation {

// What is needed to name addresses.
struct AddressBook {
  std::uint64_t base = 0, stride = 0;  // of the slots in the worker
  const SlotPlan* plans = nullptr;     // kSlotCount of them, or null
  kernels::LoadedModule module;
};

// "SIGSEGV in run(): write 1 byte past the end of out, at plugin.so+0x12f4" and the like, with what the worker printed
// last.
std::string ending_text(const Exchange& exchange, const ControlPage& page, const AddressBook& book, const LogTail& log,
                        double timeout_seconds);

// "write to q at byte 128 of 4096", "read at address 0x10 (a null pointer)" …
std::string fault_text(const FaultRecord& fault, const AddressBook& book);

}  // namespace xqacheck::properties::isolation
