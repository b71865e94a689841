#include "properties/restrict_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "properties/errors.hpp"
#include "reference/case_error.hpp"
#include "reference/names.hpp"

namespace xqacheck::properties {
namespace {

using namespace reference;

struct Draw {
  std::string key;
  std::vector<std::string> values;
};

Draw parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("--draw {}: needs key=value,value, for example dim=64,128", printable(text)));
  Draw draw{text.substr(0, equals), {}};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    draw.values.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return draw;
}

[[noreturn]] void no_such(const Draw& draw, const std::string& value, const std::vector<std::string>& offered) {
  const std::string near = nearest_of(value, {offered.begin(), offered.end()});
  throw UsageError(fmt::format("--draw {}={}: this kernel is drawn with {}{}", draw.key, printable(value),
                               fmt::join(offered, ", "),
                               near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
}

// Keeps the elements whose text is asked for; repeated ones keep their weight. `extra` is a value that is not in the
// list but may be asked for too.
template <class T, class Text>
void keep(const Draw& draw, std::vector<T>& list, Text text, const std::string& extra = "") {
  std::vector<std::string> offered;
  for (const T& element : list)
    if (std::find(offered.begin(), offered.end(), text(element)) == offered.end()) offered.push_back(text(element));
  if (!extra.empty()) offered.push_back(extra);
  for (const std::string& value : draw.values)
    if (std::find(offered.begin(), offered.end(), value) == offered.end()) no_such(draw, value, offered);
  std::erase_if(list, [&](const T& element) {
    return std::find(draw.values.begin(), draw.values.end(), text(element)) == draw.values.end();
  });
}

void keep_dims(const Draw& draw, Profile& profile) {
  const std::string mla = "576/512";
  keep(draw, profile.dims, [](std::uint32_t n) { return std::to_string(n); }, profile.mla ? mla : "");
  profile.mla = std::find(draw.values.begin(), draw.values.end(), mla) != draw.values.end();
  // The generator replaces a drawn dim by MLA now and then: it needs one to start from.
  if (profile.dims.empty())
    throw UsageError("--draw dim=576/512: needs at least one more head dim; MLA is drawn in one case of sixteen");
}

void switch_off(const Draw& draw, bool& flag) {
  if (draw.values != std::vector<std::string>{"off"})
    throw UsageError(fmt::format("--draw {}={}: only 'off' can be asked for", draw.key,
                                 printable(fmt::format("{}", fmt::join(draw.values, ",")))));
  flag = false;
}

constexpr std::string_view kKeys[] = {"dim",  "group", "page",   "layout", "table", "mask", "sinks", "rope", "data",  "q",
                                      "kv",   "out",   "window", "beam",   "skip",  "lse",  "bias",  "inject", "pad",
                                      "scales"};

void apply(const Draw& draw, Profile& p) {
  const auto number = [](std::uint32_t n) { return std::to_string(n); };
  const auto name = [](auto value) { return std::string(name_of(value)); };
  const std::string& key = draw.key;
  if (key == "dim") return keep_dims(draw, p);
  if (key == "group") return keep(draw, p.groups, number);
  if (key == "page") return keep(draw, p.pages, number);
  if (key == "layout") return keep(draw, p.layouts, name);
  if (key == "table") return keep(draw, p.tables, name);
  if (key == "mask") return keep(draw, p.masks, name);
  if (key == "sinks")
    return keep(draw, p.sinks, [](SinkKind kind) { return std::string(sink_names()[static_cast<std::size_t>(kind)]); });
  if (key == "rope") return keep(draw, p.ropes, name);
  if (key == "data") return keep(draw, p.data, name);
  if (key == "q") return keep(draw, p.formats, [&](const Formats& f) { return name(f.q); });
  if (key == "kv") return keep(draw, p.formats, [&](const Formats& f) { return name(f.kv); });
  if (key == "out") return keep(draw, p.formats, [&](const Formats& f) { return name(f.out); });
  if (key == "window") return switch_off(draw, p.window);
  if (key == "beam") return switch_off(draw, p.beam);
  if (key == "skip") return switch_off(draw, p.skip);
  if (key == "lse") return switch_off(draw, p.lse);
  if (key == "bias") return switch_off(draw, p.bias);
  if (key == "inject") return switch_off(draw, p.nan_inputs);
  if (key == "pad") return switch_off(draw, p.padding);
  if (key == "scales") return switch_off(draw, p.scales);
  const std::string near = nearest_of(key, {std::begin(kKeys), std::end(kKeys)});
  throw UsageError(fmt::format("--draw {}: there is no such key; keys are {}{}", printable(key), fmt::join(kKeys, ", "),
                               near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
}

}  // namespace

void restrict_profile(Profile& profile, const std::vector<std::string>& draws) {
  std::set<std::string> seen;
  for (const std::string& text : draws) {
    const Draw draw = parse(text);
    if (!seen.insert(draw.key).second)
      throw UsageError(fmt::format("--draw {}: the key is given twice; list its values in one", printable(text)));
    apply(draw, profile);
  }
}

}  // namespace xqacheck::properties
