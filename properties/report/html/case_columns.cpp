#include "properties/report/html/case_columns.hpp"

#include "reference/case_error.hpp"
#include "reference/names.hpp"
#include "reference/run_line.hpp"

namespace xqacheck::properties::html {

std::uint32_t CaseColumns::index(std::string_view case_line) {
  const std::uint32_t text = texts_.index(case_line);
  const auto [at, added] = places_.try_emplace(text, static_cast<std::uint32_t>(line_.size()));
  if (!added) return at->second;
  line_.push_back(text);
  try {
    const reference::Case subject = reference::parse_run_line(case_line).subject;
    length_.push_back(subject.max_len());
    requests_.push_back(subject.requests());
    heads_.push_back(texts_.index(std::to_string(subject.q_heads) + "/" + std::to_string(subject.kv_heads)));
    dim_.push_back(subject.dim);
    q_.push_back(texts_.index(reference::name_of(subject.q)));
    kv_.push_back(texts_.index(reference::name_of(subject.kv)));
    out_.push_back(texts_.index(reference::name_of(subject.out)));
  } catch (const reference::CaseError&) {  // a later version's line
    length_.push_back(-1);
    for (auto* column : {&requests_, &heads_, &dim_, &q_, &kv_, &out_}) column->push_back(0);
  }
  return at->second;
}

nlohmann::ordered_json CaseColumns::columns() const {
  return {{"line", line_}, {"length", length_}, {"requests", requests_}, {"heads", heads_}, {"dim", dim_}, {"q", q_},
          {"kv", kv_},     {"out", out_}};
}

}  // namespace xqacheck::properties::html
