#pragma once
// A ball in a straight tube: M slides along the axis of F and turns freely about its own origin.
// Coordinates: slide, then the unit quaternion of R_FM, scalar first; speeds: slide, then the
// angular velocity of M in F, in the axes of M. It has no singular posture. As a closing joint it
// holds two lengths: those across the tube.

#include "ulna/model/joints/joint_base.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

struct SphereInGrooveJoint : JointBase {
  static constexpr const char* name = "sphere-in-groove";
  static constexpr std::array<Degree, 4> speeds{
      {{".slide", length}, {".wx", angle}, {".wy", angle}, {".wz", angle}}};
  static constexpr std::array<Degree, 5> coordinates{
      {{".slide", length}, {".qw", number}, {".qx", number}, {".qy", number}, {".qz", number}}};
  static constexpr JointKeys keys{.axis = true, .single_axis = true};
  static constexpr int turn_rows = 0;
  static constexpr std::array<Glyph, 2> glyphs{{{Glyph::Shape::sphere, false, {1.15, 0, 0}},
                                                {Glyph::Shape::cylinder, false, {0.7, 4.5, 0}}}};

  static std::vector<JointPart> parts(const JointData& j) {
    return {slide_along(j.axis, 0), {JointPart::Kind::ball, 1, 1}};
  }
  template <class S>
  static void rows(const Loop&, const RelativePose<S>& X, S* r) {
    r[0] = X.p.x;
    r[1] = X.p.y;
  }
  /// The ball's own axes are those of the frames as given, not those along the tube.
  static void rates(const Loop& loop, const Matrix3<double>& R, TwistRows& T) {
    T(0, 5) = 1;
    T.bottomLeftCorner<3, 3>() = loop.R_JA * R.transpose();
  }
  static void position(const Loop& loop, const Matrix3<double>& R, const Vector3<double>& p,
                       SmallVector& q) {
    const Matrix3<double> R_FM = loop.R_JA * nearest_rotation(R) * loop.R_JA.transpose();
    q << p.z(), quaternion_from_rotation(R_FM);
  }
  static void columns(const JointData& j, const Pose<double>& X_WF, const Pose<double>& X_WM,
                      JointColumns& S) {
    S.col(0).head<3>() = axis_in_world(j, X_WF);
    S.bottomRightCorner<3, 3>() = X_WM.rotation;
  }
};

}  // namespace ulna
