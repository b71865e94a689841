// The filters: exact changes of the output, what is seen and named, what stays silent.
#include "reference/filters/filters.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "reference/case_line.hpp"
#include "reference/filters/edits.hpp"
#include "reference/filters/explain.hpp"
#include "reference/filters/output_grid.hpp"
#include "reference/filters/physical.hpp"
#include "reference/filters/readings.hpp"
#include "reference/filters/row_noise.hpp"
#include "reference/filters/weight_replay.hpp"
#include "reference/problem.hpp"
#include "tests/catch.hpp"
#include "tests/reference/filters/planted_faults.hpp"

namespace {

using namespace xqacheck;
using namespace xqacheck::reference::filters;
using reference::Golden;
using reference::Problem;

struct Made {
  Problem problem;
  xqacheck_problem view{};
  Golden golden;

  explicit Made(const std::string& line) : problem(reference::make_problem(reference::parse_case(line))) {
    view = problem.view(nullptr, nullptr);
    golden = reference::golden(view, nullptr);
  }
};

double largest_difference(const std::vector<double>& change, const std::vector<double>& wrong,
                          const std::vector<double>& right) {
  double most = 0;
  for (std::size_t i = 0; i < change.size(); ++i) most = std::max(most, std::fabs(right[i] + change[i] - wrong[i]));
  return most;
}

// The change that a suspect predicts against the golden result of the problem that has the fault.
void check_change(const Made& made, const Suspect& suspect, const xqacheck_problem& faulty, double allowed = 1e-12) {
  const Context context(made.view, made.golden, nullptr, made.golden.out);
  const Screen screen = run_screen(context, 1);
  const std::vector<double> change = change_of_run(context, suspect, screen.softmax_sensitivity);
  const Golden wrong = reference::golden(faulty, nullptr, {.error_model = false});
  INFO(text_of(suspect, 1));
  CHECK(largest_difference(change, wrong.out, made.golden.out) < allowed);
  CHECK(std::any_of(change.begin(), change.end(), [](double x) { return x != 0; }));
}

TEST_CASE("a suspect's change of the output is exact: golden of the faulty problem minus golden") {
  Made made("xqa/1 heads=8/2 dim=64 len=100 cap=128 page=16 sinks=1 window=40 seed=3");
  xqacheck_problem p = made.view;
  p.sinks = {};
  check_change(made, Suspect{.fault = Fault::sink_ignored}, p);
  p = made.view;
  p.window = 41;
  check_change(made, Suspect{.fault = Fault::window_wide}, p);
  p.window = 39;
  check_change(made, Suspect{.fault = Fault::window_narrow}, p);

  Made open("xqa/1 heads=8/2 dim=64 len=100 cap=128 page=16 sinks=1 seed=3");
  std::uint32_t length = 99;
  p = open.view;
  p.seq_lens.data = &length;
  check_change(open, Suspect{.fault = Fault::length_short}, p);
  Suspect token{.fault = Fault::token_missing, .request = 0};
  token.token = 99;
  check_change(open, token, p);
  length = 101;
  check_change(open, Suspect{.fault = Fault::length_long}, p);

  Made drafts("xqa/1 heads=8/2 dim=64 len=100 page=16 draft=4 seed=4");
  p = drafts.view;
  p.mask_kind = XQACHECK_MASK_NONE;
  check_change(drafts, Suspect{.fault = Fault::mask_full}, p);
  Made tree("xqa/1 heads=8/2 dim=64 len=100 page=16 tree=0,1,1,2 seed=4");
  p = tree.view;
  p.mask_kind = XQACHECK_MASK_CAUSAL;
  p.mask = {};
  p.depths = {};
  check_change(tree, Suspect{.fault = Fault::mask_causal}, p);
}

TEST_CASE("the change of a page read from elsewhere is exact, for K, V and both") {
  Made made("xqa/1 heads=4/2 dim=32 len=80 page=16 table=shuffled seed=5");
  const auto* table = made.problem.tensor(reference::TensorId::page_table).as<std::int32_t>();
  const std::int32_t right = table[2], other = table[4];
  for (Fault fault : {Fault::page_value_replaced, Fault::page_key_replaced, Fault::page_replaced}) {
    Problem changed = made.problem.clone();
    for (auto id : {reference::TensorId::k, reference::TensorId::v}) {
      const bool k = id == reference::TensorId::k;
      if ((k && fault == Fault::page_value_replaced) || (!k && fault == Fault::page_key_replaced)) continue;
      const std::size_t bytes =
          static_cast<std::size_t>(k ? made.view.k_stride_page : made.view.v_stride_page) * 2;  // bf16
      std::byte* data = changed.tensor(id).data();
      std::memcpy(data + right * bytes, data + other * bytes, bytes);
    }
    Suspect suspect{.fault = fault, .request = 0};
    suspect.page = 2, suspect.token = 32, suspect.tokens = 16, suspect.other = other;
    check_change(made, suspect, changed.view(nullptr, nullptr));
  }
}

TEST_CASE("the softmax sensitivity is the derivative of golden") {
  Made made("xqa/1 heads=8/2 dim=64 len=100 page=16 sinks=1 seed=6");
  xqacheck_problem p = made.view;
  constexpr double kStep =
      0x1p-10;  // truncation error of the one-sided difference: about step * |output| = 1e-3 of the change
  p.q_scale = {static_cast<float>(1 + kStep), 0, nullptr};
  const Golden wrong = reference::golden(p, nullptr, {.error_model = false});
  const Context context(made.view, made.golden, nullptr, made.golden.out);
  const Screen screen = run_screen(context, 1);
  double most = 0, size = 0;
  for (std::size_t i = 0; i < wrong.out.size(); ++i) {
    most = std::max(most, std::fabs(wrong.out[i] - made.golden.out[i] - kStep * screen.softmax_sensitivity[i]));
    size = std::max(size, std::fabs(kStep * screen.softmax_sensitivity[i]));
  }
  CHECK(most < 0.01 * size);
}

TEST_CASE("an output equal to golden raises nothing, and the report does not depend on threads") {
  Made made("xqa/1 heads=8/2 dim=64 len=100,0,33 page=16 sinks=1 kv=e4m3 seed=7");
  const FilterReport one = run_filters(made.view, made.golden, nullptr, made.golden.out, {.threads = 1});
  CHECK(!one.alarm());
  CHECK(one.judged == 2 * 8 * 64);  // the empty request has nothing to judge
  std::vector<double> wrong = made.golden.out;
  for (double& x : wrong) x *= 1.2;
  const FilterReport a = run_filters(made.view, made.golden, nullptr, wrong, {.threads = 1});
  const FilterReport b = run_filters(made.view, made.golden, nullptr, wrong, {.threads = 3});
  REQUIRE(a.alarm());
  REQUIRE(a.alarms.size() == b.alarms.size());
  for (std::size_t i = 0; i < a.alarms.size(); ++i) {
    CHECK(a.alarms[i].suspect == b.alarms[i].suspect);
    CHECK(a.alarms[i].sigmas == b.alarms[i].sigmas);
  }
}

TEST_CASE("NaN and rows without a promise are left out, not judged as faults of something else") {
  Made made("xqa/1 heads=4/2 dim=32 len=40,17 page=16 inject=nan@v:0:5 seed=8");
  std::vector<double> got = made.golden.out;
  const std::size_t second_request = std::size_t{4} * 32;
  got[second_request] = std::nan("");
  const FilterReport report = run_filters(made.view, made.golden, nullptr, got, {.threads = 1});
  CHECK(report.not_finite == 1);
  CHECK(report.judged == 4 * 32 - 1);
  CHECK(!report.alarm());
}

TEST_CASE("zeros are numbers and NaN is not, in keys and in spare pages") {
  Made made("xqa/1 heads=4/2 dim=32 len=40 page=16 data=kzero seed=8 spare=2");
  const Context context(made.view, made.golden, nullptr, made.golden.out);
  const Group group = make_group(context, 0);
  const Block block = read_block(context, group, 0, 40);
  CHECK(std::count(block.dead.begin(), block.dead.end(), 1) == 0);
  CHECK(block.keys.isZero(0));
  const std::int64_t pages = physical_pages(made.view);
  for (std::int64_t page = 0; page < pages; ++page) {
    CHECK(read_physical(context, group, page, 3).values.allFinite());
  }
}

TEST_CASE("rounding of outputs: known where the spread is small, uniform where it is wide") {
  const reference::NumberFormat bf16 = reference::format_of(XQACHECK_BF16);
  const double cell = 0x1p-7;  // of bf16 at 1
  GridError e = grid_error(bf16, 1 + 0.3 * cell, 1e-6 * cell);
  CHECK(e.mean == Approx(-0.3 * cell));
  CHECK(e.variance < 1e-9 * cell * cell);
  e = grid_error(bf16, 1 + 0.5 * cell, 1e-6 * cell);  // a tie goes either way
  CHECK(std::fabs(e.mean) < 1e-9 * cell);
  CHECK(e.variance == Approx(cell * cell / 4));
  e = grid_error(bf16, 1 + 0.3 * cell, 0.7 * cell);
  CHECK(std::fabs(e.mean) < 1e-4 * cell);
  CHECK(e.variance == Approx(cell * cell / 12).epsilon(0.05));
  CHECK(rounding_key(bf16, 1.25) == rounding_key(bf16, -2.5));
  CHECK(rounding_key(bf16, 1.25) != rounding_key(bf16, 1.2501));
}

TEST_CASE("replays of P: equal weights err alike, the whole row's scenario is exact for powers of two") {
  Made made("xqa/1 heads=4/2 dim=32 len=40 page=16 kv=e4m3 seed=8");
  xqacheck_numerics numerics{};
  numerics.p_format = XQACHECK_E4M3;
  numerics.p_scale = 256;
  const Golden golden = reference::golden(made.view, &numerics);
  const Context context(made.view, golden, &numerics, golden.out);
  const Vector scores = (Vector(4) << 0, -std::log(2.0), -std::log(1.7), -std::log(1.7)).finished();
  const Replay replay = replay_weights(context, {0, 1, 2, 3}, scores, 0, std::log(2.0), 20);
  CHECK(replay.errors(0, 0) == 0);
  CHECK(std::fabs(replay.errors(1, 0)) < 1e-12);
  CHECK(replay.errors.row(2) == replay.errors.row(3));
  CHECK(replay.errors(2, 0) == Approx((0.5625 - 1 / 1.7) / 2));  // 1 / 1.7 = 0.588 lies between 0.5625 and 0.625
  CHECK(replay.errors.cwiseAbs().maxCoeff() <= 0x1p-4 / 2);      // half a cell of the largest weight, share 1/2
}

TEST_CASE("the whitening filter is the best one: no other direction has a larger signal over noise") {
  Made made("xqa/1 heads=4/2 dim=32 len=40 page=16 seed=9");
  const Context context(made.view, made.golden, nullptr, made.golden.out);
  const Group group = make_group(context, 0);
  const Block block = read_block(context, group, 0, 40);
  const Weights weights = weigh(context, group, block);
  const RowNoise noise = row_noise(context, group, 0, block, weights, 16);
  const Whitener whitener(noise, group.w.row(0));
  const Matrix covariance = Matrix(noise.values.transpose() * noise.variance.asDiagonal() * noise.values) +
                            Matrix((noise.own + noise.grid).asDiagonal());
  const Eigen::RowVectorXd change = group.o.row(0), x = whitener.filter(change);
  CHECK((x * covariance - change).norm() < 1e-9 * change.norm());
  const double best = x.dot(change) / std::sqrt(x * covariance * x.transpose());
  const Eigen::RowVectorXd plain = change.cwiseProduct(group.w.row(0));
  CHECK(plain.dot(change) / std::sqrt(plain * covariance * plain.transpose()) <= best * (1 + 1e-12));
}

TEST_CASE("every planted fault is seen and named at 110 tokens") {
  for (const bool e4m3 : {false, true}) {
    const tests::Trial trial = tests::make_trial(110, 1, e4m3);
    for (const tests::PlantedFault& fault : tests::planted_faults()) {
      const bool correct = fault.name == "(correct kernel)";
      const tests::Judgement j = tests::judge(fault.plant(trial), !correct, 1);
      INFO(fault.name << (e4m3 ? " e4m3" : " bf16") << ", told: " << j.told);
      CHECK(j.detected() == !correct);
      CHECK(j.named == !correct);
    }
  }
}

TEST_CASE("explain names readings of the problem that no linear suspect covers") {
  Made made("xqa/1 heads=8/2 dim=64 len=100,70 page=16 seed=10 qscale=2");
  for (const char* name : {"query heads spread over the KV heads in turn", "q scale ignored",
                           "head and token strides of the cache exchanged"}) {
    const auto& all = readings();
    const auto reading = std::find_if(all.begin(), all.end(), [&](const Reading& r) { return r.name == name; });
    REQUIRE(reading != all.end());
    const std::vector<double> out = output_of(*reading, made.view, nullptr, 1);
    REQUIRE(out.size() == made.golden.out.size());
    Context context(made.view, made.golden, nullptr, out);
    Screen screen = run_screen(context, 1);
    const FilterReport report = reference::filters::judge(context, screen, {.threads = 1});
    const Explanation x = explain(context, screen, report, nullptr, {.threads = 1});
    REQUIRE(!x.ranked.empty());
    CHECK(x.ranked.front().text() == name);
    CHECK(x.ranked.front().share > 0.999);
    CHECK(x.outside > 0);
    CHECK(x.outside_left == 0);
    CHECK(lines_of(x).size() > 4);
  }
}

}  // namespace
