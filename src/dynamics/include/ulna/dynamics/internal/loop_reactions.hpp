#pragma once
// What passes through the joints of a mechanism with loops: those that close them (LoopDynamics)
// and those of the tree. docs/theory/reactions.md; the tree is asked with the closing joints'
// wrenches put in their place, so that its reactions are those of JointReactions.
// Dynamics::reactions does all of this for any robot.

#include <vector>

#include "ulna/dynamics/loops.hpp"
#include "ulna/dynamics/reactions.hpp"

namespace ulna {

struct LoopReactions {
  std::vector<Wrench<double>> joints;  ///< as Model::joints()
  std::vector<Wrench<double>> loops;   ///< as Model::loops(); zero for couplings
};

/// What the parent of the closing joint of loop k exerts on its child, as the query wants it: at
/// the joint's frame M in the axes of the child where it names no others. Adds this wrench and its
/// opposite to those that act on the open tree. After `inverse` or `forward` of `dynamics`.
ULNA_API Wrench<double> closing_reaction(const LoopDynamics& dynamics, const Model& model,
                                         const Workspace& work, int k,
                                         const Eigen::VectorXd& lambda, const ReactionQuery& query,
                                         std::vector<ExternalWrench>& on_tree);

/// After `inverse` or `forward` of `dynamics` at (q, v) with these multipliers, which belong to
/// accelerations a. Where closures are redundant they are the minimum-norm ones.
ULNA_API LoopReactions loop_reactions(const LoopDynamics& dynamics, const Model& model,
                                      Workspace& work, const VectorRef& q, const VectorRef& v,
                                      const VectorRef& a, const Eigen::VectorXd& lambda,
                                      ExternalWrenches wrenches = {},
                                      const ReactionQuery& query = {});

}  // namespace ulna
