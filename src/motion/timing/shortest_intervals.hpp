#pragma once
// The shortest duration of switched efforts that meet a goal: descent along the intervals between
// switches that meet it. docs/theory/motions.md, eq. 40.

#include <Eigen/Core>
#include <functional>
#include <vector>

namespace ulna {

/// Lengths of the intervals between switches, those of the first joint, then those of the next. The
/// lengths of each joint add up to the duration, and none is negative.
struct SwitchIntervals {
  std::vector<int> counts;  ///< of each joint: its switches and one
  Eigen::VectorXd lengths;
  double miss = 0;  ///< |miss| of the lengths

  double duration() const { return lengths.head(counts.front()).sum(); }
};

/// Shortens intervals that meet the goal within the tolerance, as far as small steps lead. `miss`
/// may throw: `intervals` then are the shortest so far.
void shorten_intervals(const std::function<Eigen::VectorXd(const Eigen::VectorXd& lengths)>& miss,
                       double tolerance, double difference, SwitchIntervals& intervals);

}  // namespace ulna
