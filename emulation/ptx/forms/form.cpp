#include "emulation/ptx/forms/form.hpp"

#include <cstring>

#include "emulation/ptx/forms/tables.hpp"

namespace xqacheck::ptx::forms {

std::uint32_t bytes_of(Width width) {
  switch (width) {
    case Width::b16:
      return 2;
    case Width::b32:
      return 4;
    case Width::b64:
      return 8;
    case Width::pred:
      return 1;
  }
  return 0;
}

std::string opcode_of(const Form& form) {
  return form.name.substr(0, form.name.find('#'));
}

const std::vector<Form>& all_forms() {
  static const std::vector<Form> forms = [] {
    std::vector<Form> all;
    for (const auto table : {integer_forms, logic_forms, float_forms, convert_forms, warp_forms, matrix_forms,
                             memory_forms, atomic_forms, copy_forms, barrier_forms}) {
      std::vector<Form> part = table();
      all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    }
    return all;
  }();
  return forms;
}

std::uint64_t output_offset(const Form& form, std::size_t result) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < result; ++i) offset += std::uint64_t{bytes_of(form.out[i])} * kItems;
  return offset;
}

std::uint64_t output_bytes(const Form& form) {
  return output_offset(form, form.out.size());
}

std::vector<std::byte> expected_output(const Form& form, std::span<const std::uint64_t> inputs) {
  std::vector<std::byte> bytes(output_bytes(form));
  std::vector<Warp> in(form.in.size()), out(form.out.size());
  for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
    for (std::size_t k = 0; k < in.size(); ++k)
      for (std::uint32_t lane = 0; lane < 32; ++lane) in[k][lane] = inputs[k * kItems + warp * 32 + lane];
    for (Warp& values : out) values.fill(0);
    form.expected(in, out);
    for (std::size_t r = 0; r < out.size(); ++r) {
      const std::uint32_t width = bytes_of(form.out[r]);
      for (std::uint32_t lane = 0; lane < 32; ++lane)  // little-endian hosts only, as everywhere in the project
        std::memcpy(bytes.data() + output_offset(form, r) + std::uint64_t{width} * (warp * 32 + lane), &out[r][lane],
                    width);
    }
  }
  return bytes;
}

}  // namespace xqacheck::ptx::forms
