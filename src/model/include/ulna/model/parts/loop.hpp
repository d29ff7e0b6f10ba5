#pragma once
// A loop: a joint that closes a cycle, or another closure (a rod, a gear). It keeps its type: a
// hinge holds five of the six directions in which its two bodies could part, a ball three. The
// frames F (on the parent) and M (on the child) stand with z along the joint's axis, so that the
// type alone says which directions are held (docs/theory/closed-loops.md, table 1).

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

/// Of at most seven entries, kept without the heap: coordinates or rates of a closing joint.
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 7, 1>;
/// At most six rows: what a loop makes of a twist.
using TwistRows = Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6>;

enum class LoopKind { joint, distance, coupling };

/// factor x + higher[0] x^2 + higher[1] x^3 + ..., with x a coordinate of the tree.
struct CouplingTerm {
  int q, v;
  double factor;
  std::vector<double> higher = {};

  template <class S>
  S value(const S& x) const {
    S sum(0);
    for (std::size_t k = higher.size(); k-- > 0;) sum = (sum + S(higher[k])) * x;
    return (sum + S(factor)) * x;
  }
  double slope(double x) const {
    double sum = 0;
    for (std::size_t k = higher.size(); k-- > 0;)
      sum = (sum + static_cast<double>(k + 2) * higher[k]) * x;
    return sum + factor;
  }
  double curvature(double x) const {
    double sum = 0;
    for (std::size_t k = higher.size(); k-- > 0;)
      sum = sum * x + static_cast<double>((k + 2) * (k + 1)) * higher[k];
    return sum;
  }
  /// Of the slope, where the coordinate is of the size `unit`.
  double size(double unit) const {
    double largest = std::abs(factor), power = 1;
    for (const double c : higher) largest = std::max(largest, std::abs(c) * (power *= unit));
    return largest;
  }
};

/// factor x + higher[0] x^2 + ... at x = scale y + shift: the coefficients of 1, y, y^2, ...
ULNA_API std::vector<double> substituted(double factor, const std::vector<double>& higher,
                                         double scale, double shift);

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
