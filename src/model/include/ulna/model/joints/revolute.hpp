#pragma once
// A hinge: M turns about the axis.

#include "ulna/model/joints/joint_base.hpp"

namespace ulna {

struct RevoluteJoint : JointBase {
  static constexpr const char* name = "revolute";
  static constexpr std::array<Degree, 1> speeds{{{"", angle}}}, coordinates = speeds;
  static constexpr JointKeys keys{.axis = true, .single_axis = true};
  static constexpr int turn_rows = 2;
  static constexpr std::array<Glyph, 1> glyphs{{{Glyph::Shape::cylinder, false, {1, 2.3, 0}}}};

  static std::vector<JointPart> parts(const JointData& j) { return {turn_about(j.axis, 0)}; }
  template <class S>
  static void rows(const Loop&, const RelativePose<S>& X, S* r) {
    tilt_error(X.R, r);
    store(X.p, r + 2);
  }
  static void rates(const Loop&, const Matrix3<double>&, TwistRows& T) { T(0, 2) = 1; }
  static void position(const Loop&, const Matrix3<double>& R, const Vector3<double>&,
                       SmallVector& q) {
    q << turn_about_z(R);
  }
  static void columns(const JointData& j, const Pose<double>& X_WF, const Pose<double>&,
                      JointColumns& S) {
    S.col(0).tail<3>() = axis_in_world(j, X_WF);
  }
};

}  // namespace ulna
