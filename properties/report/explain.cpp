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

std::string explain(const Verdict& verdict, const std::string& command) {
  std::string text = fmt::format("{} {}", name_of(verdict.status), verdict.property);
  if (!verdict.message.empty()) text += ": " + verdict.message;
  if (verdict.status == Status::passed) text += fmt::format(": {} elements", verdict.elements);
  if (verdict.status == Status::passed && verdict.bound_used > 0)
    text += fmt::format(", at most {:.1f} % of the bound used", verdict.bound_used * 100);
  text += '\n';
  if (verdict.bad_elements > 0)
    text += fmt::format("  {} of {} elements are bad; the worst:\n", verdict.bad_elements, verdict.elements);
  for (const BadElement& bad : verdict.evidence) text += line_of(bad);
  for (const std::string& note : verdict.notes) text += "  " + note + "\n";
  if (!verdict.route.kernel.empty())
    text += fmt::format("  ran: kernel {} {} on {}, splits {}\n", verdict.route.kernel, verdict.route.version,
                        verdict.route.device, verdict.route.splits);
  text += "  reproduce: " + (command.empty() ? "xqacheck repro " + shell_quoted(verdict.run_line) : command) + "\n";
  return text;
}

}  // namespace xqacheck::properties
