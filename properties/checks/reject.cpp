// reject: problems that contradict themselves are refused with a reason before anything runs, and odd but valid ones
// are refused or answered within the bound. Contents (lengths, page ids) are not the kernel's to refuse: the kernel
// interface forbids it to look at them (kernels/abi/xqacheck_kernel.h, supports).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "properties/case_steps.hpp"
#include "properties/checks/judge_golden.hpp"
#include "reference/case_line.hpp"

namespace xqacheck::properties {
namespace {

using reference::Case;
using reference::Problem;

// Each makes the description contradict itself in one field; returns false where the case does not have the field.
struct Malformed {
  const char* what;
  bool (*change)(xqacheck_problem& d);
};

constexpr std::uint32_t kNoDtype = 99;                       // no value of xqacheck_dtype
constexpr std::int64_t kHugeStride = std::int64_t{1} << 61;  // times 16 leaves 64 bits

const Malformed kMalformed[] = {
    {"requests = 0", [](xqacheck_problem& d) { return d.requests = 0, true; }},
    {"requests = 2^31 for the rows of one batch", [](xqacheck_problem& d) { return d.requests = 1u << 31, true; }},
    {"q_heads = 0", [](xqacheck_problem& d) { return d.q_heads = 0, true; }},
    {"kv_heads = 0", [](xqacheck_problem& d) { return d.kv_heads = 0, true; }},
    {"kv_heads above q_heads", [](xqacheck_problem& d) { return d.kv_heads = d.q_heads + 1, true; }},
    {"head_dim = 0", [](xqacheck_problem& d) { return d.head_dim = 0, true; }},
    {"head_dim no multiple of 16", [](xqacheck_problem& d) { return d.head_dim -= 8, true; }},
    {"head_dim_v = 0", [](xqacheck_problem& d) { return d.head_dim_v = 0, true; }},
    {"head_dim_v above head_dim with K and V in one storage",
     [](xqacheck_problem& d) { return d.kv_aliased = 1, d.head_dim_v = d.head_dim + 16, true; }},
    {"beam_width = 0", [](xqacheck_problem& d) { return d.beam_width = 0, true; }},
    {"max_rows = 0", [](xqacheck_problem& d) { return d.max_rows = 0, true; }},
    {"total_rows one less than the rows",
     [](xqacheck_problem& d) { return d.total_rows -= 1, d.ragged == 0 && d.total_rows > 0; }},
    {"an unknown dtype of q", [](xqacheck_problem& d) { return d.q.dtype = kNoDtype, true; }},
    {"an unknown dtype of k and v", [](xqacheck_problem& d) { return d.k.dtype = d.v.dtype = kNoDtype, true; }},
    {"an unknown dtype of out", [](xqacheck_problem& d) { return d.out.dtype = kNoDtype, true; }},
    {"seq_lens of fp32", [](xqacheck_problem& d) { return d.seq_lens.dtype = XQACHECK_FP32, true; }},
    {"a capacity beyond the page table",
     [](xqacheck_problem& d) {
       return d.max_seq_len = d.table_columns * d.page_tokens + 1, d.page_tokens != 0 && d.beam_width == 1;
     }},
    {"an unknown mask_kind", [](xqacheck_problem& d) { return d.mask_kind = 7, true; }},
    {"mask_words = 0 with a mask", [](xqacheck_problem& d) { return d.mask_words = 0, d.mask.dtype != XQACHECK_NONE; }},
    {"an unknown rope_kind", [](xqacheck_problem& d) { return d.rope_kind = 9, true; }},
    {"rotary_dim above head_dim",
     [](xqacheck_problem& d) { return d.rotary_dim = d.head_dim + 16, d.rope_kind != XQACHECK_ROPE_NONE; }},
    {"lse_base = 1", [](xqacheck_problem& d) { return d.lse_base = 1, d.lse.dtype != XQACHECK_NONE; }},
    {"skip_softmax_factor = NaN",
     [](xqacheck_problem& d) { return d.skip_softmax_factor = std::numeric_limits<float>::quiet_NaN(), true; }},
    {"a stride of q that leaves 64 bits",
     [](xqacheck_problem& d) { return d.q_stride_head = kHugeStride, d.q_heads > 1; }},
    {"a negative stride of q", [](xqacheck_problem& d) { return d.q_stride_head = -d.q_stride_head, d.q_heads > 1; }},
    {"a page stride that leaves 64 bits",
     [](xqacheck_problem& d) { return d.k_stride_page = kHugeStride, d.pages_in_pool > 1; }},
    {"more pages than the pool holds",
     [](xqacheck_problem& d) {
       return d.pages_in_pool = std::numeric_limits<std::uint32_t>::max(), d.page_tokens != 0;
     }},
};

// Valid, but off the beaten track: refused or right.
struct Odd {
  const char* what;
  void (*change)(Case& c);
};

const Odd kOdd[] = {
    {"with odd gaps after pages, tokens and heads", [](Case& c) { c.pad_page = 5, c.pad_token = 3, c.pad_head = 1; }},
    {"with odd gaps in q", [](Case& c) { c.q_pad_row = 3, c.q_pad_head = 1; }},
    {"with odd gaps in out", [](Case& c) { c.out_pad_row = 3, c.out_pad_head = 1; }},
    {"with 33 query heads a KV head", [](Case& c) { c.kv_heads = 1, c.q_heads = 33; }},
    {"with a head dimension of 272", [](Case& c) { c.dim = c.dim_v = 272, c.rotary_dim = 0; }},
    {"with pages of 24 tokens", [](Case& c) { set_page(c, 24); }},
};

constexpr std::uint32_t kShort = 64;  // tokens: refusals depend on the description, so short requests do

Case shortened(Case c) {
  const Case original = c;
  for (std::size_t b = 0; b < c.lens.size(); ++b) c.lens[b] = std::min(c.lens[b], std::max(kShort, c.rows(b)));
  c.capacity = 0;
  c.inject.clear();
  c.data = reference::DataKind::normal;
  c = reference::settled(std::move(c));
  return is_consistent(c) ? c : original;
}

std::optional<Verdict> must_refuse(Trial& trial, const Malformed& malformed) {
  Problem problem = trial.problem().clone();
  if (!malformed.change(problem.description)) return std::nullopt;
  const Outcome outcome = trial.run(problem, trial.run_options());
  if (outcome.status == RunStatus::ok)
    return failed("answered", fmt::format("{}: answered instead of refused", malformed.what));
  if (outcome.status == RunStatus::error)
    return failed("error",
                  fmt::format("{}: accepted by supports() and prepare(), then: {}", malformed.what, outcome.why));
  if (!is_judgeable(outcome) && outcome.status != RunStatus::unsupported && outcome.status != RunStatus::invalid)
    return verdict_of_broken_run(outcome, malformed.what);
  if (outcome.why.empty() || outcome.why.ends_with("gave no reason"))
    return failed("no reason", fmt::format("{}: refused without a reason", malformed.what));
  return Verdict{};  // refused as it should be: status is passed
}

std::optional<Verdict> refuse_or_answer(Trial& trial, const Odd& odd) {
  reference::RunLine line = trial.run_line();
  odd.change(line.subject);
  line.subject = reference::settled(std::move(line.subject));
  if (line.subject == trial.subject() || !is_consistent(line.subject)) return std::nullopt;
  Trial changed(line, trial.runner(), trial.options());
  const Outcome& outcome = changed.plain_run();
  if (outcome.status == RunStatus::unsupported || outcome.status == RunStatus::invalid) return Verdict{};
  Verdict verdict = is_judgeable(outcome)
                        ? judge_golden(changed.view(), changed.golden(), changed.kernel(), outcome, odd.what)
                        : verdict_of_broken_run(outcome, odd.what);
  if (is_failure(verdict.status)) verdict.notes.push_back("the case judged: " + reference::print_case(line.subject));
  return verdict;
}

Verdict check(Trial& trial) {
  if (!is_judgeable(trial.plain_run())) return verdict_of_broken_run(trial.plain_run(), "");
  if (!trial.subject().file.empty()) return unsupported("tensors from a file fit one shape only");
  reference::RunLine line = trial.run_line();
  line.subject = shortened(line.subject);
  Trial brief(line, trial.runner(), trial.options());
  // A kernel that refuses the well-formed problem too would pass for the wrong reason.
  if (!is_judgeable(brief.plain_run())) return verdict_of_broken_run(brief.plain_run(), "shortened");
  Verdict result = passed();
  for (const Malformed& malformed : kMalformed) {
    const auto verdict = must_refuse(brief, malformed);
    if (!verdict) continue;
    if (is_failure(verdict->status)) return *verdict;
    ++result.elements;
  }
  for (const Odd& odd : kOdd) {
    const auto verdict = refuse_or_answer(brief, odd);
    if (!verdict) continue;
    if (is_failure(verdict->status)) return *verdict;
    ++result.elements;
  }
  return result;
}

}  // namespace

extern const Property reject_property;
const Property reject_property = {
    "reject", "problems that contradict themselves are refused with a reason; odd ones are refused or answered right",
    check};

}  // namespace xqacheck::properties
