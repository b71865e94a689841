// Schedule: which (property, case) comes next when time is short: the one that is expected to find most faults a
// second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "properties/power_table.hpp"
#include "properties/property.hpp"

namespace xqacheck::properties {

class Schedule {
 public:
  // Every property takes the cases 0 to `cases` - 1 in order.
  Schedule(const std::vector<const Property*>& properties, std::size_t cases);

  struct Item {
    std::size_t property = 0, position = 0;
  };
  // Nothing once all is handed out.
  std::optional<Item> next();
  // What an item cost, and whether its verdict was UNSUPPORTED: properties that have nothing to say come last.
  void done(const Item& item, double seconds, bool unsupported);

  struct Reached {
    const Property* property;
    std::uint64_t judged = 0, asked = 0;
    double seconds = 0;
  };
  std::vector<Reached> reached() const;

 private:
  struct State {
    const Property* property;
    const Power* power;
    std::size_t handed_out = 0;
    std::uint64_t judged = 0, unsupported = 0;
    double seconds = 0;
    double rate() const;  // faults a second of one more case
  };
  std::vector<State> states_;
  std::size_t cases_;
};

// "golden 200 of 1000 cases, …": what a run did not get to; "" if it got to everything.
std::string not_reached(const std::vector<Schedule::Reached>& reached);

}  // namespace xqacheck::properties
