#pragma once
// A thread: M turns about the axis and advances along it by `pitch` metres for each radian. Its
// coordinate is the angle.
//
// As a closing joint it does not know how often it went round: its angle follows from the advance,
// and half a turn of the thread makes its last row stationary, so that `length_gap` looks again.

#include "ulna/model/joints/joint_base.hpp"

namespace ulna {

struct ScrewJoint : JointBase {
  static constexpr const char* name = "screw";
  static constexpr std::array<Degree, 1> speeds{{{"", angle}}}, coordinates = speeds;
  static constexpr JointKeys keys{.axis = true, .pitch = true, .single_axis = true};
  static constexpr int turn_rows = 2;
  static constexpr std::array<Glyph, 1> glyphs{{{Glyph::Shape::cylinder, false, {1, 2.3, 0}}}};

  static std::vector<JointPart> parts(const JointData& j) {
    return {turn_about(j.axis, 0, j.pitch)};
  }
  template <class S>
  static void rows(const Loop& loop, const RelativePose<S>& X, S* r) {
    tilt_error(X.R, r);
    r[2] = X.p.x;
    r[3] = X.p.y;
    r[4] = thread_error(X.R, X.p, loop.pitch);
  }
  static double length_gap(const Loop& loop, const RelativePose<double>& X) {
    if (loop.pitch == 0) return -1;
    const double slip = X.p.z / loop.pitch - std::atan2(X.R.yx, X.R.xx);
    return std::hypot(X.p.x, X.p.y, loop.pitch * std::remainder(slip, 2 * M_PI));
  }
  static void rates(const Loop&, const Matrix3<double>&, TwistRows& T) { T(0, 2) = 1; }
  static void position(const Loop& loop, const Matrix3<double>& R, const Vector3<double>& p,
                       SmallVector& q) {
    q << (loop.pitch != 0 ? p.z() / loop.pitch : turn_about_z(R));
  }
  static void columns(const JointData& j, const Pose<double>& X_WF, const Pose<double>&,
                      JointColumns& S) {
    const Vector3<double> axis = axis_in_world(j, X_WF);
    S.col(0) << j.pitch * axis, axis;
  }
};

}  // namespace ulna
