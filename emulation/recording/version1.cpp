// Version 1: every size, stride and flag of the problem as metadata, every tensor under its own name as a flat array.
#include <fmt/format.h>

#include <cstring>
#include <type_traits>
#include <variant>

#include "emulation/recording/check_problem.hpp"
#include "emulation/recording/recording.hpp"
#include "emulation/recording/scalars.hpp"

namespace xqacheck::emulation {

namespace {

using reference::TensorId;
using P = xqacheck_problem;

// Tensors of the problem with their place in the description; scales are scalars above.
struct Slot {
  TensorId id;
  xqacheck_tensor P::*member;
};
constexpr Slot kSlots[] = {
    {TensorId::q, &P::q}, {TensorId::k, &P::k}, {TensorId::v, &P::v}, {TensorId::page_table, &P::page_table},
    {TensorId::seq_lens, &P::seq_lens}, {TensorId::mask, &P::mask}, {TensorId::depths, &P::depths},
    {TensorId::row_offsets, &P::row_offsets}, {TensorId::sinks, &P::sinks}, {TensorId::beam_index, &P::beam_index},
    {TensorId::beam_context, &P::beam_context}, {TensorId::rope_table, &P::rope_table}, {TensorId::k_new, &P::k_new},
    {TensorId::v_new, &P::v_new}, {TensorId::qkv_bias, &P::qkv_bias}};

void read_scalars(const RecordedFile& file, P& d) {
  for (const Scalar& scalar : scalars()) {
    std::visit([&](auto member) {
      using T = std::remove_reference_t<decltype(d.*member)>;
      if constexpr (std::is_same_v<T, std::uint32_t>) d.*member = file.number(scalar.key);
      else if constexpr (std::is_same_v<T, std::int64_t>) d.*member = file.integer(scalar.key);
      else if constexpr (std::is_same_v<T, float>) d.*member = file.real(scalar.key);
      else (d.*member).value = file.real(scalar.key);
    }, scalar.member);
  }
}

reference::TensorToWrite flat(const std::string& name, std::uint32_t dtype, const void* data, std::uint64_t bytes) {
  const reference::FileDtype type = file_dtype(dtype);
  return {name, type, {bytes / reference::bytes_of(type)}, data, bytes};
}

}  // namespace

Recording read_version1(const RecordedFile& file) {
  Recording recording;
  recording.path = file.path();
  recording.metadata = file.metadata();
  recording.name = file.text("case_line");
  recording.kernel = file.text("kernel");
  reference::Problem& problem = recording.problem;
  P& d = problem.description;
  d.struct_bytes = sizeof d;
  read_scalars(file, d);
  d.forced_splits = file.number("splits");
  for (const Slot& slot : kSlots) {
    const reference::FileTensor* tensor = file.find(name_of(slot.id));
    if (tensor == nullptr) continue;
    const auto data = file.data(*tensor);
    reference::HostBuffer buffer(data.size());
    if (!data.empty()) std::memcpy(buffer.data(), data.data(), data.size());
    problem.tensor(slot.id) = std::move(buffer);
    (d.*slot.member).dtype = file.abi_dtype(*tensor);
  }
  if (problem.tensor(TensorId::v).size() == 0) d.v.dtype = d.k.dtype;  // one pool for both
  const reference::FileTensor& out = file.tensor("out");
  d.out.dtype = file.abi_dtype(out);
  const auto out_data = file.data(out);
  recording.out.assign(out_data.begin(), out_data.end());
  if (const reference::FileTensor* lse = file.find("lse")) {
    d.lse.dtype = file.abi_dtype(*lse);
    const auto lse_data = file.data(*lse);
    recording.lse.assign(lse_data.begin(), lse_data.end());
  }
  check_problem(file, problem);
  if (recording.out.size() != problem.out_bytes()) file.fail(fmt::format("tensor out: {} bytes, the strides need {}", recording.out.size(), problem.out_bytes()));
  if (const std::string family = file.text_or("recipe_family", ""); !family.empty())
    set_declared_recipe(recording, {family, file.text("recipe_arch"), file.text_or("recipe_toolkit", ""),
                                    file.text_or("recipe_parameters", "")});
  return recording;
}

void write_recording(const std::string& path, const reference::Problem& problem, const RecordingSource& source,
                     std::span<const std::byte> out, std::span<const std::byte> lse) {
  const P& d = problem.description;
  std::map<std::string, std::string> metadata = {
      {"format", "xqacheck-recording/1"}, {"case_line", source.case_line}, {"kernel", source.kernel},
      {"kernel_version", source.version}, {"device", source.device}, {"splits", std::to_string(source.splits)}};
  if (source.recipe != nullptr) {
    metadata["recipe_family"] = source.recipe->family;
    metadata["recipe_arch"] = source.recipe->arch;
    metadata["recipe_toolkit"] = source.recipe->toolkit;
    metadata["recipe_parameters"] = source.recipe->parameters;
  }
  for (const Scalar& scalar : scalars()) metadata[scalar.key] = text_of(scalar, d);
  std::vector<reference::TensorToWrite> tensors;
  for (const Slot& slot : kSlots) {
    const reference::HostBuffer& buffer = problem.tensor(slot.id);
    if (buffer.size() > 0) tensors.push_back(flat(name_of(slot.id), (d.*slot.member).dtype, buffer.data(), buffer.size()));
  }
  tensors.push_back(flat("out", d.out.dtype, out.data(), out.size()));
  if (!lse.empty()) tensors.push_back(flat("lse", XQACHECK_FP32, lse.data(), lse.size()));
  try {
    reference::write_safetensors(path, tensors, metadata);
  } catch (const std::exception& error) {
    throw RecordingError(error.what());
  }
}

}  // namespace xqacheck::emulation
