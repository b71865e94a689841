// OwnedDescription: a deep copy of what a kernel says about itself. The original lives in a plug-in (and in another
// process); this one lives as long as its owner.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernels/abi/xqacheck_kernel.h"

namespace xqacheck::kernels {

class OwnedDescription {
 public:
  OwnedDescription() = default;
  explicit OwnedDescription(const xqacheck_description& original);
  OwnedDescription(const OwnedDescription& other);
  OwnedDescription(OwnedDescription&&) noexcept = default;
  OwnedDescription& operator=(const OwnedDescription& other);
  OwnedDescription& operator=(OwnedDescription&&) noexcept = default;

  // Only after construction from a description.
  const xqacheck_description& get() const { return body_->description; }
  std::string_view name() const { return body_->strings[0]; }

 private:
  struct Body {
    std::string strings[6];  // name, version, and the recipe's family, arch, toolkit, parameters
    xqacheck_recipe recipe{};
    xqacheck_description description{};
  };
  std::unique_ptr<Body> body_;  // on the heap: the C structs point into it and must not move
};

// What is wrong with a description, in one sentence, or "" if nothing is. Reads only what the kernel returned.
std::string description_fault(const xqacheck_description* description);

}  // namespace xqacheck::kernels
