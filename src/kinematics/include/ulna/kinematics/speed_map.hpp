#pragma once
// A choice of generalized speeds: u = Y(q) v, invertible, with the joint rates v. Kane's equations
// can be written in any of them; results in joint space do not depend on the choice.
// docs/theory/kane.md, eq. 8.

#include <array>

#include "ulna/kinematics/kinematics.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

/// Y and dY/dt at one state.
struct SpeedMap {
  std::string name;
  Eigen::MatrixXd Y, Y_dot;
};

/// u = v.
ULNA_API SpeedMap joint_rate_speeds(const Model& model);

/// The angular velocity of a body in its own axes takes the place of three rates of joints that
/// carry it, those that leave Y best conditioned. InputError when fewer than three turns carry the
/// body.
ULNA_API SpeedMap body_speeds(const Model& model, const VectorRef& q, const VectorRef& v, int body);

/// The same with the three rates named, in rising order: for code that must not choose anew at
/// every posture.
ULNA_API SpeedMap body_speeds(const Model& model, const VectorRef& q, const VectorRef& v, int body,
                              const std::array<int, 3>& replaced);

/// The rates whose place is taken at this posture.
ULNA_API std::array<int, 3> replaced_rates(const Model& model, const VectorRef& q, int body);

/// The body the design rule of Kane's school proposes: the second of 3 or 4 revolute joints in a
/// row, the third of 5 or more. -1 when the robot has fewer than three.
ULNA_API int middle_body(const Model& model);

/// By name, as on the command line: "joint-rates" or "body:NAME".
ULNA_API SpeedMap speeds_named(const Model& model, const VectorRef& q, const VectorRef& v,
                               const std::string& name);

/// Y factored, to go from speeds back to joint rates and from efforts to generalized forces.
class ULNA_API SpeedSolver {
 public:
  /// ComputationError naming the map where it is singular (reciprocal condition below 1e-9).
  explicit SpeedSolver(const SpeedMap& map);

  Eigen::MatrixXd rates(const Eigen::MatrixXd& u) const { return factor_.solve(u); }  ///< Y^-1 u
  Eigen::MatrixXd forces(const Eigen::MatrixXd& tau) const {                          ///< Y^-T tau
    return factor_.solve_transposed(tau);
  }
  /// 1 / (|Y| |Y^-1|) in the Frobenius norm.
  double reciprocal_condition() const { return reciprocal_condition_; }

 private:
  dense::Lu factor_;
  double reciprocal_condition_ = 1;
};

/// Y^-1, with the same refusal.
ULNA_API Eigen::MatrixXd inverse_of(const SpeedMap& map);

}  // namespace ulna
