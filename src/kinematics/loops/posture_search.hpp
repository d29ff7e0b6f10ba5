#pragma once
// What inverse kinematics and the assembly of loops share: searching coordinates within the limits,
// and telling postures apart.

#include "ulna/model/model.hpp"
#include "ulna/numerics/internal/least_squares.hpp"

namespace ulna {

/// A least-squares problem in the coordinates of a model, with its limits; `evaluate` is left
/// empty.
LeastSquaresProblem posture_problem(const Model& model);

/// The angles that come back to the same posture after a whole turn: where all that the coordinate
/// drives (a mimic joint too) turns by whole turns with it. Those without limits may be turned
/// freely.
class WholeTurns {
 public:
  explicit WholeTurns(const Model& model);
  /// Coordinates into (-pi, pi].
  void take_out(Eigen::VectorXd& q) const;
  /// Coordinates to within half a turn of `start`.
  void bring_near(const Eigen::VectorXd& start, Eigen::VectorXd& q) const;
  /// All angles, those with limits too: to the nearest to `start` that the limits allow.
  void bring_near_within_limits(const Eigen::VectorXd& start, Eigen::VectorXd& q) const;
  /// The same of a difference, in the tangent.
  void take_out_of_difference(Eigen::VectorXd& dv) const;
  /// The same for all angles, those with limits too.
  void take_all_out_of_difference(Eigen::VectorXd& dv) const;

 private:
  /// For each speed; -1 for those that are no such angle.
  std::vector<int> coordinate_;  ///< without limits
  std::vector<int> limited_;     ///< with limits
  Eigen::VectorXd lower_, upper_;
};

/// Whether two coordinate vectors are one posture: nearer than `distinct` in the tangent.
bool same_posture(const Model& model, const WholeTurns& turns, const Eigen::VectorXd& a,
                  const Eigen::VectorXd& b, double distinct);

}  // namespace ulna
