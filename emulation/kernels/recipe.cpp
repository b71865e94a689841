#include "emulation/kernels/recipe.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <span>

#include "emulation/kernels/constants.hpp"

namespace xqacheck::emulation {

namespace {

// One key of the parameter string: how to print a field and how to set it (false: the value is not one of `values`).
struct Field {
  const char* key;
  std::string values;
  std::function<std::string(const Recipe&)> print;
  std::function<bool(Recipe&, std::string_view)> set;
};

// An enumeration with its names in the order of its values.
template <class E>
Field choice(const char* key, E Recipe::*member, std::vector<const char*> names) {
  std::string values;
  for (const char* name : names) values += values.empty() ? name : std::string(", ") + name;
  return {key, values, [=](const Recipe& r) { return std::string(names[static_cast<std::size_t>(r.*member)]); },
          [=](Recipe& r, std::string_view text) {
            for (std::size_t i = 0; i < names.size(); ++i) {
              if (text == names[i]) return r.*member = static_cast<E>(i), true;
            }
            return false;
          }};
}

Field flag(const char* key, bool Recipe::*member) {
  return {key, "0, 1", [=](const Recipe& r) { return std::string(r.*member ? "1" : "0"); },
          [=](Recipe& r, std::string_view text) { return (text == "0" || text == "1") && (r.*member = text == "1", true); }};
}

template <class T>
Field number(const char* key, T Recipe::*member, const char* values) {
  return {key, values, [=](const Recipe& r) { return fmt::format("{}", r.*member); },
          [=](Recipe& r, std::string_view text) {
            T value{};
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            return error == std::errc{} && end == text.data() + text.size() && value >= 0 && (r.*member = value, true);
          }};
}

// group/fraction bits/result bits, e.g. 16/25/23; "arch" is the rule of the architecture.
Field dot_rule(const char* key, std::optional<arith::DotRule> Recipe::*member) {
  return {key, "arch or GROUP/FRACTION_BITS/RESULT_BITS such as 16/25/23",
          [=](const Recipe& r) {
            const auto& rule = r.*member;
            return rule ? fmt::format("{}/{}/{}", rule->group, rule->fraction_bits, rule->result_mantissa) : std::string("arch");
          },
          [=](Recipe& r, std::string_view text) {
            if (text == "arch") return (r.*member).reset(), true;
            arith::DotRule rule{0, 0, 0, arith::kAlignmentFloor};
            const std::string copy(text);
            char rest = 0;
            if (std::sscanf(copy.c_str(), "%d/%d/%d%c", &rule.group, &rule.fraction_bits, &rule.result_mantissa, &rest) != 3) return false;
            if (rule.group < 1 || rule.group > 64 || rule.fraction_bits < 1 || rule.fraction_bits > 40 ||
                rule.result_mantissa < 1 || rule.result_mantissa > 23) return false;
            return r.*member = rule, true;
          }};
}

Field exact_steps() {
  return {"exact", "names of roundings with commas", [](const Recipe& r) { return print_exact(r.roundings); },
          [](Recipe& r, std::string_view text) { return r.roundings = parse_exact(text), true; }};
}

std::span<const Field> fields() {
  static const std::vector<Field> kFields = {
      number("cta_tile", &Recipe::cta_tile, "tokens, a multiple of 64"),
      choice("splits", &Recipe::splits, {"strided", "contiguous"}),
      choice("keys_on_m", &Recipe::keys_on_m, {"decode", "always"}),
      dot_rule("half_rule", &Recipe::half_rule),
      dot_rule("e4m3_rule", &Recipe::e4m3_rule),
      choice("scale_order", &Recipe::scale_order, {"q_kv_root", "q_kvroot"}),
      choice("root", &Recipe::root, {"rounded", "approx"}),
      choice("mask_decode", &Recipe::mask_decode, {"lowest", "finite"}),
      choice("mask_draft", &Recipe::mask_draft, {"lowest", "finite"}),
      choice("draft_mask", &Recipe::draft_mask, {"tensor", "causal"}),
      choice("draft_window", &Recipe::draft_window, {"per_row", "last_row"}),
      number("extra_window", &Recipe::extra_window, "tokens"),
      choice("hint", &Recipe::hint, {"owner", "every_tile", "never"}),
      choice("skip_all", &Recipe::skip_all, {"block", "queries"}),
      choice("exp_form", &Recipe::exp_form, {"fma", "product"}),
      choice("ex2", &Recipe::ex2, {"approx", "rounded"}),
      number("p_scale", &Recipe::p_scale, "a positive number"),
      number("p_unscale", &Recipe::p_unscale, "a positive number"),
      choice("p_operand", &Recipe::p_operand, {"unit", "half"}),
      choice("row_sum", &Recipe::row_sum_source, {"rounded_p", "exact_p", "rounded_x"}),
      choice("row_sum_decode", &Recipe::row_sum_decode, {"matrix", "strips", "quads", "tokens"}),
      choice("row_sum_draft", &Recipe::row_sum_draft, {"matrix", "strips", "quads", "tokens"}),
      choice("p_rescale", &Recipe::p_rescale, {"product16", "f32"}),
      choice("exchange", &Recipe::exchange, {"fma", "mul_add"}),
      choice("factors", &Recipe::factors, {"own", "first"}),
      choice("tile_add", &Recipe::tile_add, {"half", "f32"}),
      choice("split_reciprocal", &Recipe::split_reciprocal, {"rounded", "approx"}),
      choice("output_factor", &Recipe::output_factor, {"folded", "separate"}),
      choice("sink", &Recipe::sink, {"kernel", "true_head", "ignored"}),
      choice("merge", &Recipe::merge, {"running", "global_max"}),
      choice("merge_reciprocal", &Recipe::merge_reciprocal, {"rounded", "approx"}),
      flag("e4m3_through_half", &Recipe::e4m3_through_half),
      flag("merged_e4m3_through_half", &Recipe::merged_e4m3_through_half),
      exact_steps(),
  };
  return kFields;
}

Recipe defaults_of(std::string_view family) {
  if (family == "hmma") return hmma_recipe();
  if (family == "gmma") return gmma_recipe();
  throw RecipeError(fmt::format("family: '{}' has no emulator; there are hmma and gmma", family));
}

}  // namespace

const char* name_of(Family family) { return family == Family::hmma ? "hmma" : "gmma"; }

Recipe hmma_recipe() { return {}; }

Recipe gmma_recipe() {
  Recipe recipe;
  recipe.family = Family::gmma;
  recipe.cta_tile = 64;
  recipe.mask_decode = MaskValue::finite;
  recipe.p_scale = recipe.p_unscale = kE4m3Max;
  recipe.row_sum_source = RowSumSource::exact_p;
  recipe.row_sum_decode = RowSumOrder::strips;
  recipe.row_sum_draft = RowSumOrder::quads;
  recipe.merge_reciprocal = Reciprocal::approx;
  recipe.merged_e4m3_through_half = false;
  return recipe;
}

Recipe parse_recipe(std::string_view family, std::string_view arch, std::string_view toolkit, std::string_view parameters) {
  Recipe recipe = defaults_of(family);
  recipe.arch = arch, recipe.toolkit = toolkit;
  return with_parameters(recipe, parameters);
}

Recipe with_parameters(const Recipe& base, std::string_view parameters) {
  Recipe recipe = base;
  while (true) {
    parameters.remove_prefix(std::min(parameters.find_first_not_of(' '), parameters.size()));
    if (parameters.empty()) return recipe;
    const std::string_view word = parameters.substr(0, parameters.find(' '));
    parameters.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const Field* found = nullptr;
    for (const Field& field : fields()) {
      if (key == field.key) found = &field;
    }
    if (found == nullptr) {
      std::string known;
      for (const Field& field : fields()) known += std::string(known.empty() ? "" : ", ") + field.key;
      throw RecipeError(fmt::format("recipe parameter '{}': unknown key; known are {}", word, known));
    }
    if (equals == std::string_view::npos || !found->set(recipe, word.substr(equals + 1))) {
      throw RecipeError(fmt::format("recipe parameter '{}': {} takes {}", word, found->key, found->values));
    }
    if (recipe.cta_tile == 0 || recipe.cta_tile % 64 != 0) throw RecipeError("recipe parameter cta_tile: must be a multiple of 64");
    if (recipe.p_scale == 0 || recipe.p_unscale == 0) throw RecipeError("recipe parameter p_scale, p_unscale: must be positive");
  }
}

std::string print_parameters(const Recipe& recipe) {
  const Recipe standard = defaults_of(name_of(recipe.family));
  std::string text;
  for (const Field& field : fields()) {
    const std::string value = field.print(recipe);
    if (value != field.print(standard)) text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.key, value);
  }
  return text;
}

bool Recipe::operator==(const Recipe& other) const {
  return family == other.family && arch == other.arch && toolkit == other.toolkit &&
         print_parameters(*this) == print_parameters(other);
}

std::string print_exact(const RoundingSet& roundings) {
  std::string text;
  for (std::size_t i = 0; i < kRoundings; ++i) {
    if (!roundings.on(static_cast<Rounding>(i))) text += std::string(text.empty() ? "" : ",") + kRoundingNames[i];
  }
  return text;
}

RoundingSet parse_exact(std::string_view names) {
  RoundingSet set;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    std::size_t i = 0;
    while (i < kRoundings && name != kRoundingNames[i]) ++i;
    if (i == kRoundings) throw RecipeError(fmt::format("exact: no rounding is called '{}'; there are {}", name, fmt::join(kRoundingNames, ", ")));
    set = set.without(static_cast<Rounding>(i));
  }
  return set;
}

}  // namespace xqacheck::emulation
