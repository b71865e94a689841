// The .safetensors reader against well-formed, malformed and hostile files.
#include <cstring>
#include <filesystem>
#include <fstream>

#include "reference/safetensors.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::reference;

namespace {

std::vector<std::byte> with_length(std::uint64_t length, const std::string& header, std::size_t data_bytes) {
  std::vector<std::byte> bytes(8 + header.size() + data_bytes);
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(length >> (8 * i));
  std::memcpy(bytes.data() + 8, header.data(), header.size());
  return bytes;
}

std::string error_of(std::vector<std::byte> bytes) {
  try {
    Safetensors::parse(std::move(bytes), "x.safetensors");
  } catch (const SafetensorsError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of(const std::string& header, std::size_t data_bytes) {
  return error_of(with_length(header.size(), header, data_bytes));
}

std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

struct Malformed {
  std::string header;
  std::size_t data_bytes;
  const char* message;
};

}  // namespace

TEST_CASE("what is written is read back", "[safetensors]") {
  const float floats[] = {1, 2, 3, 4, 5, 6};
  const std::uint8_t bytes[] = {7, 8, 9};
  const std::map<std::string, std::string> metadata = {{"case", "xqa/1 \"quoted\" \\ \n \x01"}, {"", "empty"}};
  const auto file = Safetensors::parse(safetensors_bytes({{"a", FileDtype::f32, {2, 3}, floats, 24},
                                                          {"b\"", FileDtype::u8, {3}, bytes, 3},
                                                          {"none", FileDtype::i64, {0, 5}, nullptr, 0},
                                                          {"scalar", FileDtype::f32, {}, floats, 4}},
                                                         metadata),
                                       "x");
  CHECK(file.metadata() == metadata);
  REQUIRE(file.tensors().size() == 4);
  CHECK(file.get("a").shape == std::vector<std::uint64_t>{2, 3});
  CHECK(file.get("a").dtype == FileDtype::f32);
  CHECK(std::memcmp(file.data(file.get("a")), floats, 24) == 0);
  CHECK(std::memcmp(file.data(file.get("b\"")), bytes, 3) == 0);
  CHECK(file.get("none").elements() == 0);
  CHECK(file.get("scalar").elements() == 1);
  CHECK(file.find("c") == nullptr);
  CHECK_THROWS_WITH(file.get("c"), "x: has no tensor 'c'; it has a b\" none scalar");
}

TEST_CASE("every dtype has its name and size", "[safetensors]") {
  const std::pair<const char*, std::size_t> known[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F8_E4M3", 1}, {"I64", 8},
                                                       {"I32", 4}, {"I8", 1},  {"U32", 4},  {"U8", 1}};
  for (const auto& [name, size] : known) {
    const std::string header = one(name, "[3]", "[0," + std::to_string(size * 3) + "]");
    const auto file = Safetensors::parse(with_length(header.size(), header, size * 3), "x");
    CHECK(name_of(file.tensors()[0].dtype) == name);
    CHECK(bytes_of(file.tensors()[0].dtype) == size);
  }
}

TEST_CASE("malformed files are refused by tensor and number", "[safetensors]") {
  const Malformed all[] = {
      // JSON
      {"", 0, "header, byte 0: expected '{' at the start of an object"},
      {"[]", 0, "expected '{' at the start of an object"},
      {"{", 0, "expected '\"' at the start of a string"},
      {"{\"a", 0, "the string does not end"},
      {"{\"a\\", 0, "the string does not end"},
      {"{\"a\\x\"", 0, "an unknown escape inside a string"},
      {"{\"\\ud800\":1}", 0, "\\u0000 and surrogate pairs are not read"},
      {"{\"a\n\":1}", 0, "a control character inside a string"},
      {"{\"a\"}", 0, "expected ':' behind a key"},
      {"{} x", 0, "header, byte 3: text behind the closing brace"},
      {"{\"a\":5}", 0, "expected '{' at the start of an object"},
      {"{\"a\":{\"dtype\":5}}", 0, "expected '\"' at the start of a string"},
      {"{\"a\":{\"dtype\":\"F32\",}}", 0, "expected '\"' at the start of a string"},
      // fields
      {one("F64", "[1]", "[0,8]"), 8, "tensor 'a' has dtype F64; read are F32 F16 BF16 F8_E4M3 I64 I32 I8 U32 U8"},
      {one("F32", "5", "[0,4]"), 4, "expected '[' at the start of shape"},
      {one("F32", "[-1]", "[0,4]"), 4, "shape must hold whole numbers below 2^64"},
      {one("F32", "[1.5]", "[0,4]"), 4, "expected ']' at the end of shape"},
      {one("F32", "[18446744073709551616]", "[0,4]"), 4, "shape must hold whole numbers below 2^64"},
      {one("F32", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, "shape has more than 16 numbers"},
      {one("F32", "[1]", "[0]"), 4, "data_offsets of tensor 'a' must be two numbers"},
      {one("F32", "[1]", "[0,4,8]"), 4, "data_offsets has more than 2 numbers"},
      {R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4, "tensor 'a' has no dtype"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4, "tensor 'a' has no shape"},
      {R"({"a":{"dtype":"F32","shape":[1]}})", 4, "tensor 'a' has no data_offsets"},
      {R"({"a":{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]}})", 4, "tensor 'a' gives shape twice"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}})", 4, "tensor 'a' has an unknown field 'x'"},
      {R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
       0, "'a' stands twice in the header"},
      {R"({"__metadata__":{"x":5}})", 0, "metadata 'x' must be a string"},
      {R"({"__metadata__":{"x":"1","x":"2"}})", 0, "metadata 'x' stands twice"},
      {R"({"__metadata__":[]})", 0, "expected '{' at the start of an object"},
      // sizes
      {one("F32", "[1]", "[4,0]"), 4, "tensor 'a' ends at 0 before it begins at 4"},
      {one("F32", "[2]", "[0,8]"), 4, "tensor 'a' ends at 8, the data has 4 bytes"},
      {one("F32", "[2]", "[0,4]"), 4, "tensor 'a' of shape [2] and dtype F32 needs 8 bytes, data_offsets give 4"},
      {one("F32", "[4294967296,4294967296]", "[0,4]"), 4, "has shape [4294967296, 4294967296], whose size overflows"},
      {one("F32", "[4611686018427387904]", "[0,0]"), 0, "has shape [4611686018427387904], whose size overflows"},
      {one("F32", "[1]", "[18446744073709551612,18446744073709551615]"), 4, "ends at 18446744073709551615"},
      {one("F32", "[1]", "[4,8]"), 8, "bytes 0 to 4 of the data belong to no tensor"},
      {one("F32", "[1]", "[0,4]"), 8, "bytes 4 to 8 of the data belong to no tensor"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
       6, "tensor 'b' at 2 overlaps the one that ends at 4"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})",
       4, "bytes 1 to 3 of the data belong to no tensor"},
      {"{}", 3, "bytes 0 to 3 of the data belong to no tensor"},
  };
  for (const Malformed& m : all) {
    INFO(m.header);
    const std::string text = error_of(m.header, m.data_bytes);
    CHECK_THAT(text, Catch::Contains(m.message) && Catch::StartsWith("x.safetensors: "));
  }
  CHECK(std::size(all) >= 40);
}

TEST_CASE("lengths that lie are refused", "[safetensors]") {
  CHECK(error_of(std::vector<std::byte>(5)) == "x.safetensors: has 5 bytes: too short for a header length");
  CHECK(error_of(with_length(3, "{}", 0)) == "x.safetensors: the header length is 3, the file has 2 bytes behind it");
  CHECK_THAT(error_of(with_length(~0ull, "{}", 0)), Catch::Contains("at most 100000000 are allowed"));
  // A million opening brackets must not recurse.
  CHECK_THAT(error_of("{\"a\":" + std::string(1000000, '['), 0), Catch::Contains("expected '{'"));
}

TEST_CASE("files that cannot be read or written say so", "[safetensors]") {
  CHECK_THROWS_WITH(Safetensors::read("/nowhere/x"), "/nowhere/x: cannot be opened: No such file or directory");
  CHECK_THROWS_AS(Safetensors::read("/"), SafetensorsError);
  CHECK_THROWS_WITH(write_safetensors("/nowhere/x", {}, {}), Catch::Contains("cannot be created"));
  const float value = 1;
  CHECK_THROWS_WITH(safetensors_bytes({{"a", FileDtype::f32, {2}, &value, 4}}, {}),
                    "writing: tensor 'a' of shape [2] needs 8 bytes and has 4");
  CHECK_THROWS_WITH(
      safetensors_bytes({{"a", FileDtype::f32, {1}, &value, 4}, {"a", FileDtype::f32, {1}, &value, 4}}, {}),
      "writing: the tensor name 'a' is taken");
}
