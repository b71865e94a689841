#include "properties/report/progress.hpp"

#include <fmt/format.h>

namespace xqacheck::properties {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kRefresh = std::chrono::milliseconds(200);  // faster than this only flickers

}  // namespace

Progress::Progress(std::FILE* stream, bool terminal, std::uint64_t total)
    : stream_(stream),
      terminal_(terminal),
      total_(total),
      next_plain_((total + 9) / 10),
      start_(Clock::now()),
      last_(start_ - kRefresh) {}

Progress::~Progress() {
  clear();
}

void Progress::advance(std::uint64_t done, std::uint64_t failures) {
  if (terminal_) {
    if (Clock::now() - last_ >= kRefresh) show(done, failures);
  } else if (done >= next_plain_ && total_ > 0) {
    show(done, failures);
    while (next_plain_ <= done) next_plain_ += (total_ + 9) / 10;
  }
}

void Progress::clear() {
  if (terminal_ && shown_) fmt::print(stream_, "\r\033[K");
  shown_ = false;
}

void Progress::show(std::uint64_t done, std::uint64_t failures) {
  last_ = Clock::now();
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  std::string text = fmt::format("{}/{} cases, {:.0f} s", done, total_, seconds);
  if (failures) text += fmt::format(", {} failed", failures);
  if (done > 0 && done < total_)
    text +=
        fmt::format(", about {:.0f} s left", seconds / static_cast<double>(done) * static_cast<double>(total_ - done));
  fmt::print(stream_, "{}{}{}", terminal_ ? "\r\033[K" : "", text, terminal_ ? "" : "\n");
  std::fflush(stream_);
  shown_ = true;
}

}  // namespace xqacheck::properties
