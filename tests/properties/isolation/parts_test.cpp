// The parts below the runners: slot plans, patterns, messages, the log's tail, workspace sizes.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "properties/isolation/ending_text.hpp"
#include "properties/isolation/log_tail.hpp"
#include "properties/isolation/pattern.hpp"
#include "properties/isolation/protocol.hpp"
#include "properties/isolation/slots.hpp"
#include "properties/isolation/wire.hpp"
#include "properties/isolation/workspace_check.hpp"
#include "tests/catch.hpp"

using namespace xqacheck;
using namespace xqacheck::properties;
using namespace xqacheck::properties::isolation;

TEST_CASE("slot plans keep alignment, guards and canaries for every size") {
  for (const std::uint64_t align : {0ul, 1ul, 4ul, 16ul, 256ul, 4096ul, 65536ul, std::uint64_t{kLargestAlign}})
    for (const std::uint64_t bytes : {0ul, 1ul, 3ul, 16ul, 4095ul, 4096ul, 4097ul, 12288ul, 100000ul})
      for (const Placement place : {Placement::plain, Placement::end, Placement::begin}) {
        const std::uint64_t unit = std::max<std::uint64_t>(align, 1);
        const SlotPlan plan = plan_slot(bytes, align, place, Access::write);
        INFO("align " << align << " bytes " << bytes << " place " << int(place));
        CHECK(plan.data % unit == 0);
        CHECK(plan.map_begin % kPage == 0);
        CHECK(plan.map_end % kPage == 0);
        CHECK(plan.map_begin >= kPage);  // page 0 is the guard in front
        CHECK(plan.map_begin <= plan.data);
        CHECK(plan.data + bytes <= plan.map_end);
        if (bytes == 0) {
          CHECK(plan.map_begin == plan.map_end);
          continue;
        }
        if (place == Placement::begin) CHECK(plan.data == plan.map_begin);
        if (place == Placement::end && unit <= kPage) CHECK(plan.map_end - (plan.data + bytes) < unit);
        if (place == Placement::end && bytes % unit == 0) CHECK(plan.map_end == plan.data + bytes);
        if (place == Placement::plain) {
          CHECK(plan.data - plan.map_begin >= kCanaryBytes);
          CHECK(plan.map_end - (plan.data + bytes) >= kCanaryBytes);
        }
      }
}

TEST_CASE("a plan that no planner makes is not believed") {
  const std::uint64_t stride = std::uint64_t{64} << 30;
  const SlotPlan good = plan_slot(300, 16, Placement::plain, Access::write);
  CHECK(is_plausible(good, stride));
  CHECK(is_plausible(plan_slot(0, 4, Placement::end, Access::write), stride));
  CHECK(is_plausible(SlotPlan{}, stride));
  SlotPlan bad = good;
  bad.map_end = stride;
  CHECK_FALSE(is_plausible(bad, stride));
  bad = good;
  bad.bytes = ~std::uint64_t{0};
  CHECK_FALSE(is_plausible(bad, stride));
  bad = good;
  bad.data = bad.map_begin - 1;
  CHECK_FALSE(is_plausible(bad, stride));
  bad = good;
  bad.access = static_cast<Access>(0xaaaaaaaa);
  CHECK_FALSE(is_plausible(bad, stride));
  bad = good;
  bad.access = Access::none;
  CHECK_FALSE(is_plausible(bad, stride));
}

TEST_CASE("patterns do not depend on where a write begins, and every changed byte is found") {
  for (const Fill fill : {Fill::zero, Fill::nan, Fill::huge, Fill::random}) {
    const Pattern pattern{fill, XQACHECK_BF16, 77, 5};
    std::vector<std::byte> whole(300), parts(300);
    write_pattern(pattern, 1000, whole.data(), 300);
    write_pattern(pattern, 1000, parts.data(), 13);
    write_pattern(pattern, 1013, parts.data() + 13, 287);
    CHECK(whole == parts);
    CHECK_FALSE(find_mismatch(pattern, 1000, whole.data(), 300));
    for (const std::size_t at : {0u, 1u, 7u, 8u, 150u, 299u}) {
      std::vector<std::byte> changed = whole;
      changed[at] ^= std::byte{1};
      const auto mismatch = find_mismatch(pattern, 1000, changed.data(), 300);
      REQUIRE(mismatch);
      CHECK(mismatch->first == at);
      CHECK(mismatch->count == 1);
    }
  }
}

TEST_CASE("canaries are NaN in every float format and differ from slot to slot") {
  std::vector<std::uint16_t> words(4096), other(4096);
  write_pattern(canary_pattern(1, 3), 4096, reinterpret_cast<std::byte*>(words.data()), 8192);
  write_pattern(canary_pattern(1, 4), 4096, reinterpret_cast<std::byte*>(other.data()), 8192);
  int negative = 0;
  for (const std::uint16_t word : words) {
    CHECK((word & 0x7fff) == 0x7fff);  // NaN as fp16 and bf16; both bytes are NaN as e4m3; two of them are NaN as fp32
    negative += (word & 0x8000) != 0;
  }
  // A fair coin 4096 times: outside of 2048 ± 256 (8 standard deviations) the signs are no hash.
  CHECK(std::abs(negative - 2048) < 256);
  CHECK(words != other);
}

TEST_CASE("huge fills are the largest finite number of the format") {
  const struct {
    std::uint32_t dtype;
    std::vector<unsigned char> bytes;
  } formats[] = {{XQACHECK_FP16, {0xff, 0x7b}},
                 {XQACHECK_BF16, {0x7f, 0x7f}},
                 {XQACHECK_FP32, {0xff, 0xff, 0x7f, 0x7f}},
                 {XQACHECK_E4M3, {0x7e}}};
  for (const auto& format : formats) {
    std::vector<unsigned char> filled(8);
    write_pattern({Fill::huge, format.dtype, 0, 0}, 0, reinterpret_cast<std::byte*>(filled.data()), 8);
    for (std::size_t i = 0; i < 8; ++i) CHECK(filled[i] == format.bytes[i % format.bytes.size()]);
  }
}

TEST_CASE("messages arrive whole, with their descriptors, or are called garbage") {
  SocketPair pair = make_socket_pair();
  Message message;
  CHECK(receive_message(pair.ours.get(), message, false) == Received::nothing);

  std::vector<std::byte> payload(100000, std::byte{42});
  const int passed[] = {0};
  REQUIRE(send_message(pair.theirs.get(), MessageType::done, 7, payload, passed));
  REQUIRE(receive_message(pair.ours.get(), message, true) == Received::message);
  CHECK(message.type == MessageType::done);
  CHECK(message.sequence == 7);
  CHECK(message.payload == payload);
  CHECK(message.descriptors.size() == 1);

  REQUIRE(send(pair.theirs.get(), "garbage", 7, 0) == 7);
  CHECK(receive_message(pair.ours.get(), message, true) == Received::garbage);

  // Every single flipped bit of a message is noticed.
  REQUIRE(send_message(pair.theirs.get(), MessageType::gone, 1, std::vector<std::byte>(5)));
  char raw[256];
  const ssize_t size = recv(pair.ours.get(), raw, sizeof raw, 0);
  REQUIRE(size > 5);
  for (ssize_t bit = 0; bit < size * 8; ++bit) {
    raw[bit / 8] = static_cast<char>(raw[bit / 8] ^ (1 << bit % 8));
    REQUIRE(send(pair.theirs.get(), raw, static_cast<std::size_t>(size), 0) == size);
    CHECK(receive_message(pair.ours.get(), message, true) == Received::garbage);
    raw[bit / 8] = static_cast<char>(raw[bit / 8] ^ (1 << bit % 8));
  }
  pair.theirs.reset();
  CHECK(receive_message(pair.ours.get(), message, true) == Received::closed);
  CHECK_FALSE(send_message(pair.ours.get(), MessageType::done, 0, {}));
}

TEST_CASE("a truncated report is refused, never read past its end") {
  xqacheck_recipe recipe{"family", "arch", "", "p=1"};
  xqacheck_description description{};
  description.name = "name";
  description.version = "version";
  description.recipe = &recipe;
  LoadedReport report;
  report.device = "host";
  report.kernels.emplace_back(description);
  Packer packer;
  report.pack(packer);
  const auto bytes = packer.bytes();
  LoadedReport read;
  Unpacker whole(bytes);
  REQUIRE(read.unpack(whole));
  CHECK(read.kernels.at(0).name() == "name");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    Unpacker unpacker(cut);
    CHECK_FALSE(LoadedReport().unpack(unpacker));
  }
}

TEST_CASE("the log keeps a bounded tail in printable form") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  const std::string text = std::string(5000, 'a') + "end\x01\n\n";
  REQUIRE(write(in.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  in.reset();
  LogTail log;
  CHECK_FALSE(log.drain(out.get()));  // end of file
  CHECK(log.total_bytes() == text.size());
  CHECK(log.text().size() < 700);
  CHECK_THAT(log.text(), Catch::EndsWith("aend\\x01"));
  log.clear();
  CHECK(log.text().empty());
}

TEST_CASE("workspace sizes that make no sense are refused by field") {
  const auto fault = [](xqacheck_workspace sizes) { return workspace_fault(sizes, 1000); };
  CHECK(fault({0, 0, 0, 0}).empty());
  CHECK(fault({1000, 1000, 1, 256}).empty());
  CHECK(fault({1001, 0, 1, 1}) == "workspace() asks for scratch_bytes = 1001; no more than 1000 can be had");
  CHECK(fault({0, 1001, 1, 1}) == "workspace() asks for state_bytes = 1001; no more than 1000 can be had");
  CHECK(fault({1, 1, 16, 48}) == "workspace() asks for state_align = 48; it must be a power of two up to 2097152");
}

TEST_CASE("addresses are named by the buffer they belong to or are next to") {
  SlotPlan plans[kSlotCount];
  const std::uint32_t out = slot_of(reference::TensorId::out), lse = slot_of(reference::TensorId::lse);
  plans[out] = plan_slot(100, 4, Placement::end, Access::write);
  plans[lse] = plan_slot(40, 4, Placement::begin, Access::write);
  AddressBook book;
  book.base = std::uint64_t{1} << 40;
  book.stride = std::uint64_t{64} << 30;
  book.plans = plans;
  book.module = {"/tmp/k.so", 0x1000000, 0x2000000};
  FaultRecord fault;
  fault.signal = SIGSEGV;
  fault.code = 1;
  fault.access = 1;
  fault.main_thread = 1;
  fault.pc = 0x1000123;
  const auto at = [&](std::uint64_t address) {
    fault.address = address;
    return fault_text(fault, book);
  };
  const std::uint64_t out_data = book.base + out * book.stride + plans[out].data;
  const std::uint64_t lse_data = book.base + lse * book.stride + plans[lse].data;
  CHECK(at(out_data + 100) == "read 1 byte past the end of out (size 100), at k.so+0x123");
  CHECK(at(out_data + 5099) == "read 5000 bytes past the end of out (size 100), at k.so+0x123");
  CHECK(at(lse_data - 8) == "read 8 bytes before the start of lse, at k.so+0x123");
  // Far below a slot's start lies the slot before, but the address is meant for this one.
  CHECK(at(lse_data - (std::uint64_t{1} << 30)) == "read 1073741824 bytes before the start of lse, at k.so+0x123");
  CHECK(at(book.base + slot_of(reference::TensorId::sinks) * book.stride + 5000) ==
        "read at sinks, which this problem does not have, at k.so+0x123");
  CHECK(at(24) == "read at address 0x18 (a null pointer), at k.so+0x123");
  CHECK(at(0x7000000000000000) == "read at address 0x7000000000000000, outside every buffer, at k.so+0x123");
  fault.sp = 0x7ffd00001000;
  CHECK(at(0x7ffd00000ff8) == "stack overflow, at k.so+0x123");
  fault.pc = 5;
  CHECK(at(24) == "read at address 0x18 (a null pointer)");
}
