#include "ulna/kinematics/frame_motion.hpp"

namespace ulna {

Pose<double> frame_pose(const Model& model, const Workspace& work, const FrameQuery& query) {
  const Pose<double> X_WF = frame_pose(model, work, query.frame),
                     X_WR = frame_pose(model, work, query.relative_to),
                     X_WE = frame_pose(model, work, query.expressed_in);
  return {X_WR.rotation.transpose() * X_WF.rotation,
          X_WE.rotation.transpose() * (X_WF.position - X_WR.position)};
}

namespace {

/// Velocities of F relative to R in world axes, and how R moves. docs/conventions.md.
struct RelativeVelocity {
  Vector3<double> p_RoFo, w_WR, w_RF, v_RFo;
};

RelativeVelocity relative_velocity(const Model& model, const Workspace& work,
                                   const FrameQuery& query) {
  const Twist<double> F = frame_velocity(model, work, query.frame),
                      R = frame_velocity(model, work, query.relative_to);
  const Vector3<double> p = frame_pose(model, work, query.frame).position -
                            frame_pose(model, work, query.relative_to).position;
  return {p, R.angular, F.angular - R.angular, F.linear - R.linear - R.angular.cross(p)};
}

Twist<double> expressed(const Model& model, const Workspace& work, const FrameQuery& query,
                        const Vector3<double>& angular, const Vector3<double>& linear) {
  const Matrix3<double> R_EW = frame_pose(model, work, query.expressed_in).rotation.transpose();
  return {R_EW * angular, R_EW * linear};
}

}  // namespace

Twist<double> frame_velocity(const Model& model, const Workspace& work, const FrameQuery& query) {
  const RelativeVelocity m = relative_velocity(model, work, query);
  return expressed(model, work, query, m.w_RF, m.v_RFo);
}

Twist<double> frame_acceleration(const Model& model, const Workspace& work,
                                 const FrameQuery& query) {
  const RelativeVelocity m = relative_velocity(model, work, query);
  const Twist<double> F = frame_acceleration(model, work, query.frame),
                      R = frame_acceleration(model, work, query.relative_to);
  return expressed(model, work, query, F.angular - R.angular - m.w_WR.cross(m.w_RF),
                   F.linear - R.linear - R.angular.cross(m.p_RoFo) -
                       m.w_WR.cross(m.w_WR.cross(m.p_RoFo)) - 2 * m.w_WR.cross(m.v_RFo));
}

}  // namespace ulna
