#pragma once
// How far a long command has come, on standard error: on a terminal a bar with the rate and the
// time that is left, once it has taken half a second; otherwise one line at the end, if there was
// much to do, and lines on the way, for the log of a job, where that was asked for.

#include <chrono>
#include <string>

namespace ulna::cli {

class Progress {
 public:
  /// `things`: what is counted, "states". `many`: from which number on a line is worth printing
  /// when it is not a terminal that reads. `total` 0: not known; then there is no bar and no line.
  /// `first_line`: seconds after which the first line on the way is due; the next ones follow in
  /// twice the time, at the latest after ten minutes. 0: none.
  Progress(std::string things, long total, long many, double first_line = 0);
  /// Takes the bar away, or prints the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(long done);

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const;
  void draw(double elapsed) const;
  std::string state(double elapsed) const;

  std::string things_;
  long total_, many_, done_ = 0;
  long before_ = -1;  ///< done when it began: a command may go on with what was there
  bool terminal_, shown_ = false;
  Clock::time_point start_ = Clock::now();
  double drawn_at_ = 0, next_line_;
};

}  // namespace ulna::cli
