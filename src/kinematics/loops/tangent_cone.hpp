#pragma once
// Motions through a singular posture, to second order (docs/theory/closed-loops.md, section 5).
// There A loses rank, and of the directions v that it leaves free only those begin a motion for
// which A a = -r''(v, v) has a solution a:
//
//   v = N y,   y' Q_i y = 0,   Q_i = u_i . r''(N, N),   u_i' A = 0
//
// These cones are what branches of motion are tangent to.

#include <vector>

#include "loops/loop_components.hpp"

namespace ulna {

/// All in pure numbers (LoopClosure::column_scale) and in the columns of the group.
struct TangentCone {
  struct Ray {
    Eigen::VectorXd v, a;  ///< q + s v + s^2 a / 2, closed to third order
    int dimension = 0;     ///< of the cone there: 1 for a ray that stands alone
  };
  std::vector<Ray> rays;  ///< different ones that were found, each for both senses
  int conditions = 0;     ///< independent ones among the Q
  /// Some combination of the Q is definite, so that no direction can be continued: the robot is
  /// rigid, though not to first order.
  bool empty = false;
};

/// Of a group of loops at a closed posture q, with the null space of its scaled closure Jacobian.
TangentCone tangent_cone(LoopClosure& closure, Workspace& work, const VectorRef& q,
                         const LoopComponent& part, const Eigen::MatrixXd& null_space);

}  // namespace ulna
