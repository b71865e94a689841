// A second, slow implementation of single elements: Philox from the paper, the quantile by bisection of libm's erfc,
// rounding by search over all codes, addresses written out by hand. Shares no code with reference/.
#include <cmath>
#include <limits>

#include "tests/catch.hpp"
#include "tests/reference/data/made.hpp"
#include "tests/reference/data/philox_reference.hpp"

using namespace xqacheck::reference;
using xqacheck::tests::Made;
using xqacheck::tests::slow_philox;

namespace {

double slow_quantile(double p) {
  double low = -10, high = 10;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

struct Place {
  std::uint32_t request, beam, token, head, channel;
};

// Streams of doc/data.md: 16 is q, 17 is K, 18 is V.
double slow_normal(std::uint64_t seed, std::uint32_t stream, const Place& at) {
  const auto words = slow_philox({at.channel / 8, at.token, at.head | at.beam << 16, stream << 24 | at.request},
                                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::uint32_t lane = at.channel % 8;
  const std::uint32_t r = lane % 2 == 0 ? words[lane / 2] & 0xFFFF : words[lane / 2] >> 16;
  return slow_quantile((r + 0.5) / 65536);
}

// Nearest value of the format to `real`, times its scale back.
double slow_store(Dtype dtype, double real, double scale) {
  double best = 0, best_distance = std::numeric_limits<double>::infinity();
  for (unsigned bits = 0; bits < (bytes_of(dtype) == 2 ? 65536u : 256u); ++bits) {
    const double value = decode(dtype, static_cast<std::uint16_t>(bits));
    const double distance = std::abs(value - real / scale);
    if (distance < best_distance || (distance == best_distance && bits % 2 == 0)) {
      best = value;
      best_distance = distance;
    }
  }
  return best * scale;
}

struct Spot {
  const char* line;
  Place at;
};

}  // namespace

TEST_CASE("elements of q, K and V equal a second implementation", "[data]") {
  const Spot spots[] = {
      {"xqa/1 heads=8/2 len=70,40 seed=3", {0, 0, 0, 0, 0}},
      {"xqa/1 heads=8/2 len=70,40 seed=3", {1, 0, 39, 1, 127}},
      {"xqa/1 heads=8/2 len=70,40 seed=18446744073709551615 layout=hnd kv=e4m3", {0, 0, 69, 1, 9}},
      {"xqa/1 heads=6/3 dim=80 len=70,40,5 seed=99 layout=pool kv=int8 page=8", {2, 0, 4, 2, 79}},
      {"xqa/1 heads=6/3 dim=80 len=70,40,5 seed=99 q=fp16 page=0 pad=3/5/7", {1, 0, 21, 1, 40}},
      {"xqa/1 heads=6/3 dim=80 len=70,40,5 seed=99 q=fp16 table=far", {1, 0, 21, 1, 41}},
      {"xqa/1 heads=4/1 len=50 beam=3/7 seed=12345678901 table=reversed", {0, 2, 49, 0, 3}},
      {"xqa/1 heads=4/1 dim=576/512 len=50 seed=5 kv=e4m3", {0, 0, 33, 0, 500}},
  };
  for (const Spot& spot : spots) {
    const Made m(spot.line);
    const Place& at = spot.at;
    INFO(spot.line);
    // Beam index tables redirect beams; the newest token is always a beam's own.
    const double k = m.k(at.request, at.token, at.head, at.channel, at.beam);
    const double v = m.v(at.request, at.token, at.head, at.channel, at.beam);
    CHECK(k == slow_store(m.c.kv, slow_normal(m.c.seed, 17, at), m.c.k_scale));
    if (!m.c.mla()) CHECK(v == slow_store(m.c.kv, slow_normal(m.c.seed, 18, at), m.c.v_scale));
    if (m.c.mla()) CHECK(v == k);
    Place row = at;
    row.token = 0;
    const double q = m.q(m.kv.first_row(at.request) + at.beam, at.head, at.channel);
    CHECK(q == slow_store(m.c.q, slow_normal(m.c.seed, 16, row), 1));
  }
}

TEST_CASE("a request's data does not depend on what is around it", "[data]") {
  const Made alone("xqa/1 heads=4/2 len=100 seed=8");
  for (const char* line : {"xqa/1 heads=4/2 len=100,7,900 seed=8 page=8 table=reversed geo=4",
                           "xqa/1 heads=8/2 len=100,1 seed=8 page=0 layout=hnd pad=1/2/3",
                           "xqa/1 heads=4/2 len=100,1 seed=8 layout=pool cap=4000 window=5 sinks=1"}) {
    const Made other(line);
    for (std::uint32_t t = 0; t < 100; ++t) {
      for (std::uint32_t ch = 0; ch < 128; ch += 17) {
        REQUIRE(alone.k(0, t, 1, ch) == other.k(0, t, 1, ch));
        REQUIRE(alone.v(0, t, 1, ch) == other.v(0, t, 1, ch));
      }
    }
  }
  const Made reseeded("xqa/1 heads=4/2 len=100 seed=9");
  CHECK(alone.k(0, 5, 0, 0) != reseeded.k(0, 5, 0, 0));
  CHECK(alone.k(0, 5, 0, 0) != alone.v(0, 5, 0, 0));
  CHECK(alone.k(0, 5, 0, 0) != alone.k(0, 5, 1, 0));
}
