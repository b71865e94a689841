// Tensors on their way to a device, on a device made of host memory.
#include "properties/cuda/mirror.hpp"

#include <vector>

#include "properties/cuda/device_problem.hpp"
#include "reference/case_line.hpp"
#include "tests/catch.hpp"
#include "tests/properties/perf/fake_device.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;
using tests::FakeDevice;

namespace {

std::vector<std::byte> bytes_at(kernels::launch::Address address, std::size_t count) {
  const auto* begin = static_cast<const std::byte*>(FakeDevice::pointer(address));
  return {begin, begin + count};
}

}  // namespace

TEST_CASE("a sparse tensor arrives as its written parts and zeros; its holes are not read", "[cuda]") {
  // Canary of 64 bytes, 1000 bytes of tensor, canary of 32. What lies in the holes would be seen if it were copied.
  std::vector<std::byte> host(64 + 1000 + 32, std::byte{0xaa});
  isolation::Window window;
  window.name = "k", window.begin = host.data(), window.before = 64, window.bytes = 1000, window.after = 32;
  window.sparse = true, window.written = {{0, 10}, {500, 100}};
  FakeDevice device;
  const auto stream = device.stream();
  for (const Placement place : {Placement::plain, Placement::end}) {
    cuda::MirroredWindow mirrored(device, window, place);
    mirrored.upload(*stream);
    std::vector<std::byte> wanted(1000, std::byte{0});
    for (const auto& range : window.written)
      for (std::size_t i = 0; i < range.bytes; ++i) wanted[range.offset + i] = std::byte{0xaa};
    CHECK(bytes_at(mirrored.data(), 1000) == wanted);
    if (place != Placement::plain) continue;
    CHECK(bytes_at(mirrored.begin(), 64) == std::vector<std::byte>(64, std::byte{0xaa}));
    CHECK(bytes_at(mirrored.data() + 1000, 32) == std::vector<std::byte>(32, std::byte{0xaa}));
  }
}

TEST_CASE("a dense tensor arrives with its canaries, and a changed byte is named", "[cuda]") {
  std::vector<std::byte> host(16 + 100 + 16);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::byte>(i);
  isolation::Window window;
  window.name = "q", window.begin = host.data(), window.before = 16, window.bytes = 100, window.after = 16;
  FakeDevice device;
  const auto stream = device.stream();
  cuda::MirroredWindow mirrored(device, window, Placement::plain);
  mirrored.upload(*stream);
  CHECK(bytes_at(mirrored.begin(), host.size()) == host);
  CHECK(mirrored.changed(*stream).empty());
  *static_cast<std::byte*>(FakeDevice::pointer(mirrored.data() + 42)) ^= std::byte{1};
  CHECK(mirrored.changed(*stream) == "wrote to input q at byte 42");
  *static_cast<std::byte*>(FakeDevice::pointer(mirrored.data() + 42)) ^= std::byte{1};
  *static_cast<std::byte*>(FakeDevice::pointer(mirrored.data() - 3)) ^= std::byte{1};
  CHECK(mirrored.changed(*stream) == "wrote to input q at byte -3");
}

TEST_CASE("a problem on the device has its inputs at device addresses, and brings back elements but no gaps", "[cuda]") {
  const reference::Problem problem =
      reference::make_problem(reference::parse_case("xqa/1 heads=2/1 dim=16 len=9 outpad=8/16 layout=pool lse=1"));
  FakeDevice device;
  const auto stream = device.stream();
  cuda::DeviceProblem on_device(device, *stream, problem);
  const xqacheck_problem& p = on_device.view();
  const auto& q = problem.tensor(reference::TensorId::q);
  CHECK(p.q.memory == XQACHECK_CUDA);
  CHECK(static_cast<const void*>(q.data()) != p.q.data);
  CHECK(std::memcmp(p.q.data, q.data(), q.size()) == 0);
  // K and V of a pool keep their distance: both are the same storage.
  const xqacheck_problem host = problem.view(nullptr, nullptr);
  CHECK(static_cast<char*>(p.v.data) - static_cast<char*>(p.k.data) ==
        static_cast<char*>(host.v.data) - static_cast<char*>(host.k.data));
  std::memset(p.out.data, 0x77, problem.out_bytes());
  on_device.download();
  std::size_t copied = 0;
  for (const std::byte byte : on_device.out()) copied += byte == std::byte{0x77};
  CHECK(copied == 2u * 16 * 2);  // two heads of 16 channels of 2 bytes; the gaps stay as they were
}
