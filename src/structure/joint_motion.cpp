#include "joint_motion.hpp"

#include "ulna/spatial/rotation.hpp"

namespace ulna {

using Vec = Vector3<double>;

JointColumns joint_motion(const JointData& joint, const Pose<double>& X_WF,
                          const Pose<double>& X_WM) {
  const int n = size_of(joint.type).speeds;
  JointColumns S = JointColumns::Zero(6, n);
  if (n == 0) return S;
  const Vec in_F = joint.axis.norm() > 0 ? joint.axis.normalized() : Vec::UnitZ();
  const Vec axis = X_WF.rotation * in_F;
  // Where the axis passes beside M's origin (M slid off it in a planar joint), none of the types
  // here turns about a point other than M's origin.
  switch (joint.type) {
    case JointType::fixed:
      break;
    case JointType::revolute:
      S.col(0) << Vec::Zero(), axis;
      break;
    case JointType::prismatic:
      S.col(0) << axis, Vec::Zero();
      break;
    case JointType::screw:
      S.col(0) << joint.pitch * axis, axis;
      break;
    case JointType::cylindrical:
      S.col(0) << Vec::Zero(), axis;
      S.col(1) << axis, Vec::Zero();
      break;
    case JointType::universal:
      S.col(0) << Vec::Zero(), axis;
      S.col(1) << Vec::Zero(), X_WM.rotation * joint.axis2.normalized();
      break;
    case JointType::spherical:
      S.bottomRows<3>() = X_WM.rotation;
      break;
    case JointType::planar: {
      const Matrix3<double> plane = X_WF.rotation * turn_between(Vec::UnitZ(), in_F);
      S.col(0) << plane.col(0), Vec::Zero();
      S.col(1) << plane.col(1), Vec::Zero();
      S.col(2) << Vec::Zero(), axis;
      break;
    }
    case JointType::free:
      S.block<3, 3>(3, 0) = X_WM.rotation;
      S.block<3, 3>(0, 3) = X_WM.rotation;
      break;
  }
  return S;
}

}  // namespace ulna
