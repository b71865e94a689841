#include "properties/isolation/protocol.hpp"

namespace xqacheck::properties::isolation {
namespace {

void pack_description(Packer& packer, const xqacheck_description& d) {
  packer.put(d);  // its pointers mean nothing on the other side and are replaced there
  packer.put_text(d.name);
  packer.put_text(d.version);
  packer.put(static_cast<std::uint8_t>(d.recipe != nullptr));
  if (d.recipe == nullptr) return;
  for (const char* text : {d.recipe->family, d.recipe->arch, d.recipe->toolkit, d.recipe->parameters})
    packer.put_text(text);
}

bool unpack_description(Unpacker& unpacker, kernels::OwnedDescription& result) {
  xqacheck_description d{};
  std::string name, version, parts[4];
  std::uint8_t has_recipe = 0;
  if (!unpacker.get(d) || !unpacker.get_text(name) || !unpacker.get_text(version) || !unpacker.get(has_recipe))
    return false;
  if (has_recipe != 0)
    for (std::string& part : parts)
      if (!unpacker.get_text(part)) return false;
  const xqacheck_recipe recipe{parts[0].c_str(), parts[1].c_str(), parts[2].c_str(), parts[3].c_str()};
  d.name = name.c_str();
  d.version = version.c_str();
  d.recipe = has_recipe != 0 ? &recipe : nullptr;
  result = kernels::OwnedDescription(d);
  return true;
}

}  // namespace

void LoadedReport::pack(Packer& packer) const {
  packer.put(protocol);
  packer.put(base);
  packer.put_text(device);
  packer.put_text(module.path);
  packer.put(module.begin);
  packer.put(module.end);
  packer.put(static_cast<std::uint32_t>(kernels.size()));
  for (const kernels::OwnedDescription& kernel : kernels) pack_description(packer, kernel.get());
}

bool LoadedReport::unpack(Unpacker& unpacker) {
  std::uint32_t count = 0;
  if (!unpacker.get(protocol) || protocol != kProtocol || !unpacker.get(base) || !unpacker.get_text(device) ||
      !unpacker.get_text(module.path) || !unpacker.get(module.begin) || !unpacker.get(module.end) ||
      !unpacker.get(count))
    return false;
  kernels.clear();
  for (std::uint32_t i = 0; i < count; ++i)
    if (!unpack_description(unpacker, kernels.emplace_back())) return false;
  return true;
}

}  // namespace xqacheck::properties::isolation
