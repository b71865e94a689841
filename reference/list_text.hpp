// Readers and writers of the list values of a case line: lengths, drafts, trees, masks and injections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/case.hpp"

namespace xqacheck::reference {

// "64", "64,3,0", "8192x128" (128 times 8192), "uniform(1,4096)x64" (64 numbers drawn from `geo`), mixed with commas.
// The i-th number of the list is drawn from (geo, i) alone. At most `most` numbers.
std::vector<std::uint32_t> read_list(std::string_view key, std::string_view text, std::size_t most, std::uint64_t geo);
// Runs of equal numbers are written NxM.
std::string write_list(const std::vector<std::uint32_t>& values);

// "0,0,1,1" or, one per request, "0,0,1,1/0,1"; an empty piece is an empty tree. Masks are rows of hexadecimal words.
std::vector<Tree> read_trees(std::string_view key, std::string_view text);
std::string write_trees(const std::vector<Tree>& trees);
std::vector<std::vector<std::uint32_t>> read_bits(std::string_view key, std::string_view text);
std::string write_bits(const std::vector<std::vector<std::uint32_t>>& bits);

// "nan@v:0:5,inf@q:1:0"
std::vector<Injection> read_injections(std::string_view key, std::string_view text);
std::string write_injections(const std::vector<Injection>& injections);

}  // namespace xqacheck::reference
