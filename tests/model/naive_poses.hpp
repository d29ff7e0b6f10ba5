#pragma once
// Poses by the plainest route: from each joint's data, one product of homogeneous matrices after
// the other, with Eigen's own rotations. Knows nothing of nodes and normal forms.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <map>
#include <string>

#include "support/near.hpp"
#include "support/random_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna::testing {

inline Eigen::Isometry3d isometry(const Pose<double>& X) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = X.rotation;
  T.translation() = X.position;
  return T;
}

/// X_FM of a joint at its own coordinates.
inline Eigen::Isometry3d joint_motion(const JointData& joint, const Eigen::VectorXd& q) {
  using Eigen::AngleAxisd, Eigen::Translation3d;
  const Vector3<double> axis = joint.axis.normalized(), axis2 = joint.axis2.normalized();
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  switch (joint.type) {
    case JointType::fixed:
      break;
    case JointType::revolute:
      X = AngleAxisd(q(0), axis);
      break;
    case JointType::prismatic:
      X = Translation3d(q(0) * axis);
      break;
    case JointType::screw:
      X = Translation3d(joint.pitch * q(0) * axis) * AngleAxisd(q(0), axis);
      break;
    case JointType::cylindrical:
      X = AngleAxisd(q(0), axis) * Translation3d(q(1) * axis);
      break;
    case JointType::universal:
      X = AngleAxisd(q(0), axis) * AngleAxisd(q(1), axis2);
      break;
    case JointType::spherical:
      X = Eigen::Quaterniond(q(0), q(1), q(2), q(3));
      break;
    case JointType::planar: {
      const Matrix3<double> plane = axes_along(axis);
      X = Translation3d(plane * Vector3<double>(q(0), q(1), 0)) * AngleAxisd(q(2), axis);
      break;
    }
    case JointType::free:
      X = Translation3d(q(4), q(5), q(6)) * Eigen::Quaterniond(q(0), q(1), q(2), q(3));
      break;
    case JointType::sphere_in_groove:
      X = Translation3d(q(0) * axis) * Eigen::Quaterniond(q(1), q(2), q(3), q(4));
      break;
  }
  return X;
}

/// The coordinates of a joint, those of a mimic joint from its leader.
inline Eigen::VectorXd own_coordinates(const Model& model, const JointData& joint,
                                       const Eigen::VectorXd& q) {
  if (!joint.mimic) {
    const Joint& j = model.joints()[model.joint(joint.name)];
    return q.segment(j.q, j.coordinates);
  }
  for (const JointData& leader : model.robot().joints)
    if (leader.name == joint.mimic->joint)
      return (joint.mimic->multiplier * own_coordinates(model, leader, q)).array() +
             joint.mimic->offset;
  throw std::logic_error("a mimic joint without leader");
}

/// X_WB of every body, by name; joints are taken in either sense.
inline std::map<std::string, Eigen::Isometry3d> naive_poses(const Model& model,
                                                            const Eigen::VectorXd& q) {
  std::map<std::string, Eigen::Isometry3d> X_W{{world_name, Eigen::Isometry3d::Identity()}};
  std::size_t known = 0;
  while (known < X_W.size()) {
    known = X_W.size();
    for (const Joint& j : model.joints()) {
      const JointData* data = nullptr;
      for (const JointData& candidate : model.robot().joints)
        if (candidate.name == j.name) data = &candidate;
      const Eigen::Isometry3d X_PC = isometry(data->X_PF) *
                                     joint_motion(*data, own_coordinates(model, *data, q)) *
                                     isometry(data->X_MC);
      const bool has_parent = X_W.count(data->parent), has_child = X_W.count(data->child);
      if (has_parent && !has_child) X_W[data->child] = X_W[data->parent] * X_PC;
      if (has_child && !has_parent) X_W[data->parent] = X_W[data->child] * X_PC.inverse();
    }
  }
  return X_W;
}

/// Every frame of the model stands where the plain products put it. `rounding` is for coordinates
/// of a few units and trees ten deep; errors of position grow with the distances.
inline void expect_naive_poses(const Model& model, const Eigen::VectorXd& q,
                               double rounding = 1e-13) {
  Workspace work(model);
  update_poses(model, work, q);
  const auto X_WB = naive_poses(model, q);
  double size = 1;
  for (const auto& [name, X] : X_WB) size = std::max(size, X.translation().norm());
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const Frame& frame = model.frames()[f];
    Eigen::Isometry3d X_WF = X_WB.at(model.bodies()[frame.body].name);
    for (const FrameData& data : model.robot().frames)
      if (data.name == frame.name) X_WF = X_WF * isometry(data.X_BF);
    const Pose<double> X = frame_pose(model, work, static_cast<int>(f));
    EXPECT_LT((X.rotation - X_WF.linear()).cwiseAbs().maxCoeff(), rounding) << frame.name;
    EXPECT_LT((X.position - X_WF.translation()).norm(), rounding * size) << frame.name;
  }
}

/// Relative to the largest entry.
}  // namespace ulna::testing
