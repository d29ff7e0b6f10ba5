#pragma once
// Kane's equations of trees with flexible bodies: inertia forces of the deformed bodies, dotted
// with the partial velocities of their roots, sections and generalised points. docs/theory/kane.md,
// eq. 6; docs/theory/flexible.md, eq. 36.

#include "classic/kane_reactions.hpp"

namespace ulna {

class FlexibleKaneRoute final : public TreeRoute {
 public:
  explicit FlexibleKaneRoute(const Model& model);
  void efforts(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
               ExternalWrenches wrenches, Eigen::VectorXd& tau) override;
  const std::vector<Wrench<double>>& reactions(Workspace& work, const VectorRef& q,
                                               const VectorRef& v, const VectorRef& a,
                                               ExternalWrenches wrenches,
                                               const ReactionQuery& query) override;

 private:
  /// Of every node (rows of six: angular, then of its origin, in its axes) by every speed.
  void update_partial_velocities(Workspace& work, const VectorRef& q);

  Parameters<double> weightless_;
  Eigen::MatrixXd partial_;
  Eigen::VectorXd unit_, modal_;
  std::unique_ptr<KaneReactions> reactions_;  ///< made when first asked for
};

}  // namespace ulna
