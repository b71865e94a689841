#include <set>

#include "kernels/jit/compile.hpp"
#include "tests/catch.hpp"

using namespace xqacheck::kernels::jit;

TEST_CASE("the key changes with everything that can change the machine code") {
  CompileRequest base;
  base.source = {"a.cu", "text"}, base.headers = {{"h.h", "one"}, {"i.h", "two"}};
  base.macros = {{"D", "64"}, {"G", "8"}}, base.arch = "sm_90a", base.options = {"--fmad=false"};
  std::set<std::string> keys = {key_of(base, "nvrtc 13.0")};
  CHECK(keys.begin()->size() == 32);
  const auto add = [&](CompileRequest request, const std::string& version = "nvrtc 13.0") {
    CHECK(keys.insert(key_of(request, version)).second);
  };
  add(base, "nvrtc 12.9");
  auto r = base;
  r.source.text = "texT", add(r);
  r = base, r.source.name = "b.cu", add(r);
  r = base, r.headers[1].text = "twO", add(r);
  r = base, r.headers.pop_back(), add(r);
  r = base, r.macros[0].second = "128", add(r);
  r = base, r.macros = {{"D", "6"}, {"4G", "8"}}, add(r);  // the same letters, cut elsewhere
  r = base, r.macros = {{"G", "8"}, {"D", "64"}}, add(r);
  r = base, r.arch = "sm_80", add(r);
  r = base, r.options = {}, add(r);
  CHECK(key_of(base, "nvrtc 13.0") == key_of(CompileRequest(base), "nvrtc 13.0"));
}
