#include "emulation/ptx/front/type.hpp"

#include <utility>

namespace xqacheck::ptx {
namespace {

constexpr std::pair<std::string_view, Type> kNames[] = {
    {"pred", Type::pred},     {"b8", Type::b8},         {"b16", Type::b16}, {"b32", Type::b32},
    {"b64", Type::b64},       {"b128", Type::b128},     {"u8", Type::u8},   {"u16", Type::u16},
    {"u32", Type::u32},       {"u64", Type::u64},       {"s8", Type::s8},   {"s16", Type::s16},
    {"s32", Type::s32},       {"s64", Type::s64},       {"f16", Type::f16}, {"f16x2", Type::f16x2},
    {"bf16", Type::bf16},     {"bf16x2", Type::bf16x2}, {"f32", Type::f32}, {"f64", Type::f64},
    {"e4m3x2", Type::e4m3x2}, {"e5m2x2", Type::e5m2x2},
};

}  // namespace

std::optional<Type> type_of(std::string_view name) {
  for (const auto& [text, type] : kNames)
    if (text == name) return type;
  return std::nullopt;
}

const char* name_of(Type type) {
  for (const auto& [text, candidate] : kNames)
    if (candidate == type) return text.data();
  return "none";
}

}  // namespace xqacheck::ptx
