// The PTX machine behind the launch seam: other schedules on demand, buffers described to its checks.
#include "properties/ptx/ptx_device.hpp"

#include <cstdlib>
#include <cstring>
#include <set>

#include "tests/catch.hpp"

namespace {

using namespace xqacheck::kernels::launch;
using xqacheck::properties::ptx::open_ptx_device;
using xqacheck::properties::ptx::ptx_options_of_environment;
using xqacheck::properties::ptx::PtxDeviceOptions;

// The last CTA to come leaves its number: legal, atomic, and different from order to order.
constexpr const char* kLastOne = R"(.version 8.4
.target sm_90a
.address_size 64
.visible .entry last(.param .u64 out)
{
  .reg .b32 %c, %old;
  .reg .b64 %out;
  ld.param.u64 %out, [out];
  cvta.to.global.u64 %out, %out;
  mov.u32 %c, %ctaid.x;
  atom.global.exch.b32 %old, [%out], %c;
  ret;
}
.visible .entry store(.param .u64 out)
{
  .reg .b64 %out;
  ld.param.u64 %out, [out];
  cvta.to.global.u64 %out, %out;
  st.global.u32 [%out+64], 7;
  ret;
}
)";

struct Run {
  explicit Run(const PtxDeviceOptions& options = {}) : device(open_ptx_device(options)) {}
  std::unique_ptr<Device> device;
  std::unique_ptr<Module> module = device->load(std::as_bytes(std::span(kLastOne, std::strlen(kLastOne) + 1)));
  std::unique_ptr<Stream> stream = device->stream();
  std::unique_ptr<Buffer> out = device->allocate(256, 256, Guard::none);

  std::uint32_t launch(const char* kernel, std::uint32_t ctas = 6) {
    const auto function = device->function(*module, kernel, 0);
    device->fill(out->address(), 0, 256, stream.get());
    const Address address = out->address();
    LaunchSpec spec;
    spec.function = function.get();
    spec.grid.x = ctas;
    spec.arguments = {argument(address)};
    device->launch(spec, device->native(*stream));
    std::uint32_t value = 0;
    device->download(&value, out->address(), 4, stream.get());
    return value;
  }
};

TEST_CASE("schedules of the PTX machine are chosen from outside and repeat") {
  Run run;
  std::set<std::uint32_t> values;
  const std::uint32_t own = run.launch("last");
  for (std::uint32_t schedule = 1; schedule <= 20; ++schedule) {
    run.device->set_schedule(schedule);
    const std::uint32_t value = run.launch("last");
    run.device->set_schedule(schedule);
    CHECK(run.launch("last") == value);
    values.insert(value);
  }
  CHECK(values.size() >= 3);
  run.device->set_schedule(0);
  CHECK(run.launch("last") == own);
}

TEST_CASE("described buffers have names, exact ends and inputs that are not written") {
  Run run;
  run.device->describe(run.out->address(), run.out->address() + 32, 64, "out", false);
  CHECK(run.launch("store", 1) == 0);
  run.device->describe(run.out->address(), run.out->address(), 64, "out", false);
  CHECK_THROWS_WITH(run.launch("store", 1), Catch::Contains("0 bytes past the end of out (64 bytes)"));
  Run second;
  second.device->describe(second.out->address(), second.out->address(), 256, "q", true);
  CHECK_THROWS_WITH(second.launch("store", 1), Catch::Contains("write of 4 bytes to q, which is an input"));
}

TEST_CASE("what was uploaded and then described means nothing to a kernel") {
  Run run;
  run.device->fill(run.out->address(), 0, 256, run.stream.get());
  run.device->describe(run.out->address(), run.out->address(), 256, "scratch", false);
  const auto function = run.device->function(*run.module, "last", 0);
  const Address address = run.out->address();
  LaunchSpec spec;
  spec.function = function.get();
  spec.arguments = {argument(address)};
  run.device->launch(spec, run.device->native(*run.stream));
  CHECK_THROWS_WITH(run.device->synchronize(*run.stream),
                    Catch::Contains("uninitialised: last") &&
                        Catch::Contains("= scratch + 0: atomic on 4 bytes that nobody has written"));
}

TEST_CASE("zeros in a pool of many GiB cost neither time nor memory") {
  const auto device = open_ptx_device({});
  const auto stream = device->stream();
  constexpr std::size_t kHuge = std::size_t{1} << 34;
  const auto pool = device->allocate(kHuge, 256, Guard::at_end);
  std::uint64_t value = 7;
  device->upload(pool->address() + kHuge - 4099, &value, 8, stream.get());
  device->fill(pool->address() + 1, 0, kHuge - 1, stream.get());
  device->download(&value, pool->address() + kHuge - 4099, 8, stream.get());
  CHECK(value == 0);
}

TEST_CASE("threads change nothing but time, and are named when they are no number") {
  PtxDeviceOptions options;
  options.checks = false;
  Run one(options);
  options.threads = 3;
  Run three(options);
  for (int again = 0; again < 5; ++again) CHECK(three.launch("last", 50) == one.launch("last", 50));
  three.device->set_schedule(3);  // others say themselves who runs when
  one.device->set_schedule(3);
  CHECK(three.launch("last", 50) == one.launch("last", 50));
  for (const char* bad : {"0", "257", "two", "2 "}) {
    setenv("XQACHECK_PTX_THREADS", bad, 1);
    CHECK_THROWS_WITH(ptx_options_of_environment(),
                      "XQACHECK_PTX_THREADS=" + std::string(bad) + ": needs a number from 1 to 256");
  }
  setenv("XQACHECK_PTX_THREADS", "4", 1);
  CHECK(ptx_options_of_environment().threads == 4);
  unsetenv("XQACHECK_PTX_THREADS");
}

TEST_CASE("checks of the machine: as the caller wants unless the environment says on or off") {
  setenv("XQACHECK_PTX_CHECKS", "none", 1);
  CHECK_THROWS_WITH(ptx_options_of_environment(), "XQACHECK_PTX_CHECKS=none: needs on or off");
  setenv("XQACHECK_PTX_CHECKS", "on", 1);
  CHECK(ptx_options_of_environment(false).checks);
  unsetenv("XQACHECK_PTX_CHECKS");
  CHECK_FALSE(ptx_options_of_environment(false).checks);
}

}  // namespace
