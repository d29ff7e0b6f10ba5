#pragma once
// Joint reactions by Kane's equations: auxiliary speeds that the joints do not have bring what they
// carry into the equations. Each joint of the tree gets six of them, three turns and three shifts
// of its child against its parent, which stay zero; the generalised force of each is a component of
// the wrench through the joint. docs/theory/kane.md, eq. 13.

#include <memory>

#include "formulation/tree_route.hpp"

namespace ulna {

class KaneReactions {
 public:
  /// InputError for a joint that slides along a beam.
  explicit KaneReactions(const Model& model);
  ~KaneReactions();
  /// As TreeRoute::reactions.
  const std::vector<Wrench<double>>& compute(Workspace& work, const VectorRef& q,
                                             const VectorRef& v, const VectorRef& a,
                                             ExternalWrenches wrenches, const ReactionQuery& query);

 private:
  const Model& model_;
  std::unique_ptr<Model> wider_;  ///< with a free joint before each joint
  std::unique_ptr<Workspace> work_;
  std::unique_ptr<TreeRoute> route_;
  std::vector<int> coordinates_, speeds_;  ///< by those of the robot: theirs in the wider one
  std::vector<int> bodies_, frames_;
  std::vector<int> auxiliary_;            ///< by joint: the auxiliary one
  std::vector<Vector3<double>> origins_;  ///< by joint: origin of M in the frame of the child
  Eigen::VectorXd q_, v_, a_, tau_;
  std::vector<Wrench<double>> reactions_;
};

/// The route of Kane's equations for a robot (formulation.cpp).
std::unique_ptr<TreeRoute> make_kane_route(const Model& model);

}  // namespace ulna
