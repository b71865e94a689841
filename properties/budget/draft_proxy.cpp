#include "properties/budget/draft_proxy.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "properties/budget/signs.hpp"

namespace xqacheck::properties::budget {
namespace {

constexpr std::size_t kCandidates = 64;   // tokens with a real chance: a vocabulary's tail decides nothing
constexpr std::size_t kProjections = 8;   // independent sets of candidates a row: verdicts are rare events
constexpr double kLogitSpread = 3;        // of the logits: the best of 64 candidates then has about a third of the mass

using Logits = std::array<double, kCandidates>;

std::size_t best(const Logits& z) {
  return static_cast<std::size_t>(std::max_element(z.begin(), z.end()) - z.begin());
}

Logits softmax(Logits z) {
  const double top = *std::max_element(z.begin(), z.end());
  double sum = 0;
  for (double& x : z) sum += x = std::exp(x - top);
  for (double& x : z) x /= sum;
  return z;
}

// Logits of reference and kernel for one set of candidates.
void project(const std::vector<double>& want, const std::vector<double>& got, std::uint64_t set, double scale,
             Logits& z_want, Logits& z_got) {
  for (std::size_t c = 0; c < kCandidates; ++c) {
    double a = 0, b = 0;
    for (std::size_t i = 0; i < want.size(); i += 64) {
      std::uint64_t signs = sign_word(set * kCandidates + c, i / 64);
      for (std::size_t j = i; j < std::min(i + 64, want.size()); ++j, signs >>= 1) {
        const double sign = (signs & 1) != 0 ? -1 : 1;
        a += sign * want[j], b += sign * got[j];
      }
    }
    z_want[c] = a * scale, z_got[c] = b * scale;
  }
}

}  // namespace

DraftProxy draft_proxy(const Observation& o, const Lines& lines) {
  DraftProxy result;
  std::size_t verdicts = 0;
  std::vector<double> want, got;
  for (std::uint32_t row = 0; row < o.rows(); ++row) {
    want.clear(), got.clear();
    double square = 0;
    for (std::uint32_t head = 0; head < o.heads(); ++head) {
      const std::size_t line = std::size_t{row} * o.heads() + head;
      if (lines[line] == 0) continue;
      for (std::size_t i = line * o.dim(); i < (line + 1) * o.dim(); ++i) {
        want.push_back(o.real.out[i]), got.push_back(o.got[i]);
        square += o.real.out[i] * o.real.out[i];
      }
    }
    if (!(square > 0)) continue;
    for (std::size_t set = 0; set < kProjections; ++set, ++verdicts) {
      Logits a, b;
      project(want, got, set, kLogitSpread / std::sqrt(square), a, b);
      result.flips += best(a) != best(b) ? 1 : 0;
      const Logits p = softmax(a), r = softmax(b);
      double distance = 0;
      for (std::size_t c = 0; c < kCandidates; ++c) distance += std::fabs(p[c] - r[c]) / 2;
      result.shift += distance;
    }
  }
  if (verdicts > 0) result.flips /= static_cast<double>(verdicts), result.shift /= static_cast<double>(verdicts);
  return result;
}

}  // namespace xqacheck::properties::budget
