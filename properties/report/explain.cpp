#include "properties/report/explain.hpp"

#include <fmt/format.h>

#include <cmath>

namespace xqacheck::properties {
namespace {

std::string place_of(const BadElement& bad) {
  std::string text;
  if (bad.token >= 0) text += fmt::format(", token {}", bad.token);
  if (bad.page >= 0) text += fmt::format(", page {}", bad.page);
  if (bad.tile >= 0) text += fmt::format(", tile {}", bad.tile);
  if (bad.sub_sequence >= 0) text += fmt::format(", sub-sequence {}", bad.sub_sequence);
  return text;
}

std::string line_of(const BadElement& bad) {
  return fmt::format(
      "  request {} row {} head {} dim {}: got {:.9g}, want {:.9g}, off by {:.3g} ({:.3g} ulps), bound {:.3g}{}\n",
      bad.request, bad.row, bad.head, bad.dim, bad.got, bad.want, std::abs(bad.got - bad.want), bad.ulps, bad.bound,
      place_of(bad));
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string explain(const Verdict& verdict) {
  std::string text = fmt::format("{} {}: {}\n", name_of(verdict.status), verdict.property, verdict.message);
  if (verdict.bad_elements > 0)
    text += fmt::format("  {} of {} elements are bad; the worst:\n", verdict.bad_elements, verdict.elements);
  for (const BadElement& bad : verdict.evidence) text += line_of(bad);
  for (const std::string& note : verdict.notes) text += "  " + note + "\n";
  if (!verdict.route.kernel.empty())
    text += fmt::format("  ran: kernel {} {} on {}, splits {}\n", verdict.route.kernel, verdict.route.version,
                        verdict.route.device, verdict.route.splits);
  text += fmt::format("  reproduce: xqacheck repro {}\n", shell_quoted(verdict.run_line));
  return text;
}

}  // namespace xqacheck::properties
