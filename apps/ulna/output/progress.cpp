#include "output/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ulna::cli {
namespace {

std::string duration_text(double time) {
  const long seconds = std::lround(time), minutes = seconds / 60;
  if (minutes == 0) return fmt::format("{} s", seconds);
  if (minutes < 60) return fmt::format("{} min {:02} s", minutes, seconds % 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace

Progress::Progress(std::string things, long total, long many, double first_line)
    : things_(std::move(things)),
      total_(total),
      many_(many),
      terminal_(isatty(STDERR_FILENO) != 0),
      next_line_(first_line > 0 ? first_line : INFINITY) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::update(long done) {
  if (before_ < 0) before_ = done;
  done_ = done;
  const double elapsed = seconds();
  if (!terminal_) {
    if (elapsed < next_line_ || total_ == 0) return;
    next_line_ = elapsed + std::min(elapsed, 600.0);
    const std::string line = state(elapsed) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
    return;
  }
  if (elapsed < 0.5 || elapsed - drawn_at_ < 0.1) return;
  drawn_at_ = elapsed;
  shown_ = true;
  draw(elapsed);
}

/// "1200 of 10000 samples, 240 a second, 37 s left"
std::string Progress::state(double elapsed) const {
  std::string text = fmt::format("{} of {} {}", done_, total_, things_);
  const double rate = static_cast<double>(done_ - std::max(before_, 0L)) / elapsed;
  if (!(rate > 0)) return text;
  text += rate < 1 ? fmt::format(", one in {:.3g} s", 1 / rate)
                   : fmt::format(", {:.{}f} a second", rate, rate < 100 ? 1 : 0);
  return text + ", " + duration_text(static_cast<double>(total_ - done_) / rate) + " left";
}

void Progress::draw(double elapsed) const {
  constexpr int width = 24;
  if (total_ == 0) {
    const std::string line =
        fmt::format("\r{} {}, {}\033[K", done_, things_, duration_text(elapsed));
    std::fwrite(line.data(), 1, line.size(), stderr);
    return;
  }
  const int filled =
      static_cast<int>(width * static_cast<double>(done_) / static_cast<double>(total_));
  const std::string line =
      fmt::format("\r[{:<{}}] {}\033[K", std::string(filled, '='), width, state(elapsed));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
  if (terminal_ || total_ == 0 || total_ < many_) return;
  try {
    const std::string line =
        fmt::format("{} of {} {} in {:.1f} s\n", done_, total_, things_, seconds());
    std::fwrite(line.data(), 1, line.size(), stderr);
  } catch (...) {  // a line that cannot be had is not worth ending for
  }
}

}  // namespace ulna::cli
