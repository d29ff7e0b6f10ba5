#pragma once
// What the headers of the joint types share: the parts that a joint freezes into, the sizes of its
// small matrices, and what most types leave as it is. A type owns
//
//   name, coordinates, speeds      what it is called and what its numbers are called and measure
//   keys                           what a file says of it; `refuse` what is wrong with that
//   parts(joint)                   the turns, slides and quaternions it is made of, parent to child
//   turn_rows, rows(loop, X, r)    what it holds when it closes a loop: turns first, then lengths
//   rates, position, carried_axes  its own speeds and coordinates then, from the motion of M in F
//   columns(joint, ...)            how it moves its child in a structure
//   glyphs                         how it is drawn
//
// A closing joint's frames F and M stand with z along its axis (Loop::R_JA from the frames given).

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/joints/relative_pose.hpp"
#include "ulna/model/parts/loop.hpp"
#include "ulna/model/robot.hpp"

namespace ulna {

/// One part of a joint: a turn and slide about z of the frame F A, by sigma and h times its degree,
/// or a quaternion node, which stands in the axes of F.
struct JointPart {
  enum class Kind { screw, ball, free } kind;
  int q, v;  ///< its first coordinate and speed, counted from those of the joint
  Matrix3<double> A = Matrix3<double>::Identity();
  double sigma = 0, h = 0;
};

/// From parent to child; none for fixed joints.
ULNA_API std::vector<JointPart> parts_of(const JointData& joint);
/// What is wrong with the data of the joint's type, or empty: message and expectation.
struct JointRefusal {
  std::string message, expectation;
};
ULNA_API JointRefusal refusal_of(const JointData& joint);

/// Translation, then rotation of the point of M in world axes, a column for each speed.
using JointColumns = Eigen::Matrix<double, 6, Eigen::Dynamic>;
/// A turn about the axis, or about another, that also advances by `pitch` for each radian.
ULNA_API JointPart turn_about(const Vector3<double>& axis, int degree, double pitch = 0);
ULNA_API JointPart slide_along(const Vector3<double>& axis, int degree);

struct JointBase {
  static constexpr std::array<Glyph, 0> glyphs{};
  static JointRefusal refuse(const JointData&) { return {}; }
  /// Axes that the joint itself carries along turn its rates: what that takes off the acceleration
  /// `rate` of M in F before `rates` makes the joint's own of it.
  static void carried_axes(const Loop&, const Matrix3<double>& /*R*/,
                           const Vector6<double>& /*twist*/, const SmallVector& /*v*/,
                           Vector6<double>& /*rate*/) {}
  /// How far its length rows are open, where they do not say it themselves; negative: they do.
  static double length_gap(const Loop&, const RelativePose<double>&) { return -1; }

 protected:
  static constexpr Dimension angle = Dimension::angle, length = Dimension::length,
                             number = Dimension::number;
  static Vector3<double> axis_in_world(const JointData& joint, const Pose<double>& X_WF) {
    return X_WF.rotation * joint.axis.normalized();
  }
  static double turn_about_z(const Matrix3<double>& R) { return std::atan2(R(1, 0), R(0, 0)); }
};

}  // namespace ulna
