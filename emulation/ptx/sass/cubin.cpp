#include "emulation/ptx/sass/cubin.hpp"

#include <cstring>
#include <string_view>

#include "emulation/ptx/front/error.hpp"

namespace xqacheck::ptx {
namespace {

template <class T>
T at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) throw PtxError("cubin: the file is cut off");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

void count(std::uint64_t instruction, SassCounts& counts) {
  constexpr std::uint64_t kZeroRegister = 255;
  const std::uint64_t operation = instruction & 0x1ff, form = instruction >> 9 & 7;
  const bool two_registers = form == 1;  // B is a register, no literal
  const bool move =
      (instruction >> 24 & 255) == kZeroRegister || (two_registers && (instruction >> 32 & 255) == kZeroRegister);
  switch (operation) {
    case 0x20:
      ++counts.mul;
      break;
    case 0x21:
      counts.add += move ? 0 : 1;
      break;
    case 0x23:
      ++counts.fma;
      break;
    case 0x30:  // HADD2
    case 0x31:  // HFMA2
    case 0x32:  // HMUL2
    case 0x35:  // HFMA2.MMA
      counts.half += (instruction >> 24 & 255) == kZeroRegister ? 0 : 1;
      break;
    default:
      break;
  }
}

}  // namespace

SassCounts count_sass(std::span<const std::byte> cubin) {
  // Offsets of the ELF-64 header and section header (System V ABI).
  if (cubin.size() < 64 || at<std::uint32_t>(cubin, 0) != 0x464c457fu || at<std::uint8_t>(cubin, 4) != 2)
    throw PtxError("cubin: not a 64-bit ELF file");
  const auto sections = at<std::uint64_t>(cubin, 40);
  const auto section_bytes = at<std::uint16_t>(cubin, 58), section_count = at<std::uint16_t>(cubin, 60),
             names_index = at<std::uint16_t>(cubin, 62);
  const auto header = [&](std::uint64_t i) { return sections + i * section_bytes; };
  const auto names = at<std::uint64_t>(cubin, header(names_index) + 24);
  SassCounts counts;
  bool any = false;
  for (std::uint16_t i = 0; i < section_count; ++i) {
    constexpr std::string_view kText = ".text.";
    const std::uint64_t name = names + at<std::uint32_t>(cubin, header(i));
    at<std::uint64_t>(cubin, name);  // long enough for the prefix
    if (std::memcmp(cubin.data() + name, kText.data(), kText.size()) != 0) continue;
    any = true;
    const auto begin = at<std::uint64_t>(cubin, header(i) + 24), size = at<std::uint64_t>(cubin, header(i) + 32);
    for (std::uint64_t offset = 0; offset + 16 <= size; offset += 16)
      count(at<std::uint64_t>(cubin, begin + offset), counts);
  }
  if (!any) throw PtxError("cubin: there is no machine code in it");
  return counts;
}

}  // namespace xqacheck::ptx
