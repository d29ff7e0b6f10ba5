#pragma once
// Generalized speeds at one state, u = Y v + y, invertible on the speeds of a tree or on the
// independent ones of a robot with loops. Kane's equations can be written in any of them; results
// in joint space do not depend on the choice. docs/theory/kane.md, eq. 8.

#include "ulna/kinematics/generalized_speeds.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

/// Y, y and their rates at one state. With loops v = G v_i, a = G a_i + gamma, and Y G is what is
/// invertible; for trees G and gamma are empty.
struct SpeedMap {
  std::string name;
  Eigen::MatrixXd Y, Y_dot;             ///< one row for each u, one column for each v
  Eigen::VectorXd y = {}, y_dot = {};   ///< empty: zero
  Eigen::MatrixXd G = {};               ///< of loops, else empty
  Eigen::VectorXd gamma = {};           ///< of loops, else empty
  std::vector<std::string> names = {};  ///< of the speeds u
  std::vector<int> independent = {};    ///< of loops: the speeds that G starts from

  Eigen::Index size() const { return Y.rows(); }
  bool loops() const { return gamma.size() > 0; }
  ULNA_API Eigen::VectorXd speeds(const Eigen::VectorXd& v) const;  ///< u = Y v + y
  /// du/dt = Y a + dY/dt v + dy/dt
  ULNA_API Eigen::VectorXd accelerations(const Eigen::VectorXd& v, const Eigen::VectorXd& a) const;
  /// What of du/dt accelerations do not give: dY/dt v + dy/dt.
  ULNA_API Eigen::VectorXd drift(const Eigen::VectorXd& v) const;
};

/// u = v.
ULNA_API SpeedMap joint_rate_speeds(const Model& model);

/// The angular velocity of a body in its own axes takes the place of rates of joints that carry it
/// (resolve_speeds). InputError when nothing turns the body.
ULNA_API SpeedMap body_speeds(const Model& model, const VectorRef& q, const VectorRef& v, int body);

/// By name, as on the command line: "joint-rates", "middle" or "body:NAME"; of a tree.
ULNA_API SpeedMap speeds_named(const Model& model, const VectorRef& q, const VectorRef& v,
                               const std::string& name);

/// Any choice, for trees and for robots with loops, whose state must fit them; independent speeds
/// are those that pivoting finds.
ULNA_API SpeedMap speed_map(const Model& model, const GeneralizedSpeeds& speeds, const VectorRef& q,
                            const VectorRef& v, double t = 0);

/// Rows that were resolved before, which is what generated code computes; of a tree.
ULNA_API SpeedMap map_of_rows(const Model& model, const SpeedRows& rows, const VectorRef& q,
                              const VectorRef& v, double t = 0);

/// Y (or Y G) factored, to go from speeds back to joint rates and from efforts to generalized
/// forces.
class ULNA_API SpeedSolver {
 public:
  /// ComputationError naming the map where it is singular (reciprocal condition below 1e-9).
  explicit SpeedSolver(const SpeedMap& map);

  /// Independent rates: (Y G)^-1 u, without y.
  Eigen::MatrixXd independent(const Eigen::MatrixXd& u) const { return factor_.solve(u); }
  /// Rates of the tree, B u with B = G (Y G)^-1; without y.
  Eigen::MatrixXd rates(const Eigen::MatrixXd& u) const {
    return loops_ ? Eigen::MatrixXd(G_ * factor_.solve(u)) : factor_.solve(u);
  }
  /// Generalized forces of efforts along the tree, B' tau.
  Eigen::MatrixXd forces(const Eigen::MatrixXd& tau) const {
    return factor_.solve_transposed(loops_ ? Eigen::MatrixXd(G_.transpose() * tau) : tau);
  }
  /// 1 / (|Y| |Y^-1|) in the Frobenius norm.
  double reciprocal_condition() const { return reciprocal_condition_; }

 private:
  dense::Lu factor_;
  Eigen::MatrixXd G_;
  bool loops_ = false;
  double reciprocal_condition_ = 1;
};

/// B: Y^-1 for a tree, with the same refusal.
ULNA_API Eigen::MatrixXd inverse_of(const SpeedMap& map);

}  // namespace ulna
