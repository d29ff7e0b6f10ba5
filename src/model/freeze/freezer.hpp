#pragma once
// How a robot description becomes a frozen model, step by step: check, spanning tree, elementary
// joints, normal form, masses. Each step is one file.

#include <map>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// Everything wrong with the description taken by itself: names, references, numbers, inertias,
/// axes. `references_hold`: every name that is used exists once, so that it makes sense to look at
/// the connections.
std::vector<Problem> check(const Robot& robot, bool& references_hold,
                           std::vector<Problem>& warnings);

/// Which joints carry the tree and in which sense; the others close loops.
struct SpanningTree {
  struct Edge {
    int joint;      ///< index into robot.joints
    bool reversed;  ///< traversed from child to parent
  };
  std::vector<Edge> edges;  ///< in an order where every edge starts at a body already reached
  std::vector<int> loops;   ///< indices of the closing joints
};
SpanningTree spanning_tree(const Robot& robot, std::vector<Problem>& problems);
/// A spanning tree with smaller loops, found by exchanging joints; the given one where none is.
SpanningTree with_small_loops(const Robot& robot, SpanningTree tree);
/// The same tree with its edges branch by branch.
SpanningTree depth_first(const Robot& robot, SpanningTree tree);
/// Closing joints with friction or a rotor get a coordinate (closing_coordinates.cpp), where one of
/// their bodies has mass; true where that changed the robot.
bool give_closing_coordinates(Robot& robot, const SpanningTree& tree,
                              std::vector<Problem>& warnings);
/// A joint whose coordinates keep their meaning when it is traversed from child to parent.
bool reversible(JointType type);

/// One node before it is brought to normal form: a screw about z of its frame E, or a block.
struct Elementary {
  int parent;         ///< index of the parent node, 0 = world
  Pose<double> X_PE;  ///< at q = 0, in the parent's frame E
  NodeKind kind;
  int q, v;
  double sigma = 0, h = 0;  ///< angle sigma q + angle, shift h q + shift
  double angle = 0, shift = 0;
  const ModalBody* modal = nullptr;  ///< flexible nodes and stations
  int station = -1;
};

/// The turns about z and shifts along z that bring each E to its normal-form frame N, and the nodes
/// that result.
struct NormalForm {
  std::vector<Pose<double>> X_EN;
  std::vector<TreeNode> nodes;
  std::vector<Vector3<double>> positions;
};
NormalForm normal_form(const std::vector<Elementary>& elementary);

/// A frame of a body as its node carries it.
struct CarriedFrame {
  int node;
  Pose<double> X_NF;
};
/// A closing joint or a rod between two bodies, in the frames of their nodes.
Loop loop_of(const JointData& joint, int parent, int child, const CarriedFrame& F,
             const CarriedFrame& M);
Loop loop_of(const ConstraintData& rod, int parent, int child, const CarriedFrame& F,
             const CarriedFrame& M);

}  // namespace ulna
