#include "reference/filters/suspect.hpp"

#include <fmt/format.h>

#include <cmath>

namespace xqacheck::reference::filters {
namespace {

std::string name_of_heads(const Suspect& s) {
  switch (s.heads) {
    case Heads::all:
      return "all heads";
    case Heads::even:
      return "the even heads";
    case Heads::odd:
      return "the odd heads";
    case Heads::lower:
      return "the lower half of the heads";
    case Heads::upper:
      return "the upper half of the heads";
    case Heads::one:
      return fmt::format("head {}", s.head);
  }
  return {};
}

std::string token_of(const Suspect& s) {
  return fmt::format("token {} of request {}", s.token, s.request);
}

std::string page_of(const Suspect& s) {
  return fmt::format("page {} (tokens {} to {}) of request {}", s.page, s.token, s.token + s.tokens - 1, s.request);
}

}  // namespace

bool has_strength(Fault fault) {
  return fault == Fault::softmax_scale || fault == Fault::output_scale || fault == Fault::noise;
}

std::string text_of(const Suspect& s, double amplitude) {
  switch (s.fault) {
    case Fault::softmax_scale:
      return fmt::format("softmax scale {:+.3g} %", 100 * amplitude);
    case Fault::output_scale:
      return fmt::format("output scale {:+.3g} %", 100 * amplitude);
    case Fault::sink_ignored:
      return "sink ignored in " + name_of_heads(s);
    case Fault::token_missing:
      return token_of(s) + " missing";
    case Fault::token_doubled:
      return token_of(s) + " counted twice";
    case Fault::token_foreign:
      return token_of(s) + " attended where it should not be";
    case Fault::length_short:
      return "last token missing";
    case Fault::length_long:
      return "one token past the end attended";
    case Fault::window_narrow:
      return "window one token too narrow";
    case Fault::window_wide:
      return "window one token too wide";
    case Fault::mask_full:
      return "full mask instead of the given one";
    case Fault::mask_causal:
      return "causal mask instead of the given one";
    case Fault::page_missing:
      return page_of(s) + " skipped";
    case Fault::page_value:
      return "V of " + page_of(s) + " is wrong";
    case Fault::page_replaced:
      return fmt::format("{} read from physical page {}", page_of(s), s.other);
    case Fault::page_value_replaced:
      return fmt::format("V of {} read from physical page {}", page_of(s), s.other);
    case Fault::page_key_replaced:
      return fmt::format("K of {} read from physical page {}", page_of(s), s.other);
    case Fault::heads_swapped:
      return fmt::format("query heads {} and {} swapped", s.head, s.other);
    case Fault::merge_unscaled:
      return fmt::format("{} sub-sequences{} merged without rescaling", s.other,
                         s.tokens == 1 ? " (tiles in turn)" : "");
    case Fault::output_zero:
      return "output is zero";
    case Fault::row_garbage:
      return fmt::format("row {} of request {}, head {} is garbage, alone", s.row, s.request, s.head);
    case Fault::noise:
      return fmt::format("errors {:.3g} times the declared rounding", amplitude);
    case Fault::edit:
      return s.reading;
  }
  return {};
}

}  // namespace xqacheck::reference::filters
