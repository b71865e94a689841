// The vector form of the special-function unit against the plain one: samples by default, all 2^32 inputs nightly.
#include <fmt/format.h>

#include <vector>

#include "emulation/arith/array.hpp"
#include "emulation/arith/plain/mufu.hpp"
#include "tests/catch.hpp"
#include "tests/emulation/arith/targets.hpp"

namespace xqacheck::arith {
namespace {

struct Function {
  const char* name;
  void (*fast)(const uint32_t*, uint32_t*, size_t);
  uint32_t (*plain)(uint32_t);
};

constexpr Function kFunctions[] = {{"ex2", ex2_array, plain::ex2_approx_ftz_f32},
                                   {"rcp", rcp_array, plain::rcp_approx_ftz_f32},
                                   {"rsqrt", rsqrt_array, plain::rsqrt_approx_ftz_f32},
                                   {"sqrt", sqrt_array, plain::sqrt_approx_ftz_f32},
                                   {"lg2", lg2_array, plain::lg2_approx_ftz_f32}};

// Inputs first, first + stride, ... up to 2^32, in chunks; the number of differing results.
uint64_t differences(const Function& function, uint64_t first, uint64_t stride) {
  constexpr size_t kChunk = 1 << 16;
  const uint64_t inputs = ((uint64_t{1} << 32) - first + stride - 1) / stride;
  const auto chunks = static_cast<int64_t>((inputs + kChunk - 1) / kChunk);
  uint64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    std::vector<uint32_t> x, y(kChunk);
    for (uint64_t i = static_cast<uint64_t>(chunk) * kChunk; i < inputs && x.size() < kChunk; ++i) {
      x.push_back(static_cast<uint32_t>(first + i * stride));
    }
    function.fast(x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) count += y[i] != function.plain(x[i]) ? 1 : 0;
  }
  return count;
}

TEST_CASE("MUFU arrays equal the plain form on samples, on every vector unit") {
  for_each_target([](const char* target) {
    for (const Function& function : kFunctions) {
      INFO(function.name << " on " << target);
      CHECK(differences(function, 0, 10007) == 0);  // a prime: every exponent, all low bits
    }
  });
}

TEST_CASE("MUFU arrays of every length agree with single elements") {
  std::vector<uint32_t> x;
  for (uint32_t i = 0; i < 70; ++i) x.push_back(0x3f000000u + i * 0x01234567u);
  for (const Function& function : kFunctions) {
    for (size_t n = 0; n <= x.size(); ++n) {
      std::vector<uint32_t> y(n + 1, 0xdeadbeef);
      function.fast(x.data(), y.data(), n);
      for (size_t i = 0; i < n; ++i) REQUIRE(y[i] == function.plain(x[i]));
      REQUIRE(y[n] == 0xdeadbeef);
    }
  }
}

TEST_CASE("MUFU arrays equal the plain form on all inputs", "[nightly]") {
  for (const Function& function : kFunctions) {
    INFO(function.name);
    const uint64_t count = differences(function, 0, 1);
    fmt::print("{}: 4294967296 inputs, {} differences\n", function.name, count);
    CHECK(count == 0);
  }
}

}  // namespace
}  // namespace xqacheck::arith
