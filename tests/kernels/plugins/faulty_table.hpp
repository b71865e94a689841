// A plug-in of many kernels, each plain but for one replaced function.
#pragma once

#include <deque>
#include <string>

#include "plain_kernel.hpp"

namespace faulty {

struct Entry {
  std::string name;
  xqacheck_description description{};
  xqacheck_kernel kernel{};
};

// A deque: entries must not move, kernels are handed out by address.
inline std::deque<Entry>& entries() {
  static std::deque<Entry> all;
  return all;
}

// describe() takes no argument, so each kernel needs a function of its own.
template <int Index>
const xqacheck_description* describe() {
  return &entries()[Index].description;
}

template <int Index, class Change>
void add(const std::string& name, Change change) {
  Entry& entry = entries().emplace_back();
  entry.name = name;
  entry.description = plain::description(entry.name.c_str());
  entry.kernel = plain::table(describe<Index>);
  change(entry.kernel);
}

inline const xqacheck_kernel* get(uint32_t abi_version, uint32_t index) {
  return abi_version == XQACHECK_ABI_VERSION && index < entries().size() ? &entries()[index].kernel : nullptr;
}

}  // namespace faulty
