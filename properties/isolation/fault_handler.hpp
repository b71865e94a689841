// Signal handlers of a worker: they write what happened into the control page and let the process die of the signal.
#pragma once

#include "properties/isolation/control_page.hpp"

namespace xqacheck::properties::isolation {

// Once, on the thread that will call the kernel.
void install_fault_handlers(ControlPage& control);

// Undoes what a kernel may have changed: handlers, the signal mask, an armed alarm. Cheap; called before each case.
void restore_signals();

}  // namespace xqacheck::properties::isolation
