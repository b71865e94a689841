#include "properties/budget/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "properties/errors.hpp"
#include "reference/case_error.hpp"
#include "reference/formats.hpp"
#include "reference/gather.hpp"

namespace xqacheck::properties::budget {
namespace {

ScaleUnit scale_unit(std::string_view value) {
  if (value == "tensor") return ScaleUnit::tensor;
  if (value == "head") return ScaleUnit::head;
  if (value == "page") return ScaleUnit::page;
  throw UsageError(fmt::format("--what-if scales={}: there is tensor, head, page", reference::printable(std::string(value))));
}

void apply(WhatIf& variant, std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view key = word.substr(0, equals), value = equals == word.npos ? "" : word.substr(equals + 1);
  if (key == "arch") {
    variant.recipe.arch = value;
  } else if (key == "scales") {
    variant.scales = scale_unit(value);
  } else if (key == "p_scale") {
    variant.recipe = emulation::with_parameters(variant.recipe, fmt::format("p_scale={0} p_unscale={0}", value));
  } else if (key == "p" && value == "16bit") {
    variant.recipe = emulation::with_parameters(variant.recipe, "p_operand=half");
  } else if (key == "p" && value == "exact") {
    variant.recipe.roundings = variant.recipe.roundings.without(emulation::Rounding::p);
  } else {
    variant.recipe = emulation::with_parameters(variant.recipe, word);
  }
}

// Rows of one tensor that share a scale, by the key of their unit.
using Units = std::map<std::uint64_t, std::vector<std::uint64_t>>;

void requantise(const Units& units, std::uint32_t dim, reference::Dtype format, float scale_of_case,
                const std::vector<float>& real, std::vector<float>& stored) {
  const auto top = static_cast<float>(reference::largest(format));
  for (const auto& [unit, rows] : units) {
    float amax = 0;
    for (const std::uint64_t row : rows)
      for (std::uint32_t d = 0; d < dim; ++d) amax = std::max(amax, std::fabs(real[row + d]));
    const float scale = amax > 0 ? amax / top : 1;
    for (const std::uint64_t row : rows)
      for (std::uint32_t d = 0; d < dim; ++d)
        stored[row + d] =
            static_cast<float>(reference::decode(format, reference::encode(format, real[row + d] / scale))) * scale /
            scale_of_case;
  }
}

}  // namespace

WhatIf parse_what_if(const emulation::Recipe& recipe, std::string_view words) {
  WhatIf variant{std::string(words), recipe};
  std::string_view rest = words;
  bool any = false;
  while (!rest.empty()) {
    const bool list = rest.rfind("exact=", 0) == 0;  // whose value has commas
    const std::size_t end = std::min(rest.find_first_of(list ? " " : " ,"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty()) continue;
    try {
      apply(variant, word);
    } catch (const emulation::RecipeError& error) {
      throw UsageError(fmt::format("--what-if {}: {}", reference::printable(std::string(word)), error.what()));
    }
    any = true;
  }
  if (!any) throw UsageError("--what-if: needs words like p_scale=256, p=16bit, arch=sm_100, scales=head");
  return variant;
}

Requantised requantised(const reference::Problem& problem, const RealCache& cache, ScaleUnit unit) {
  Requantised result{cache.in_cache_units(false), cache.in_cache_units(true)};
  const reference::Case& c = problem.source;
  if (unit == ScaleUnit::as_given || reference::is_16bit(c.kv)) return result;
  const xqacheck_problem view = problem.view(nullptr, nullptr);
  const reference::KvView where(view);
  for (const bool is_v : {false, true}) {
    Units units;
    for (std::uint32_t request = 0; request < c.requests(); ++request) {
      for (std::uint32_t token = 0; token < c.lens[request]; ++token) {
        for (std::uint32_t head = 0; head < c.kv_heads; ++head) {
          std::uint64_t key = unit == ScaleUnit::tensor ? 0 : head;
          if (unit == ScaleUnit::page) key = where.page(is_v, request, 0, token) * c.kv_heads + head;
          units[key].push_back(is_v ? where.v_row(request, 0, token, head) : where.k_row(request, 0, token, head));
        }
      }
    }
    if (is_v) requantise(units, c.dim_v, c.kv, c.v_scale, cache.v(), result.v);
    else requantise(units, c.dim, c.kv, c.k_scale, cache.k(), result.k);
  }
  return result;
}

}  // namespace xqacheck::properties::budget
