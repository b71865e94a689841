#include "properties/schedule.hpp"

#include <fmt/format.h>

namespace xqacheck::properties {

Schedule::Schedule(const std::vector<const Property*>& properties, std::size_t cases) : cases_(cases) {
  for (const Property* property : properties) states_.push_back({property, &power_of(property->id)});
}

double Schedule::State::rate() const {
  // The prior counts as one case: the first measurement does not throw a property out.
  const double cost = (power->seconds + seconds) / (1 + static_cast<double>(judged));
  const double speaks = (1 + static_cast<double>(judged - unsupported)) / (1 + static_cast<double>(judged));
  return gain(*power, static_cast<double>(handed_out)) * speaks / cost;
}

std::optional<Schedule::Item> Schedule::next() {
  State* best = nullptr;
  for (State& state : states_)
    if (state.handed_out < cases_ && (best == nullptr || state.rate() > best->rate())) best = &state;
  if (best == nullptr) return std::nullopt;
  return Item{static_cast<std::size_t>(best - states_.data()), best->handed_out++};
}

void Schedule::done(const Item& item, double seconds, bool unsupported) {
  State& state = states_[item.property];
  ++state.judged;
  state.unsupported += unsupported;
  state.seconds += seconds;
}

std::vector<Schedule::Reached> Schedule::reached() const {
  std::vector<Reached> all;
  for (const State& state : states_) all.push_back({state.property, state.judged, cases_, state.seconds});
  return all;
}

std::string not_reached(const std::vector<Schedule::Reached>& reached) {
  std::string text;
  for (const Schedule::Reached& each : reached)
    if (each.judged < each.asked)
      text += fmt::format("{}{} {} of {} cases", text.empty() ? "" : ", ", each.property->id, each.judged, each.asked);
  return text;
}

}  // namespace xqacheck::properties
