#pragma once
// A formulation at work on the open tree of one robot. What a formulation does not give itself is
// derived here: the mass matrix column by column from efforts, accelerations from the mass matrix,
// efforts by Newton and Euler.

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna {

class TreeRoute {
 public:
  explicit TreeRoute(const Model& model) : model_(model) {}
  virtual ~TreeRoute() = default;

  /// M a + c: gravity, rotors, damping, friction and springs included, wrenches taken off.
  virtual void efforts(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                       ExternalWrenches wrenches, Eigen::VectorXd& tau);
  virtual void mass(Workspace& work, const VectorRef& q, Eigen::MatrixXd& M);
  /// ComputationError naming the joint where the mass matrix is singular.
  virtual void accelerations(Workspace& work, const VectorRef& q, const VectorRef& v,
                             const VectorRef& tau, ExternalWrenches wrenches, Eigen::VectorXd& a);

 protected:
  const Model& model_;
};

template <class Route>
std::unique_ptr<TreeRoute> make_route(const Model& model) {
  return std::make_unique<Route>(model);
}

}  // namespace ulna
