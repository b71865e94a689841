// Profile: what random cases may contain. Either everything that a case line can say, or what a kernel says it
// supports, found by asking it about one feature at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/case.hpp"

namespace xqacheck::properties {

class Runner;

struct Formats {
  reference::Dtype q, kv, out;
  bool operator==(const Formats&) const = default;
};

// Each list holds the values that may be drawn; draws weigh the boundaries, not the order here.
struct Profile {
  std::vector<Formats> formats;
  std::vector<std::uint32_t> dims;    // head_dim = head_dim_v
  std::vector<std::uint32_t> groups;  // query heads of a KV head
  std::vector<std::uint32_t> pages;   // 0: contiguous
  std::vector<reference::Layout> layouts;
  std::vector<reference::TableKind> tables;
  std::vector<reference::MaskKind> masks;  // none: decode; the others need draft tokens
  std::vector<reference::SinkKind> sinks;
  std::vector<reference::RopeStyle> ropes;
  std::vector<reference::DataKind> data;
  std::uint32_t max_draft = 16;
  bool mla = false;           // dim=576/512
  bool zero_length = false;   // requests without tokens
  bool padding = false;       // unused elements after pages, tokens, heads
  bool scales = false;        // scales other than the defaults of the format
  bool scales_apart = false;  // K and V with scales of their own
  bool window = false;
  bool ragged_draft = false;
  bool beam = false;
  bool skip = false;
  bool bias = false;  // with RoPE only
  bool lse = false;
  bool poisoned_tail = false;         // NaN after the last token of a request
  bool nan_inputs = false;            // NaN or Inf in used places, all-masked scores
  std::vector<std::string> left_out;  // one line a feature that the kernel does not support, with its reason
};

// Everything the case line can say (except tensors from files and pools of many GiB).
Profile full_profile();

// What the kernel behind `runner` does not call UNSUPPORTED. Asks about some hundred tiny cases; a kernel that supports
// none of the starting cases gets the full profile, so that its refusals show up as verdicts.
Profile probe_profile(Runner& runner);

}  // namespace xqacheck::properties
