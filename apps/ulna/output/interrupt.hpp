#pragma once
// Ctrl-C (or a polite kill) as a question that a long command asks now and then, so that it can end
// with what it has.

namespace ulna::cli {

/// While one lives, the first interrupt is noted instead of ending the program; a second ends it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
};

}  // namespace ulna::cli
