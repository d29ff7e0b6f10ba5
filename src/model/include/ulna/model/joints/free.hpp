#pragma once
// No joint at all: M floats. Coordinates: quaternion of R_FM, then the position of M in F; speeds:
// twist of M in F at M's origin, in the axes of M. It has no singular posture; as a closing joint
// it holds nothing.

#include <Eigen/Geometry>

#include "ulna/model/joints/joint_base.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

struct FreeJoint : JointBase {
  static constexpr const char* name = "free";
  static constexpr std::array<Degree, 6> speeds{{{".wx", angle},
                                                 {".wy", angle},
                                                 {".wz", angle},
                                                 {".vx", length},
                                                 {".vy", length},
                                                 {".vz", length}}};
  static constexpr std::array<Degree, 7> coordinates{{{".qw", number},
                                                      {".qx", number},
                                                      {".qy", number},
                                                      {".qz", number},
                                                      {".x", length},
                                                      {".y", length},
                                                      {".z", length}}};
  static constexpr JointKeys keys{};
  static constexpr int turn_rows = 0;

  static std::vector<JointPart> parts(const JointData&) { return {{JointPart::Kind::free, 0, 0}}; }
  template <class S>
  static void rows(const Loop&, const RelativePose<S>&, S*) {}
  static void rates(const Loop&, const Matrix3<double>& R, TwistRows& T) {
    T.topLeftCorner<3, 3>() = T.bottomRightCorner<3, 3>() = R.transpose();
  }
  static void carried_axes(const Loop&, const Matrix3<double>&, const Vector6<double>& twist,
                           const SmallVector&, Vector6<double>& rate) {
    rate.tail<3>() -= twist.head<3>().cross(twist.tail<3>());
  }
  static void position(const Loop&, const Matrix3<double>& R, const Vector3<double>& p,
                       SmallVector& q) {
    q << quaternion_from_rotation(nearest_rotation(R)), p;
  }
  static void columns(const JointData&, const Pose<double>&, const Pose<double>& X_WM,
                      JointColumns& S) {
    S.block<3, 3>(3, 0) = S.block<3, 3>(0, 3) = X_WM.rotation;
  }
};

}  // namespace ulna
