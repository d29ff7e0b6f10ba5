#pragma once
// A foot on a table: M slides along x and y of the plane across the axis, then turns about it. The
// plane's x and y are those of F after the shortest turn of z onto the axis.

#include "ulna/model/joints/joint_base.hpp"
#include "ulna/model/parts/placement.hpp"

namespace ulna {

struct PlanarJoint : JointBase {
  static constexpr const char* name = "planar";
  static constexpr std::array<Degree, 3> speeds{{{".x", length}, {".y", length}, {".turn", angle}}},
      coordinates = speeds;
  static constexpr JointKeys keys{.axis = true};
  static constexpr int turn_rows = 2;
  static constexpr std::array<Glyph, 1> glyphs{{{Glyph::Shape::box, false, {3, 3, 0.6}}}};

  /// x, y and z of the plane's frame in turn become the axis.
  static std::vector<JointPart> parts(const JointData& j) {
    const Matrix3<double> P = axes_along(j.axis.normalized());
    Matrix3<double> X, Y;
    X << P.col(1), P.col(2), P.col(0);
    Y << P.col(2), P.col(0), P.col(1);
    constexpr auto screw = JointPart::Kind::screw;
    return {{screw, 0, 0, X, 0, 1}, {screw, 1, 1, Y, 0, 1}, {screw, 2, 2, P, 1, 0}};
  }
  template <class S>
  static void rows(const Loop&, const RelativePose<S>& X, S* r) {
    tilt_error(X.R, r);
    r[2] = X.p.z;
  }
  static void rates(const Loop&, const Matrix3<double>&, TwistRows& T) {
    T(0, 3) = T(1, 4) = T(2, 2) = 1;
  }
  static void position(const Loop&, const Matrix3<double>& R, const Vector3<double>& p,
                       SmallVector& q) {
    q << p.x(), p.y(), turn_about_z(R);
  }
  static void columns(const JointData& j, const Pose<double>& X_WF, const Pose<double>&,
                      JointColumns& S) {
    const Matrix3<double> plane = X_WF.rotation * axes_along(j.axis.normalized());
    S.block<3, 2>(0, 0) = plane.leftCols<2>();
    S.col(2).tail<3>() = plane.col(2);
  }
};

}  // namespace ulna
