// Signal handlers of a worker: they write what happened into the control page and let the process die of the signal.
#pragma once

#include "properties/isolation/control_page.hpp"

namespace xqacheck::properties::isolation {

// Once, on the thread that will call the kernel.
void install_fault_handlers(ControlPage& control);

// Undoes what a kernel may have changed and the next case would feel: handlers, the signal mask, an armed alarm,
// rounding and flush-to-zero modes of the floating-point unit. Cheap; called before each case.
void restore_process_state();

}  // namespace xqacheck::properties::isolation
