// Roundings switched on and off: with all of them on the fp64 arithmetic is the hardware's, bit for bit; with all of them off
// it is the golden model; and every single one moves some result.
#include <cmath>
#include <cstring>

#include "emulation/kernels/emulate.hpp"
#include "emulation/recording/replay.hpp"
#include "reference/golden.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/recording/recorded_files.hpp"

using namespace xqacheck;
using namespace xqacheck::emulation;

namespace {

// Small recordings of every family and path: the fp64 matrix unit takes some 20 ns a product.
constexpr const char* kSmall[] = {
    "141_hmma_bf16_i8_d64g12h1_p16_sd_peaky5_s1", "157_hmma_fp16_e4m3_d64g16h1_p32_share_subn_s1",
    "168_hmma_bf16_e4m3_d128g8h1_p32_lp_wide_s1", "117_hmma_fp16_kv16_d64g8h1_p16_sink_share_sd_normal_s2",
    "129_hgmma_bf16_kv16_d48g3h1_p16_sink_peaky_s4", "161_hgmma_bf16_kv16_d64g4h2_p16_subn_s1",
    "111_qgmma_fp16_e4m3_d64g5h2_p64_sink_share_lp_normal_s4", "092_qgmma_bf16_e4m3_d128g4h2_p32_sd_normal_s1",
    "115_qgmma_fp16_e4m3_d64g8h1_p64_share_sd_normal_s3"};

Recording small(const char* name) { return read_recording(tests::source_dir() + "/fixtures/recorded/" + name + ".safetensors"); }

Recipe with_roundings(const Recording& recording, const RoundingSet& roundings) {
  Recipe recipe = *recording.recipe;
  recipe.roundings = roundings;
  return recipe;
}

std::vector<double> values(const Recording& recording, const RoundingSet& roundings, const ExactInputs& exact = {}) {
  return emulate_values(with_roundings(recording, roundings), recording.problem.view(nullptr, nullptr), exact);
}

std::vector<double> recorded_values(const Recording& recording) {
  const std::uint32_t dtype = recording.problem.description.out.dtype;
  const std::size_t bytes = dtype == XQACHECK_E4M3 ? 1 : 2;
  std::vector<double> result(recording.out.size() / bytes);
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, recording.out.data() + i * bytes, bytes);
    result[i] = value_of_bits(dtype, bits);
  }
  return result;
}

// scale * max over tokens of sum |q| |k| for the rows of one request: bounds what fp64 may lose in a score.
double score_size(const xqacheck_problem& view) {
  const Call call(view);
  const Recipe recipe = hmma_recipe();  // the arithmetic keeps a reference to it
  const MixedArithmetic a(recipe, call);
  double most = 0;
  std::vector<double> q(call.dim), k(call.dim);
  for (std::uint32_t b = 0; b < call.requests; ++b) {
    for (std::uint32_t r = 0; r < call.query_rows(b); ++r) {
      for (std::uint32_t h = 0; h < view.q_heads; ++h) {
        a.load_q(call.q_offset(call.first_row(b) + r, h), q.data());
        for (std::uint32_t t = 0; t < call.seq_len(b); ++t) {
          a.load_k(call.k_offset(b, 0, h / call.group, t), k.data());
          double sum = 0;
          for (std::uint32_t d = 0; d < call.dim; ++d) sum += std::fabs(q[d] * k[d]);
          most = std::max(most, sum);
        }
      }
    }
  }
  return most * call.q_scale * call.kv_scale / std::sqrt(static_cast<double>(call.dim));
}

}  // namespace

TEST_CASE("all roundings on: the fp64 arithmetic is the hardware's", "[mixed]") {
  for (const char* name : kSmall) {
    const Recording recording = small(name);
    INFO(name);
    const std::vector<double> got = values(recording, RoundingSet()), want = recorded_values(recording);
    REQUIRE(got.size() == want.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < got.size(); ++i) different += got[i] != want[i];
    CHECK(different == 0);
  }
}

TEST_CASE("all roundings off: the golden model", "[mixed]") {
  for (const char* name : kSmall) {
    const Recording recording = small(name);
    INFO(name);
    const xqacheck_problem view = recording.problem.view(nullptr, nullptr);
    const reference::Golden golden = reference::golden(view, nullptr);
    const std::vector<double> got = values(recording, RoundingSet::none());
    REQUIRE(got.size() == golden.out.size());
    // Two fp64 computations of the same sums: DESIGN's 1e-12 sum p |v| (1 + scale max sum |q||k|).
    const double slack = 1e-12 * (1 + score_size(view));
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double error = std::fabs(got[i] - golden.out[i]);
      if (!(error <= slack * golden.sum_p_abs_v[i])) CHECK(error <= slack * golden.sum_p_abs_v[i]);
    }
  }
}

TEST_CASE("every rounding moves a result, alone and among the others", "[mixed]") {
  for (std::size_t i = 0; i < kRoundings; ++i) {
    const auto step = static_cast<Rounding>(i);
    if (step == Rounding::k || step == Rounding::v) continue;  // need the values before quantisation, see below
    INFO(kRoundingNames[i]);
    bool moves_exact = false, moves_hardware = false;
    // The 16-bit steps at the end would hide a small one.
    RoundingSet base = RoundingSet().without(Rounding::output).without(Rounding::partial);
    if (step == Rounding::output || step == Rounding::partial) base = base.with(step);
    for (const char* name : {"129_hgmma_bf16_kv16_d48g3h1_p16_sink_peaky_s4", "111_qgmma_fp16_e4m3_d64g5h2_p64_sink_share_lp_normal_s4",
                             "117_hmma_fp16_kv16_d64g8h1_p16_sink_share_sd_normal_s2"}) {
      const Recording recording = small(name);
      if (values(recording, RoundingSet::none().with(step)) != values(recording, RoundingSet::none())) moves_exact = true;
      if (values(recording, base.without(step)) != values(recording, base)) moves_hardware = true;
    }
    CHECK(moves_exact);
    CHECK(moves_hardware);
  }
}

TEST_CASE("K and V before quantisation take the place of the stored values", "[mixed]") {
  const Recording recording = small("092_qgmma_bf16_e4m3_d128g4h2_p32_sd_normal_s1");
  const xqacheck_problem view = recording.problem.view(nullptr, nullptr);
  const std::size_t elements = view.k.bytes;  // e4m3: one byte each
  std::vector<float> k(elements), v(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    k[i] = static_cast<float>(value_of_bits(XQACHECK_E4M3, static_cast<const std::uint8_t*>(view.k.data)[i]));
    v[i] = static_cast<float>(value_of_bits(XQACHECK_E4M3, static_cast<const std::uint8_t*>(view.v.data)[i]));
  }
  const RoundingSet exact = RoundingSet::none();
  const std::vector<double> stored = values(recording, exact);
  CHECK(values(recording, exact, {k.data(), v.data()}) == stored);
  for (float& x : v) x *= 2;
  CHECK(values(recording, exact.with(Rounding::v), {k.data(), v.data()}) == stored);  // rounding v is on: stored values
  const std::vector<double> doubled = values(recording, exact, {k.data(), v.data()});
  for (std::size_t i = 0; i < stored.size(); ++i) CHECK(doubled[i] == 2 * stored[i]);
}
