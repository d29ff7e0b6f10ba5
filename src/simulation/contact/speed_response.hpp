#pragma once
// How speeds answer impulses (and accelerations efforts), with what is driven or held staying so
// and loops staying closed: x with M_FF x_F = f_F, for loops M x - A' lambda = f, A x = 0. One
// object serves contacts, stops and nonholonomic rows. docs/theory/simulation.md, eq. 48.

#include "ulna/dynamics/loops.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

class SpeedResponse {
 public:
  /// `loops` is null for trees and belongs to the caller.
  SpeedResponse(const Model& model, LoopDynamics* loops) : model_(model), loops_(loops) {}

  /// Speeds that stay, one entry each; counts from the next update on.
  void hold(const std::vector<char>& held);
  /// Masses at q. False where they are singular.
  bool update(Workspace& work, const VectorRef& q);
  /// With loops: their equations were factored at this state already, by LoopDynamics::mixed.
  bool reuse(Workspace& work, const VectorRef& q);
  bool respond(const Eigen::VectorXd& efforts, Eigen::VectorXd& change);
  /// Changes v by `given` of what is held, and by what the impulses for that do to the others (eq.
  /// 19a). False where no speeds of theirs fit it.
  bool lead(Workspace& work, const VectorRef& q, const Eigen::VectorXd& given, Eigen::VectorXd& v);
  /// The nearest speeds that keep the loops closed. False where there are none near v: what is
  /// held does not fit the loops.
  bool keep_closed(Workspace& work, const VectorRef& q, Eigen::VectorXd& v);
  /// M x at the state of the last `update`.
  void mass_times(const Workspace& work, const Eigen::VectorXd& x, Eigen::VectorXd& y) const;

 private:
  const Model& model_;
  LoopDynamics* loops_;
  std::vector<int> moving_;
  Eigen::MatrixXd M_;
  dense::Cholesky factor_;
  Eigen::VectorXd x_, impulse_, change_;
};

}  // namespace ulna
