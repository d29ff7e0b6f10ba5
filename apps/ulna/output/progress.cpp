#include "output/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

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

Progress::Progress(std::string things, long total, long many)
    : things_(std::move(things)),
      total_(total),
      many_(many),
      terminal_(isatty(STDERR_FILENO) != 0) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void Progress::update(long done) {
  done_ = done;
  if (!terminal_) return;
  const double elapsed = seconds();
  if (elapsed < 0.5 || elapsed - drawn_at_ < 0.1) return;
  drawn_at_ = elapsed;
  shown_ = true;
  draw(elapsed);
}

void Progress::draw(double elapsed) const {
  constexpr int width = 24;
  if (total_ == 0) {
    const std::string line =
        fmt::format("\r{} {}, {}\033[K", done_, things_, duration_text(elapsed));
    std::fwrite(line.data(), 1, line.size(), stderr);
    return;
  }
  const double share = static_cast<double>(done_) / static_cast<double>(total_);
  const int filled = static_cast<int>(share * width);
  const std::string left = duration_text(elapsed / share - elapsed);
  const std::string line =
      fmt::format("\r[{:<{}}] {} of {} {}, {} left\033[K", std::string(filled, '='), width, done_,
                  total_, things_, left);
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
