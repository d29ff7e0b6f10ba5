#pragma once
// What a closed loop holds to zero: the part of the pose of M in F that its joint does not allow,
// one row for each direction held (docs/theory/closed-loops.md, table 1 and eq. 2-6). The rows of a
// closing joint are in the header of its type (model/joints/).

#include "ulna/model/joints/joint_types.hpp"

namespace ulna {

/// loop.rows numbers that vanish when a closing joint or a rod is closed. Turns come first, in
/// radians, then lengths in metres.
template <class S>
void loop_rows(const Loop& loop, const RelativePose<S>& X, S* r) {
  if (loop.kind == LoopKind::distance) {
    // eq. 6: |p| - length to first order, without its corner at p = 0
    r[0] = (dot(X.p, X.p) - S(loop.length * loop.length)) * S(0.5 / loop.length);
    return;
  }
  with_joint(loop.type, [&](auto type) { type.rows(loop, X, r); });
}

/// How many of a loop's rows are turns; the rest are lengths (a coupling's row has its own unit).
inline int turn_rows(const Loop& loop) {
  if (loop.kind != LoopKind::joint) return 0;
  return with_joint(loop.type, [](auto type) { return type.turn_rows; });
}

}  // namespace ulna
