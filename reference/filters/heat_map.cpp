#include "reference/filters/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace xqacheck::reference::filters {
namespace {

constexpr std::size_t kWidth = 64;  // cells of a line: fits a terminal with the label
constexpr std::int64_t kTile = 64;  // tokens of a tile in the public kernels

// Each step is a factor of two in standard deviations, from 1.
constexpr char kShades[] = " .:-=+*#%@";
constexpr int kSteps = 9;

char shade(double sigmas) {
  if (!(sigmas >= 1)) return kShades[0];
  return kShades[std::min(kSteps, 1 + static_cast<int>(std::floor(std::log2(sigmas))))];
}

// An axis of `size` places, drawn with at most kWidth cells.
class Axis {
 public:
  Axis(std::string name, std::size_t size) : name_(std::move(name)), size_(size), cells_(std::min(size, kWidth)) {}

  void add(std::size_t place, double weighted_square, double count) {
    Cell& cell = cells_[place * cells_.size() / size_];
    cell.sum += weighted_square;
    cell.count += count;
  }

  // Drawn only where there is something to compare.
  void draw(std::vector<std::string>& lines) const {
    if (size_ < 2) return;
    std::string text;
    double most = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const double rms = cells_[i].count > 0 ? std::sqrt(cells_[i].sum / cells_[i].count) : 0;
      text += shade(rms);
      if (rms > most) most = rms, at = i;
    }
    const std::size_t from = at * size_ / cells_.size(), to = std::max(from + 1, (at + 1) * size_ / cells_.size()) - 1;
    const std::string where = from == to ? fmt::format("{}", from) : fmt::format("{}-{}", from, to);
    lines.push_back(fmt::format("{:<9}0 |{}| {}   most: {} ({:.3g})", name_, text, size_ - 1, where, most));
  }

 private:
  struct Cell {
    double sum = 0, count = 0;
  };
  std::string name_;
  std::size_t size_;
  std::vector<Cell> cells_;
};

void draw_elements(const Context& c, std::vector<std::string>& lines) {
  Axis requests("request", c.problem.requests), rows("row", c.problem.max_rows), heads("head", c.problem.q_heads),
      channels("dim", c.problem.head_dim_v);
  for (const Sequence& s : c.sight.sequences()) {
    for (std::uint32_t row = 0; row < s.rows; ++row) {
      for (std::uint32_t head = 0; head < c.problem.q_heads; ++head) {
        for (std::uint32_t d = 0; d < c.problem.head_dim_v; ++d) {
          const std::uint64_t i = ((s.first_row + row) * c.problem.q_heads + head) * c.problem.head_dim_v + d;
          const double w = c.evidence.weight[i];
          if (w == 0) continue;
          const double square = w * c.evidence.error[i] * c.evidence.error[i];
          requests.add(s.request, square, 1);
          rows.add(row, square, 1);
          heads.add(head, square, 1);
          channels.add(d, square, 1);
        }
      }
    }
  }
  for (const Axis* axis : {&requests, &rows, &heads, &channels}) axis->draw(lines);
}

// Of the request whose tokens are suspected most.
void draw_tokens(const Context& c, const Screen& screen, std::vector<std::string>& lines) {
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t i = 0; i < screen.sequences.size(); ++i) {
    for (const Tally& t : screen.sequences[i].missing) {
      if (std::fabs(t.sigmas()) > most) most = std::fabs(t.sigmas()), worst = i;
    }
  }
  if (most < 0) return;
  const SequenceTallies& t = screen.sequences[worst];
  const Sequence& s = c.sight.sequences()[worst];
  Axis pages("page", static_cast<std::size_t>((s.length + c.page_tokens - 1) / c.page_tokens));
  Axis tiles("tile", static_cast<std::size_t>((s.length + kTile - 1) / kTile));
  for (std::size_t i = 0; i < t.page_missing.size(); ++i) {
    const double sigmas = t.page_missing[i].sigmas();
    pages.add(static_cast<std::size_t>(t.first) / c.page_tokens + i, sigmas * sigmas, 1);
  }
  for (std::size_t i = 0; i + 1 < t.missing.size(); ++i) {
    const double sigmas = t.missing[i].sigmas();
    tiles.add(static_cast<std::size_t>((t.first + static_cast<std::int64_t>(i)) / kTile), sigmas * sigmas, 1);
  }
  lines.push_back(fmt::format(
      "tokens of request {}: how strongly a page or the tokens of a 64-token tile are suspected", s.request));
  pages.draw(lines);
  tiles.draw(lines);
}

}  // namespace

std::vector<std::string> heat_map(const Context& c, const Screen& screen) {
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("error by place, rms in standard deviations of a correct kernel: blank < 1, then '{}' from 1 to 256 "
                  "by factors of 2",
                  std::string(kShades + 1)));
  draw_elements(c, lines);
  draw_tokens(c, screen, lines);
  return lines;
}

}  // namespace xqacheck::reference::filters
