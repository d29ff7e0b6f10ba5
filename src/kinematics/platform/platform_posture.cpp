#include "ulna/kinematics/platform_posture.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/model/parts/placement.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

const Joint& joint_named(const Model& model, const std::string& name) {
  return model.joints()[model.joint(name)];
}

/// Coordinates of the floating joint at a pose: X_WF^-1 X_WC X_CM.
void set_float(const Model& model, const Platform& platform, const Pose<double>& pose,
               Eigen::VectorXd& q) {
  const Joint& joint = joint_named(model, platform.data().float_joint);
  const JointData* data = nullptr;
  for (const JointData& d : model.robot().joints)
    if (d.name == joint.name) data = &d;
  const Pose<double> X_FM = data->X_PF.inverse() * pose * data->X_MC.inverse();
  if (joint.type == JointType::free) {
    const Eigen::Quaterniond turn(X_FM.rotation);
    q.segment<7>(joint.q) << turn.w(), turn.x(), turn.y(), turn.z(), X_FM.position;
  } else {
    const Matrix3<double> T = axes_along(data->axis.normalized());
    const Vector3<double> slide = T.transpose() * X_FM.position;
    const Matrix3<double> R = T.transpose() * X_FM.rotation * T;
    q.segment<3>(joint.q) << slide.x(), slide.y(), std::atan2(R(1, 0), R(0, 0));
  }
}

/// Turns of the elbows that point the rods the right way round, if their axes are as the builder
/// sets them; otherwise only a start.
void start_elbows(const Model& model, const Platform& platform, int k, const LegMotion& m,
                  Eigen::VectorXd& q) {
  const PlatformLeg& leg = platform.data().legs[k];
  const Platform::Leg& geometry = platform.leg(k);
  const Vector3<double> x = geometry.on_rail
                                ? geometry.x
                                : Vector3<double>((m.E - geometry.base) / geometry.crank),
                        y = geometry.a.cross(x);
  const Vector3<double> n(m.n.dot(x), m.n.dot(y), m.n.dot(geometry.a)), &zero = leg.rod_zero;
  const double first = std::atan2(n.y(), n.x()) - std::atan2(zero.y(), zero.x()),
               second = std::asin(zero.z()) - std::asin(std::clamp(n.z(), -1.0, 1.0));
  for (const std::string& name : leg.joints) {
    const Joint& elbow = joint_named(model, name);
    if (elbow.type == JointType::spherical) continue;
    q(elbow.q) = first;
    if (elbow.type == JointType::universal) q(elbow.q + 1) = second;
  }
}

}  // namespace

Eigen::VectorXd platform_posture(const Model& model, const Platform& platform,
                                 const Pose<double>& pose) {
  PlatformMotion motion(platform);
  platform.inverse(pose, motion);
  AssemblyOptions options;
  options.start = model.neutral();
  Eigen::VectorXd& q = options.start;
  set_float(model, platform, pose, q);
  const Joint& floating = joint_named(model, platform.data().float_joint);
  for (int k = 0; k < floating.coordinates; ++k) options.held.push_back(floating.q + k);
  for (int k = 0; k < platform.legs(); ++k) {
    const PlatformLeg& leg = platform.data().legs[k];
    const int drive = joint_named(model, leg.name).q;
    q(drive) = motion.legs[k].q;
    options.held.push_back(drive);
    if (leg.kind != LegKind::slider) {
      start_elbows(model, platform, k, motion.legs[k], q);
      continue;
    }
    const Platform::HingeAngles angles = platform.hinge_angles(k, motion.legs[k].n);
    const Joint& first = joint_named(model, leg.joints[0]);
    q(first.q) = angles.hinge;
    if (leg.joints.size() > 1)
      q(joint_named(model, leg.joints[1]).q) = leg.swing_sense * angles.swing;
    else
      q(first.q + 1) = leg.swing_sense * angles.swing;
  }
  options.tolerance = 1e-11;
  options.limits = false;
  options.home = false;
  return assembled(model, options);
}

PlatformRates platform_rates(const Model& model, const Platform& platform, const Eigen::VectorXd& q,
                             const Twist<double>& twist, const Twist<double>& acceleration) {
  // The platform's own frame has velocity G_float v_float, so the joint's rates follow from it.
  Workspace work(model);
  const int frame = model.body(platform.data().platform_body);
  const Joint& joint = joint_named(model, platform.data().float_joint);
  const Eigen::MatrixXd G = jacobian(model, work, q, {frame}).middleCols(joint.v, joint.speeds);
  const dense::PivotedQr solver(G);
  LoopClosure closure(model);
  closure.update(work, q);
  PlatformRates rates;
  // Idle spins stay at rest: the nearest speeds to none else.
  const auto complete = [&](const Eigen::VectorXd& u) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(model.speeds());
    const Eigen::MatrixXd A = closure.scaled_jacobian();
    x.segment(joint.v, joint.speeds) = u;
    const Eigen::VectorXd miss =
        closure.row_scale().cwiseProduct(closure.bias() - closure.times(x));
    std::vector<int> rest;
    for (int k = 0; k < model.speeds(); ++k)
      if (k < joint.v || k >= joint.v + joint.speeds) rest.push_back(k);
    const Eigen::VectorXd step =
        dense::LeastNorm(A(Eigen::all, rest), loop_rank_tolerance).solve(miss);
    for (std::size_t k = 0; k < rest.size(); ++k)
      x(rest[k]) += closure.column_scale()(rest[k]) * step(static_cast<Eigen::Index>(k));
    return x;
  };
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.speeds());
  closure.update_rates(work, q, none);
  rates.v = complete(solver.solve(twist.vector()));
  closure.update_rates(work, q, rates.v);
  update_motions(model, work, q, rates.v, none);
  const Vector6<double> bias = frame_acceleration(model, work, frame).vector();
  rates.a = complete(solver.solve(acceleration.vector() - bias));
  return rates;
}

Pose<double> platform_pose(const Model& model, const Platform& platform, const Eigen::VectorXd& q) {
  Workspace work(model);
  update_poses(model, work, q);
  return frame_pose(model, work, model.body(platform.data().platform_body));
}

std::vector<int> drive_speeds(const Model& model, const Platform& platform) {
  std::vector<int> speeds;
  for (const PlatformLeg& leg : platform.data().legs)
    speeds.push_back(joint_named(model, leg.name).v);
  return speeds;
}

std::vector<std::string> idle_spins(const Robot& robot) {
  // Bodies that hang together without balls, by one of them.
  std::map<std::string, std::string> of{{world_name, world_name}};
  for (const BodyData& body : robot.bodies) of[body.name] = body.name;
  const auto group = [&](std::string body) {
    while (of.at(body) != body) body = of.at(body);
    return body;
  };
  for (const JointData& joint : robot.joints)
    if (joint.type != JointType::spherical) of[group(joint.child)] = group(joint.parent);
  std::map<std::string, int> balls;
  for (const JointData& joint : robot.joints)
    if (joint.type == JointType::spherical && group(joint.parent) != group(joint.child))
      for (const std::string& body : {joint.parent, joint.child}) ++balls[group(body)];
  for (const ConstraintData& constraint : robot.constraints)
    if (constraint.type == ConstraintData::Type::distance)
      for (const std::string& body : {constraint.parent, constraint.child}) ++balls[group(body)];
  std::vector<std::string> names;
  for (const BodyData& body : robot.bodies)
    if (group(body.name) == body.name && balls[body.name] == 2) names.push_back(body.name);
  return names;
}

}  // namespace ulna
