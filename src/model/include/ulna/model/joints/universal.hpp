#pragma once
// A cross: M turns about `axis` of F, then about `axis2`, which the first turn carries along. The
// axes need not be at right angles; parallel ones, its only singularity, are refused.

#include <Eigen/Geometry>

#include "ulna/model/joints/joint_base.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

struct UniversalJoint : JointBase {
  static constexpr const char* name = "universal";
  static constexpr std::array<Degree, 2> speeds{{{".first", angle}, {".second", angle}}},
      coordinates = speeds;
  static constexpr JointKeys keys{.axis = true, .axis2 = true};
  static constexpr int turn_rows = 1;
  static constexpr std::array<Glyph, 2> glyphs{{{Glyph::Shape::cylinder, false, {1, 2.3, 0}},
                                                {Glyph::Shape::cylinder, true, {0.9, 2.3, 0}}}};

  static JointRefusal refuse(const JointData& j) {
    if (j.axis.normalized().cross(j.axis2.normalized()).norm() >= 1e-6) return {};
    return {"its two axes are parallel", "two axes of different directions"};
  }
  static std::vector<JointPart> parts(const JointData& j) {
    return {turn_about(j.axis, 0), turn_about(j.axis2, 1)};
  }
  /// The first axis, z of F, and the second, carried by M, keep their angle.
  template <class S>
  static void rows(const Loop& loop, const RelativePose<S>& X, S* r) {
    const Vector3<double>& w = loop.axis2;
    r[0] = X.R.zx * S(w.x()) + X.R.zy * S(w.y()) + X.R.zz * S(w.z()) - S(loop.axes_cosine);
    store(X.p, r + 1);
  }
  /// Least squares for two axes a, b of unit length: the dual pair in their plane.
  static void rates(const Loop& loop, const Matrix3<double>& R, TwistRows& T) {
    const Vector3<double> a = Vector3<double>::UnitZ(), b = (R * loop.axis2).normalized();
    const double c = a.dot(b), s = 1 - c * c;
    T.topLeftCorner<1, 3>() = (a - c * b).transpose() / s;
    T.bottomLeftCorner<1, 3>() = (b - c * a).transpose() / s;
  }
  static void carried_axes(const Loop& loop, const Matrix3<double>& R, const Vector6<double>&,
                           const SmallVector& v, Vector6<double>& rate) {
    const Vector3<double> first = v(0) * Vector3<double>::UnitZ();
    rate.head<3>() -= first.cross(v(1) * (R * loop.axis2));
  }
  /// R = Rz(a) Rot(w, b).
  static void position(const Loop& loop, const Matrix3<double>& R, const Vector3<double>&,
                       SmallVector& q) {
    const Vector3<double>& w = loop.axis2;
    const Vector3<double> carried = R * w;
    const double a =
        std::remainder(std::atan2(carried.y(), carried.x()) - std::atan2(w.y(), w.x()), 2 * M_PI);
    const Matrix3<double> rest = rotation_z(-a) * R;
    const Vector3<double> skew_part(rest(2, 1) - rest(1, 2), rest(0, 2) - rest(2, 0),
                                    rest(1, 0) - rest(0, 1));
    q << a, std::atan2(0.5 * skew_part.dot(w), 0.5 * (rest.trace() - 1));
  }
  static void columns(const JointData& j, const Pose<double>& X_WF, const Pose<double>& X_WM,
                      JointColumns& S) {
    S.col(0).tail<3>() = axis_in_world(j, X_WF);
    S.col(1).tail<3>() = X_WM.rotation * j.axis2.normalized();
  }
};

}  // namespace ulna
