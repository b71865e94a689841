// Largest sizes a case may ask for. They keep a malformed or hostile line from exhausting memory and every derived size
// and offset inside 63 bits; real workloads stay far below.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xqacheck::reference {

inline constexpr std::uint32_t kMaxRequests = 65536;   // batches of decode servers end around 8192
inline constexpr std::uint32_t kMaxHeads = 4096;       // models end around 256 query heads
inline constexpr std::uint32_t kMaxTokens = 1u << 24;  // a request of 16 million tokens
inline constexpr std::uint32_t kMaxDraft = 1024;       // draft trees end around 256 nodes
inline constexpr std::uint32_t kMaxBeam = 16;          // TensorRT-LLM's kernels end at 4
inline constexpr std::uint32_t kMaxPageTokens = 1024;
inline constexpr std::uint32_t kMaxPad = 1u << 20;    // elements of any one gap
inline constexpr std::uint32_t kMaxSpare = 1u << 20;  // unused pages
inline constexpr double kMaxPages = 1u << 30;         // page ids are int32, and a far pool adds 2^27 to them
inline constexpr std::uint32_t kMaxInjections = 256;
inline constexpr std::uint64_t kMaxBytes = 1ull << 40;  // of all tensors together
inline constexpr std::uint32_t kMaxBitsRow = 32;        // drafts that a row of a written mask can name
inline constexpr std::size_t kMaxLine = 1u << 22;       // characters: 65536 different lengths need about 600 KB

}  // namespace xqacheck::reference
