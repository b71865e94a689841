#include "reference/filters/screen.hpp"

#include <omp.h>

#include <algorithm>
#include <exception>

#include "reference/filters/filters.hpp"
#include "reference/filters/screen_task.hpp"

namespace xqacheck::reference::filters {
namespace {

// All pairs of heads while there are few of them; else pairs of one group, the ones that share K and V.
constexpr std::uint32_t kHeadsForAllPairs = 32;

void add(std::vector<Tally>& to, const std::vector<Tally>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

void merge(const Context& c, const Group& group, const TaskTallies& task, Screen& screen) {
  screen.softmax_scale += task.softmax_scale;
  screen.output_scale += task.output_scale;
  screen.window_narrow += task.window_narrow;
  screen.window_wide += task.window_wide;
  screen.length_short += task.length_short;
  screen.length_long += task.length_long;
  screen.mask_full += task.mask_full;
  screen.mask_causal += task.mask_causal;
  for (std::uint32_t h = 0; h < group.group; ++h) screen.sinks[group.kv_head * group.group + h] += task.sinks[h];
  SequenceTallies& to = screen.sequences[group.sequence_index];
  to.first = task.tokens.first;
  add(to.missing, task.tokens.missing);
  add(to.foreign, task.tokens.foreign);
  add(to.page_missing, task.tokens.page_missing);
  add(to.page_value, task.tokens.page_value);
  for (Eigen::Index l = 0; l < group.lines(); ++l) {
    std::copy_n(task.softmax_sensitivity.row(l).data(), c.problem.head_dim_v,
                screen.softmax_sensitivity.data() + group.place[static_cast<std::size_t>(l)] * c.problem.head_dim_v);
  }
}

// Exchanging the outputs of heads a and b.
void tally_swaps(const Context& c, Screen& screen) {
  const std::uint32_t heads = c.problem.q_heads, group = c.group();
  const std::size_t dim = c.problem.head_dim_v;
  for (std::uint32_t a = 0; a < heads; ++a) {
    for (std::uint32_t b = a + 1; b < heads; ++b) {
      if (heads > kHeadsForAllPairs && a / group != b / group) break;
      Tally tally;
      for (std::size_t row = 0; row < c.problem.total_rows; ++row) {
        const std::size_t at_a = (row * heads + a) * dim, at_b = (row * heads + b) * dim;
        for (std::size_t d = 0; d < dim; ++d) {
          const double difference = c.golden.out[at_b + d] - c.golden.out[at_a + d];
          const double w_a = c.evidence.weight[at_a + d], w_b = c.evidence.weight[at_b + d];
          if (w_a == 0 || w_b == 0) continue;
          tally.add(difference * (w_a * c.evidence.error[at_a + d] - w_b * c.evidence.error[at_b + d]),
                    difference * difference * (w_a + w_b));
        }
      }
      Suspect suspect{.fault = Fault::heads_swapped};
      suspect.head = static_cast<std::int32_t>(a);
      suspect.other = b;
      screen.swap_suspects.push_back(suspect);
      screen.swaps.push_back(tally);
    }
  }
}

bool selects(Heads heads, std::uint32_t head, std::uint32_t of) {
  switch (heads) {
    case Heads::even:
      return head % 2 == 0;
    case Heads::odd:
      return head % 2 == 1;
    case Heads::lower:
      return head < of / 2;
    case Heads::upper:
      return head >= of / 2;
    default:
      return true;
  }
}

class Lister {
 public:
  explicit Lister(double least) : least_(least) {}
  void put(const Suspect& suspect, const Tally& tally) {
    if (tally.seen() && std::fabs(tally.sigmas()) >= least_) list.push_back({suspect, tally});
  }
  std::vector<Scored> list;

 private:
  double least_;
};

void list_tokens(const Context& c, const SequenceTallies& tallies, const Sequence& s, Lister& lister) {
  for (std::size_t i = 0; i < tallies.missing.size(); ++i) {
    Suspect suspect{.fault = Fault::token_missing, .request = static_cast<std::int32_t>(s.request)};
    suspect.token = tallies.first + static_cast<std::int64_t>(i);
    suspect.page = static_cast<std::int32_t>(suspect.token / c.page_tokens);
    suspect.tokens = 1;
    if (tallies.missing[i].a < 0) {  // the error points the other way: counted twice
      suspect.fault = Fault::token_doubled;
    }
    lister.put(suspect, tallies.missing[i]);
    suspect.fault = Fault::token_foreign;
    lister.put(suspect, tallies.foreign[i]);
  }
  for (std::size_t i = 0; i < tallies.page_missing.size(); ++i) {
    Suspect suspect{.fault = Fault::page_missing, .request = static_cast<std::int32_t>(s.request)};
    suspect.token = tallies.first + static_cast<std::int64_t>(i) * c.page_tokens;
    suspect.tokens = std::min<std::int64_t>(c.page_tokens, s.length - suspect.token);
    suspect.page = static_cast<std::int32_t>(suspect.token / c.page_tokens);
    lister.put(suspect, tallies.page_missing[i]);
    suspect.fault = Fault::page_value;
    lister.put(suspect, tallies.page_value[i]);
  }
}

}  // namespace

Screen run_screen(const Context& c, int threads) {
  Screen screen;
  screen.sinks.resize(c.problem.q_heads);
  screen.sequences.resize(c.sequences());
  screen.softmax_sensitivity.assign(c.golden.out.size(), 0);
  const int workers = threads > 0 ? threads : omp_get_max_threads();
  std::vector<Group> groups(c.tasks());
  std::vector<TaskTallies> tasks(c.tasks());
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic) num_threads(workers)
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    try {
      groups[t] = make_group(c, t);
      tasks[t] = screen_task(c, groups[t]);
    } catch (...) {
#pragma omp critical(xqacheck_filters)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  for (std::size_t t = 0; t < tasks.size(); ++t) merge(c, groups[t], tasks[t], screen);
  tally_swaps(c, screen);
  for (const Scored& s : list_suspects(c, screen, 0)) {
    const Family family = family_of(s.suspect);
    ++(family == Family::scale ? screen.scales : family == Family::run ? screen.whole_run : screen.places);
  }
  return screen;
}

std::vector<Scored> list_suspects(const Context& c, const Screen& screen, double least) {
  Lister lister(least);
  const auto whole_run = [&](Fault fault, const Tally& tally) { lister.put(Suspect{.fault = fault}, tally); };
  whole_run(Fault::softmax_scale, screen.softmax_scale);
  whole_run(Fault::output_scale, screen.output_scale);
  whole_run(Fault::length_short, screen.length_short);
  whole_run(Fault::length_long, screen.length_long);
  whole_run(Fault::window_narrow, screen.window_narrow);
  whole_run(Fault::window_wide, screen.window_wide);
  whole_run(Fault::mask_full, screen.mask_full);
  whole_run(Fault::mask_causal, screen.mask_causal);
  for (Heads heads : {Heads::all, Heads::even, Heads::odd, Heads::lower, Heads::upper}) {
    Tally tally;
    for (std::uint32_t h = 0; h < screen.sinks.size(); ++h) {
      if (selects(heads, h, c.problem.q_heads)) tally += screen.sinks[h];
    }
    lister.put(Suspect{.fault = Fault::sink_ignored, .heads = heads}, tally);
  }
  for (std::uint32_t h = 0; h < screen.sinks.size(); ++h) {
    Suspect suspect{.fault = Fault::sink_ignored, .heads = Heads::one};
    suspect.head = static_cast<std::int32_t>(h);
    lister.put(suspect, screen.sinks[h]);
  }
  for (std::size_t i = 0; i < screen.swaps.size(); ++i) lister.put(screen.swap_suspects[i], screen.swaps[i]);
  for (std::size_t i = 0; i < screen.sequences.size(); ++i) {
    list_tokens(c, screen.sequences[i], c.sight.sequences()[i], lister);
  }
  return lister.list;
}

}  // namespace xqacheck::reference::filters
