#pragma once
// A ball: M turns freely about its origin. Coordinates: unit quaternion of R_FM, scalar first;
// speeds: angular velocity of M in F, in the axes of M. It has no singular posture.

#include "ulna/model/joints/joint_base.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

struct SphericalJoint : JointBase {
  static constexpr const char* name = "spherical";
  static constexpr std::array<Degree, 3> speeds{{{".wx", angle}, {".wy", angle}, {".wz", angle}}};
  static constexpr std::array<Degree, 4> coordinates{
      {{".qw", number}, {".qx", number}, {".qy", number}, {".qz", number}}};
  static constexpr JointKeys keys{};
  static constexpr int turn_rows = 0;
  static constexpr std::array<Glyph, 1> glyphs{{{Glyph::Shape::sphere, false, {1.15, 0, 0}}}};

  static std::vector<JointPart> parts(const JointData&) { return {{JointPart::Kind::ball, 0, 0}}; }
  template <class S>
  static void rows(const Loop&, const RelativePose<S>& X, S* r) {
    store(X.p, r);
  }
  static void rates(const Loop&, const Matrix3<double>& R, TwistRows& T) {
    T.leftCols<3>() = R.transpose();
  }
  static void position(const Loop&, const Matrix3<double>& R, const Vector3<double>&,
                       SmallVector& q) {
    q = quaternion_from_rotation(nearest_rotation(R));
  }
  static void columns(const JointData&, const Pose<double>&, const Pose<double>& X_WM,
                      JointColumns& S) {
    S.bottomRows<3>() = X_WM.rotation;
  }
};

}  // namespace ulna
