#pragma once
// A formulation at work on the open tree of one robot. What a formulation does not give itself is
// derived here: the mass matrix column by column from efforts, accelerations from the mass matrix,
// efforts and reactions by Newton and Euler. A WholeRoute needs no open tree: it has the loops in
// its equations.

#include <memory>

#include "ulna/dynamics/loops.hpp"
#include "ulna/dynamics/reactions.hpp"

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
  /// The wrench through each joint of the tree; what closes loops must be among the wrenches.
  virtual const std::vector<Wrench<double>>& reactions(Workspace& work, const VectorRef& q,
                                                       const VectorRef& v, const VectorRef& a,
                                                       ExternalWrenches wrenches,
                                                       const ReactionQuery& query);

 protected:
  const Model& model_;

 private:
  std::unique_ptr<JointReactions> reactions_;  ///< made when first asked for
};

class WholeRoute {
 public:
  virtual ~WholeRoute() = default;
  virtual void inverse(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                       ExternalWrenches wrenches, LoopEfforts& result) = 0;
  virtual void forward(Workspace& work, const VectorRef& q, const VectorRef& v,
                       const VectorRef& tau, ExternalWrenches wrenches, Eigen::VectorXd& a) = 0;
  /// Speeds that have an actuator.
  virtual const std::vector<int>& actuated() const = 0;
};

template <class Route>
std::unique_ptr<TreeRoute> make_route(const Model& model) {
  return std::make_unique<Route>(model);
}

}  // namespace ulna
