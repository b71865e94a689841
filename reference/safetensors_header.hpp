// The JSON header of a .safetensors file: a strict parser of just the JSON that such a header may hold.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/safetensors.hpp"

namespace xqacheck::reference {

struct SafetensorsHeader {
  std::vector<FileTensor> tensors;  // as they stand in the header, not checked against the data
  std::map<std::string, std::string> metadata;
};

// Throws SafetensorsError with the byte position inside the header; `name` stands for the file.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& name);

}  // namespace xqacheck::reference
