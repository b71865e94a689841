#include "kernels/registry.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/builtin.hpp"
#include "kernels/description.hpp"
#include "kernels/kernel_table.hpp"

namespace xqacheck::kernels {
namespace {

void add_checked(std::vector<const xqacheck_kernel*>& table, const xqacheck_kernel* kernel) {
  if (std::string fault = kernel_fault(kernel); !fault.empty()) throw std::logic_error("built-in kernel: " + fault);
  for (const xqacheck_kernel* other : table)
    if (std::string_view(other->describe()->name) == kernel->describe()->name)
      throw std::logic_error(std::string("two built-in kernels are called ") + kernel->describe()->name);
  table.push_back(kernel);
}

std::vector<const xqacheck_kernel*>& mutable_table() {
  static std::vector<const xqacheck_kernel*> table = [] {
    std::vector<const xqacheck_kernel*> checked;
    for (const xqacheck_kernel* kernel : table_of_builtin_kernels()) add_checked(checked, kernel);
    return checked;
  }();
  return table;
}

// Levenshtein distance: names are short, so the plain table is fast enough.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

const std::vector<const xqacheck_kernel*>& builtin_kernels() {
  return mutable_table();
}

void add_builtin_kernel(const xqacheck_kernel* kernel) {
  add_checked(mutable_table(), kernel);
}

const xqacheck_kernel* find_builtin_kernel(std::string_view name) {
  for (const xqacheck_kernel* kernel : builtin_kernels())
    if (name == kernel->describe()->name) return kernel;
  return nullptr;
}

std::vector<std::string> builtin_kernel_names() {
  std::vector<std::string> names;
  for (const xqacheck_kernel* kernel : builtin_kernels()) names.emplace_back(kernel->describe()->name);
  return names;
}

std::string nearest_builtin_name(std::string_view name) {
  std::string nearest;
  std::size_t least = 3;  // further than two slips of the finger is a different word
  for (const std::string& candidate : builtin_kernel_names())
    if (const std::size_t distance = edit_distance(name, candidate); distance < least) {
      least = distance;
      nearest = candidate;
    }
  return nearest;
}

}  // namespace xqacheck::kernels
