// Every property by name. A table, not registration by static objects: a linker drops unused objects of a library.
#include <array>

#include "properties/property.hpp"

namespace xqacheck::properties {

extern const Property bits_property, graph_property, producer_property, golden_property, rerun_property,
    poison_property, relabel_property, company_property, guard_property, workspace_property, plan_property,
    edges_property, certificate_property, twin_property, laws_property, reject_property, route_property;

namespace {

constexpr std::array<const Property*, 17> kProperties = {
    &golden_property,      &bits_property,  &rerun_property,     &poison_property, &relabel_property,
    &company_property,     &guard_property, &workspace_property, &plan_property,   &edges_property,
    &certificate_property, &twin_property,  &laws_property,      &reject_property, &route_property,
    &producer_property,    &graph_property};

}  // namespace

std::span<const Property* const> all_properties() {
  return kProperties;
}

const Property* property_named(std::string_view id) {
  for (const Property* property : kProperties)
    if (id == property->id) return property;
  return nullptr;
}

}  // namespace xqacheck::properties
