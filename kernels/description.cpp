#include "kernels/description.hpp"

#include <fmt/core.h>

#include <cstring>

namespace xqacheck::kernels {

OwnedDescription::OwnedDescription(const xqacheck_description& original) : body_(std::make_unique<Body>()) {
  body_->description = original;
  body_->strings[0] = original.name;
  body_->strings[1] = original.version ? original.version : "";
  body_->description.name = body_->strings[0].c_str();
  body_->description.version = body_->strings[1].c_str();
  if (original.recipe == nullptr) return;
  const char* const parts[] = {original.recipe->family, original.recipe->arch, original.recipe->toolkit,
                               original.recipe->parameters};
  for (int i = 0; i < 4; ++i) body_->strings[2 + i] = parts[i] ? parts[i] : "";
  body_->recipe = {body_->strings[2].c_str(), body_->strings[3].c_str(), body_->strings[4].c_str(),
                   body_->strings[5].c_str()};
  body_->description.recipe = &body_->recipe;
}

OwnedDescription::OwnedDescription(const OwnedDescription& other) {
  if (other.body_) *this = OwnedDescription(other.get());
}

OwnedDescription& OwnedDescription::operator=(const OwnedDescription& other) {
  if (this != &other) *this = OwnedDescription(other);
  return *this;
}

namespace {

// A name goes into case lines, file names and JUnit reports: it must need no quoting anywhere.
constexpr std::size_t kLongestName = 64;
// Versions and recipes go into one line of a report; anything longer is a missing NUL.
constexpr std::size_t kLongestText = 4096;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

std::string name_fault(const char* name) {
  if (name == nullptr) return "describe() leaves `name` NULL; give the kernel a name of [a-z0-9_.-]";
  const std::size_t length = strnlen(name, kLongestName + 1);
  if (length == 0) return "describe() gives an empty `name`; give the kernel a name of [a-z0-9_.-]";
  if (length > kLongestName)
    return fmt::format("describe() gives a `name` longer than {} characters; shorten it", kLongestName);
  for (std::size_t i = 0; i < length; ++i)
    if (!is_name_character(name[i]))
      return fmt::format(
          "describe() gives the name \"{}\", whose character {} is not one of [a-z0-9_.-]; rename the kernel",
          std::string_view(name, length), i + 1);
  return "";
}

std::string text_fault(const char* field, const char* text) {
  if (text == nullptr) return "";  // read as ""
  if (strnlen(text, kLongestText + 1) > kLongestText)
    return fmt::format("describe() gives a `{}` longer than {} characters; is its terminating NUL missing?", field,
                       kLongestText);
  return "";
}

}  // namespace

std::string description_fault(const xqacheck_description* d) {
  if (d == nullptr) return "describe() returned NULL; it must return a static xqacheck_description";
  if (std::string fault = name_fault(d->name); !fault.empty()) return fault;
  if (std::string fault = text_fault("version", d->version); !fault.empty()) return fault;
  if (d->memory != XQACHECK_HOST && d->memory != XQACHECK_CUDA)
    return fmt::format("describe() gives memory = {}; it must be XQACHECK_HOST (0) or XQACHECK_CUDA (1)", d->memory);
  if (d->recipe != nullptr) {
    const xqacheck_recipe& r = *d->recipe;
    if (r.family == nullptr || *r.family == '\0')
      return "describe() gives a recipe without `family`; name the family or set recipe to NULL";
    for (const auto& [field, text] :
         {std::pair{"recipe.family", r.family}, std::pair{"recipe.arch", r.arch},
          std::pair{"recipe.toolkit", r.toolkit}, std::pair{"recipe.parameters", r.parameters}})
      if (std::string fault = text_fault(field, text); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace xqacheck::kernels
