// Memory for what is large and mostly unused: page pools of many GiB, and the registers of a warp, of which a compiler declares thousands (one a
// value) and a run touches few.
#pragma once

#include <cstdint>
#include <memory>

namespace xqacheck::ptx {

// Zeros, aligned to a page, and physical memory only for what is touched. Throws std::bad_alloc.
std::shared_ptr<void> zero_pages(std::uint64_t bytes);

}  // namespace xqacheck::ptx
