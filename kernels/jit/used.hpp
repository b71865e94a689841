// Which compiled kernels were really asked for: reports count the machine code that ran, not what was meant to run.
#pragma once

#include <string>

namespace xqacheck::kernels::jit {

// Called by KernelCache::get().
void note_used(const std::string& key);
// Keys noted on this thread since the last call, joined by '+'; "" if none.
std::string take_used();

}  // namespace xqacheck::kernels::jit
