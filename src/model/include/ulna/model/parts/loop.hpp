#pragma once
// A loop: a joint that closes a cycle, or another closure (a rod, a gear). It keeps its type: a
// hinge holds five of the six directions in which its two bodies could part, a ball three. The
// frames F (on the parent) and M (on the child) stand with z along the joint's axis, so that the
// type alone says which directions are held (docs/theory/closed-loops.md, table 1).

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

/// Of at most seven entries, kept without the heap: coordinates or rates of a closing joint.
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 7, 1>;
/// At most six rows: what a loop makes of a twist.
using TwistRows = Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6>;

enum class LoopKind { joint, distance, coupling };

/// factor x a coordinate of the tree.
struct CouplingTerm {
  int q, v;
  double factor;
};

struct Loop {
  std::string joint;          ///< name of the closing joint or of the constraint
  int parent = 0, child = 0;  ///< indices into Model::bodies(); the world for a coupling
  LoopKind kind = LoopKind::joint;
  JointType type = JointType::fixed;  ///< of a closing joint
  int rows = 0;                       ///< how many directions it holds

  int node_F = 0, node_M = 0;  ///< nodes that carry the frames
  Pose<double> X_NF, X_NM;     ///< frames in their nodes'; M on F means closed at coordinate 0
  /// Axes of F and M (z along the joint's axis) in the joint's frames as given.
  Matrix3<double> R_JA = Matrix3<double>::Identity();
  Vector3<double> axis2 = Vector3<double>::UnitX();  ///< universal: the second axis, in M
  double axes_cosine = 0;                            ///< universal: between its two axes
  double pitch = 0;                                  ///< screw
  double length = 0;                                 ///< distance
  std::vector<CouplingTerm> terms;                   ///< coupling
  double offset = 0;
  std::vector<DegreeData> degrees;  ///< what acts along the closing joint; may be short
};

/// Rows that a joint of this type takes when it closes a loop: six less its degrees of freedom.
ULNA_API int closure_rows(JointType type);

}  // namespace ulna
