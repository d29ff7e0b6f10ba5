#pragma once
// A shaft in a long bush: M turns about the axis, then slides along it.

#include "ulna/model/joints/joint_base.hpp"

namespace ulna {

struct CylindricalJoint : JointBase {
  static constexpr const char* name = "cylindrical";
  static constexpr std::array<Degree, 2> speeds{{{".turn", angle}, {".slide", length}}},
      coordinates = speeds;
  static constexpr JointKeys keys{.axis = true, .single_axis = true};
  static constexpr int turn_rows = 2;
  static constexpr std::array<Glyph, 1> glyphs{{{Glyph::Shape::cylinder, false, {1, 2.3, 0}}}};

  static std::vector<JointPart> parts(const JointData& j) {
    return {turn_about(j.axis, 0), slide_along(j.axis, 1)};
  }
  template <class S>
  static void rows(const Loop&, const RelativePose<S>& X, S* r) {
    tilt_error(X.R, r);
    r[2] = X.p.x;
    r[3] = X.p.y;
  }
  static void rates(const Loop&, const Matrix3<double>&, TwistRows& T) { T(0, 2) = T(1, 5) = 1; }
  static void position(const Loop&, const Matrix3<double>& R, const Vector3<double>& p,
                       SmallVector& q) {
    q << turn_about_z(R), p.z();
  }
  static void columns(const JointData& j, const Pose<double>& X_WF, const Pose<double>&,
                      JointColumns& S) {
    S.col(0).tail<3>() = S.col(1).head<3>() = axis_in_world(j, X_WF);
  }
};

}  // namespace ulna
