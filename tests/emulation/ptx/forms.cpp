// The micro-kernels: their results by definition against what an NVIDIA H200 wrote, bit for bit.
#include "emulation/ptx/forms/form.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "emulation/ptx/forms/recording.hpp"
#include "emulation/ptx/forms/slow_float.hpp"
#include "tests/catch.hpp"

namespace {

using namespace xqacheck::ptx::forms;

const Form& form_named(const std::string& name) {
  for (const Form& form : all_forms())
    if (form.name == name) return form;
  throw std::runtime_error("no form " + name);
}

TEST_CASE("forms have names of their own and inputs that repeat") {
  std::set<std::string> names, opcodes;
  for (const Form& form : all_forms()) {
    CHECK(names.insert(form.name).second);
    opcodes.insert(opcode_of(form));
    CHECK(make_inputs(form, 1) == make_inputs(form, 1));
    CHECK(make_inputs(form, 1).size() == form.in.size() * kItems);
  }
  CHECK(opcodes.size() >= 300);
}

TEST_CASE("results of the definition are not all alike") {
  // A form whose expected output is one constant would accept a machine that does nothing. Known exceptions: what is
  // constant by its nature (uniform votes that hold, clocks that never run back).
  const std::set<std::string> constant{"vote.sync.all.pred#true",
                                       "vote.sync.all.pred",
                                       "vote.sync.any.pred",
                                       "vote.sync.uni.pred",
                                       "activemask.b32",
                                       "bar.red.popc.u32",
                                       "bar.red.or.pred",
                                       "mov.u64#clock64",
                                       "mov.u32#laneid",
                                       "ld.param.u32",
                                       "ld.param.f32",
                                       "mbarrier.test_wait.parity.acquire.cta.b64#before"};
  for (const Form& form : all_forms()) {
    if (constant.count(form.name)) continue;
    const std::vector<std::byte> bytes = expected_output(form, make_inputs(form, 1));
    std::size_t most = 0;
    for (std::size_t r = 0; r < form.out.size(); ++r) {
      const std::uint32_t width = bytes_of(form.out[r]);
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(output_offset(form, r));
      std::set<std::vector<std::byte>> values;
      for (std::uint32_t i = 0; i < kItems; ++i)
        values.insert(std::vector<std::byte>(begin + i * width, begin + (i + 1) * width));
      most = std::max(most, values.size());
    }
    INFO(form.name);
    CHECK(most >= 2);
  }
}

TEST_CASE("rounding by definition at the places where it is hard") {
  // Patterns worked out by hand from IEEE 754 and the OCP FP8 specification.
  CHECK(round_to(kBinary16, 65519.0) == 0x7BFF);  // below the middle between the largest number and 2^16
  CHECK(round_to(kBinary16, 65520.0) == 0x7C00);
  CHECK(round_to(kBinary16, 65520.0, Round::toward_zero) == 0x7BFF);
  CHECK(round_to(kBinary16, std::ldexp(1.0, -25)) == 0);  // tie with zero
  CHECK(round_to(kBinary16, std::ldexp(1.0, -25) * 1.0001) == 1);
  CHECK(round_to(kBrain16, 1.0 + std::ldexp(1.0, -8)) == 0x3F80);
  CHECK(round_to(kBrain16, 1.0 + 3 * std::ldexp(1.0, -8)) == 0x3F82);
  CHECK(round_to(kE4m3x1, 464.0) == 0x7E);
  CHECK(round_to(kE4m3x1, 1e9) == 0x7E);
  CHECK(round_to(kE4m3x1, -0.0) == 0x80);
  CHECK(round_to(kE4m3x1, std::ldexp(1.0, -10)) == 0);
  CHECK(round_to(kE4m3x1, std::ldexp(3.0, -10)) == 2);
  // Flushing looks at the result before the exponent is limited: 2^-126 - 2^-151 rounds to 2^-126, a little less does
  // not.
  CHECK(round_and_flush(kBinary32, std::ldexp(1.0, -126) - std::ldexp(1.0, -151)) == 0x00800000);
  CHECK(round_and_flush(kBinary32, std::ldexp(1.0, -126) - 1.5 * std::ldexp(1.0, -151)) == 0);
  CHECK(add_to_odd(1.0, std::ldexp(1.0, -60)) == 1.0 + std::ldexp(1.0, -52));
  CHECK(add_to_odd(1.0, -std::ldexp(1.0, -60)) == 1.0 - std::ldexp(1.0, -53));
}

TEST_CASE("every recorded output equals the definition", "[recorded]") {
  const char* source = std::getenv("XQACHECK_SOURCE_DIR");
  REQUIRE(source != nullptr);
  std::uint64_t compared = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(source) / "fixtures/ptx/recorded")) {
    if (entry.path().filename().string().rfind("ptx-forms-", 0) != 0) continue;
    const FormRecording recording = read_form_recording(entry.path().string());
    for (const Form& form : all_forms()) {
      INFO(form.name << " in " << entry.path());
      REQUIRE(recording.outputs.count(form.name) == 1);
      REQUIRE(recording.hashes.at(form.name) == kernel_hash(form));
      const auto inputs = make_inputs(form, recording.seed);
      const OutputDifference difference =
          compare_outputs(form, inputs, expected_output(form, inputs), recording.outputs.at(form.name));
      INFO(difference.first);
      CHECK(difference.count == 0);
      ++compared;
    }
  }
  CHECK(compared >= all_forms().size());
}

TEST_CASE("a wrong bit is found and named") {
  const Form& form = form_named("add.ftz.f32");
  const auto inputs = make_inputs(form, 1);
  std::vector<std::byte> wrong = expected_output(form, inputs);
  const std::vector<std::byte> right = wrong;
  wrong[4 * 17] ^= std::byte{1};
  const OutputDifference difference = compare_outputs(form, inputs, wrong, right);
  CHECK(difference.count == 1);
  CHECK(difference.first.find("item 17") != std::string::npos);
}

}  // namespace
