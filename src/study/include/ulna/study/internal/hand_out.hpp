#pragma once
// How the samples of a study are handed out. A batch holds a twentieth of a second of work by the
// cost measured so far; more where so many ranks ask that rank 0 would spend more than a quarter of
// its time on answers; less towards the end, so that all finish together. docs/study-file.md, "How
// it scales".

#include <deque>
#include <utility>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct Batch {
  long first = 0, count = 0;
};

/// The ranges that are left, cut into batches.
class ULNA_API HandOut {
 public:
  /// `workers`: threads of all ranks; `ranks`: how many ask for work by messages.
  HandOut(std::vector<std::pair<long, long>> ranges, int workers, int ranks = 0);
  /// Empty when nothing is left. `share`: for how many workers at once.
  Batch next(int share = 1);
  /// A batch took this long.
  void measured(long samples, double seconds);
  /// The answer to a rank took this long, without the writing of its rows.
  void answered(double seconds);
  long left() const { return left_; }
  double cost() const { return cost_; }

 private:
  std::deque<std::pair<long, long>> ranges_;
  long left_ = 0;
  int workers_, ranks_;
  double cost_ = 0;    ///< seconds of a sample; 0: not known yet
  double answer_ = 0;  ///< seconds of rank 0 for a message
};

}  // namespace ulna
