#pragma once
// A slide: M moves along the axis without turning.

#include "ulna/model/joints/joint_base.hpp"

namespace ulna {

struct PrismaticJoint : JointBase {
  static constexpr const char* name = "prismatic";
  static constexpr std::array<Degree, 1> speeds{{{"", length}}}, coordinates = speeds;
  static constexpr JointKeys keys{.axis = true, .single_axis = true};
  static constexpr int turn_rows = 3;
  static constexpr std::array<Glyph, 2> glyphs{
      {{Glyph::Shape::box, false, {2, 2, 2.6}}, {Glyph::Shape::rail, false, {0.9, 0.9, 0}}}};

  static std::vector<JointPart> parts(const JointData& j) { return {slide_along(j.axis, 0)}; }
  template <class S>
  static void rows(const Loop&, const RelativePose<S>& X, S* r) {
    store(turn_error(X.R), r);
    r[3] = X.p.x;
    r[4] = X.p.y;
  }
  static void rates(const Loop&, const Matrix3<double>&, TwistRows& T) { T(0, 5) = 1; }
  static void position(const Loop&, const Matrix3<double>&, const Vector3<double>& p,
                       SmallVector& q) {
    q << p.z();
  }
  static void columns(const JointData& j, const Pose<double>& X_WF, const Pose<double>&,
                      JointColumns& S) {
    S.col(0).head<3>() = axis_in_world(j, X_WF);
  }
};

}  // namespace ulna
