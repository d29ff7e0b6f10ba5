#pragma once
// Motions of the joints of a flexible robot with which a frame follows the path that it would have
// on the robot with rigid links. docs/theory/tip-tracking.md, eq. 6-16.
//
//   preview   stable inversion: the elastic equations along the constrained frame have growing and
//             decaying solutions (the robot is non-minimum phase); the bounded one begins before
//             the frame moves. Exact but for the grid.
//   causal    quasi-static inversion: the deflection that the present velocities and accelerations
//             cause is compensated. Nothing moves early; vibration is left to its damping.
//
// Both follow from the equations of motion at level exact, gravity included, for trees of joints
// with one coordinate for each speed whose rigid robot moves the frame in as many directions as it
// has joints.

#include <string>
#include <vector>

#include "ulna/model/model.hpp"
#include "ulna/motion/motion.hpp"

namespace ulna {

enum class TipInversion { preview, causal };

struct TipOptions {
  int frame = 0;
  TipInversion inversion = TipInversion::preview;
  bool position_only = true;  ///< false: the orientation of the frame counts as well
  double preview = 0;         ///< time before and after the motion; 0: as long as it takes
  double step = 0;            ///< of the grid; 0: halved for as long as the motion changes less
  double tolerance = 1e-6;    ///< speed at the ends of the grid by the largest one
};

/// What the joints and the modes do, at the nodes of a grid of equal steps. t = 0 is the start of
/// the run; the frame begins to move at `preview`.
struct TipMotion {
  Eigen::VectorXd t;
  Eigen::MatrixXd q, v, a;  ///< one row for each time; all coordinates, joints first
  Eigen::MatrixXd tau;      ///< efforts of the joints
  double preview = 0;       ///< time before the motion of the frame
  double tail = 0;          ///< time after it
  double gap = 0;           ///< largest distance of the frame from its target at the nodes, m
  double early = 0;         ///< largest joint speed at the ends of the grid, SI units
  double change = 0;        ///< of a coordinate by the last halving of the step; 0: there was none
  int iterations = 0;

  /// Coordinate k between the nodes: value, rate and acceleration are met at them.
  ULNA_API ScalarMotionPtr coordinate(int k) const;
};

/// `joints`: the motion of every joint speed of the robot with rigid links, at rest at 0 and from
/// `end` on. InputError for robots and motions that this is not for; ComputationError where
/// Newton's iteration does not converge.
ULNA_API TipMotion invert_tip(const Model& model, const std::vector<ScalarMotionPtr>& joints,
                              double end, const TipOptions& options);

/// "preview", "causal".
ULNA_API const char* name_of(TipInversion inversion);

}  // namespace ulna
