// The words of the case line for every enumeration, in the order of the enumerators.
#pragma once

#include <span>
#include <string_view>

#include "reference/case.hpp"

namespace xqacheck::reference {

// Name lists, indexed by the enumerator's value.
std::span<const std::string_view> dtype_names();
std::span<const std::string_view> layout_names();
std::span<const std::string_view> table_names();
std::span<const std::string_view> unused_names();
std::span<const std::string_view> tail_names();
std::span<const std::string_view> mask_names();
std::span<const std::string_view> rope_names();
std::span<const std::string_view> sink_names();
std::span<const std::string_view> data_names();
std::span<const std::string_view> inject_value_names();
std::span<const std::string_view> inject_tensor_names();

// One sentence about each data kind and table kind, in the same order, for `xqacheck list`.
std::span<const std::string_view> data_descriptions();
std::span<const std::string_view> table_descriptions();

std::string_view name_of(Dtype value);
std::string_view name_of(Layout value);
std::string_view name_of(TableKind value);
std::string_view name_of(MaskKind value);
std::string_view name_of(RopeStyle value);
std::string_view name_of(DataKind value);

}  // namespace xqacheck::reference
