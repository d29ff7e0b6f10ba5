#pragma once
// The mixed problem: of each speed either the effort or the acceleration is given; the other one is
// found. With D the driven speeds (acceleration given) and F the rest (effort given),
//
//   M_FF a_F = tau_F - h_F(q, v, a_D),   tau_D = h_D(q, v, a_D) + M_DF a_F
//
// where h is the inverse dynamics with a_F = 0. docs/theory/simulation.md, eq. 10. Locked joints
// are driven with zero acceleration; all driven is inverse dynamics, none forward dynamics.
// Cost: Newton-Euler, the mass matrix and a Cholesky decomposition of the size of F.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ulna/dynamics/elastic_level.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

class TreeRoute;

class ULNA_API MixedDynamics {
 public:
  /// A level below exact is for robots with flexible bodies; others have only one.
  /// `method` names the formulation of the equations (formulation.hpp); empty: the fastest.
  explicit MixedDynamics(const Model& model, ElasticLevel level = ElasticLevel::exact,
                         const std::string& method = {});
  ~MixedDynamics();

  /// One entry per speed: true where the acceleration is given. May be changed at any time.
  void set_driven(const std::vector<char>& driven);
  bool any_driven() const { return !driven_.empty(); }
  const std::vector<int>& driven() const { return driven_; }
  const std::vector<int>& moving() const { return moving_; }

  /// Completes `a` and `tau`: reads a at the driven and tau at the other speeds, writes the rest.
  /// Allocates nothing without a `method`. ComputationError naming the joint when M_FF is singular.
  void solve(Workspace& work, const VectorRef& q, const VectorRef& v, Eigen::Ref<Eigen::VectorXd> a,
             Eigen::Ref<Eigen::VectorXd> tau, ExternalWrenches wrenches = {});

  /// The smallest pivot of the last solution at a level below exact, by the largest entry of its
  /// row: negative where the truncated mass matrix has lost its definiteness. 1 at exact.
  double definiteness() const { return definiteness_; }

 private:
  void solve_truncated(const VectorRef& q, const VectorRef& v, Eigen::Ref<Eigen::VectorXd> a,
                       Eigen::Ref<Eigen::VectorXd> tau, ExternalWrenches wrenches);

  const Model& model_;
  std::optional<ElasticEquations> truncated_;
  std::unique_ptr<TreeRoute> route_;  ///< of the formulation asked for; null: none was
  dense::Lu factor_;
  double definiteness_ = 1;
  std::vector<int> driven_, moving_;
  Eigen::MatrixXd M_, route_mass_;
  Eigen::VectorXd x_, h_;
};

}  // namespace ulna
