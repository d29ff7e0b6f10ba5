#include "ulna/kinematics/frame_motion.hpp"

namespace ulna {

FrameMotion frame_motion(const Model& model, const Workspace& work, int frame, int relative_to,
                         int expressed_in) {
  FrameMotion motion{frame_velocity(model, work, frame), frame_acceleration(model, work, frame)};
  if (relative_to != 0) {
    const Twist<double> V = frame_velocity(model, work, relative_to),
                        A = frame_acceleration(model, work, relative_to);
    const Vector3<double> r =
        frame_pose(model, work, frame).position - frame_pose(model, work, relative_to).position;
    Twist<double>&own = motion.velocity, &rate = motion.acceleration;
    own.angular -= V.angular;
    own.linear -= V.linear + V.angular.cross(r);
    rate.angular -= A.angular + V.angular.cross(own.angular);
    rate.linear -= A.linear + A.angular.cross(r) + V.angular.cross(V.angular.cross(r)) +
                   2 * V.angular.cross(own.linear);
  }
  if (expressed_in != 0) {
    const Matrix3<double> R = frame_pose(model, work, expressed_in).rotation.transpose();
    for (Twist<double>* twist : {&motion.velocity, &motion.acceleration}) {
      twist->angular = (R * twist->angular).eval();
      twist->linear = (R * twist->linear).eval();
    }
  }
  return motion;
}

}  // namespace ulna
