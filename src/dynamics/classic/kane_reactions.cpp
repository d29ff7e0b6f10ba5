#include "classic/kane_reactions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"

namespace ulna {
namespace {

const std::string auxiliary_mark = "~auxiliary";

std::vector<int> places_of_names(const std::vector<std::string>& of,
                                 const std::vector<std::string>& in) {
  std::vector<int> list;
  for (const std::string& name : of)
    list.push_back(static_cast<int>(std::ranges::find(in, name) - in.begin()));
  return list;
}

/// The open tree with a free joint between the body that holds each joint and a massless body that
/// the joint starts from.
Robot with_auxiliary_joints(const Model& model) {
  Robot robot = model.robot();
  robot.constraints.clear();
  robot.postures.clear();
  std::vector<JointData> joints;
  for (const Joint& joint : model.joints()) {
    JointData data = *std::ranges::find(robot.joints, joint.name, &JointData::name);
    if (!data.bushings.empty())
      throw InputError(Problem{{},
                               "method",
                               fmt::format("joint '{}' slides along a beam, which leaves no place "
                                           "for auxiliary speeds of 'kane'",
                                           data.name),
                               "newton-euler",
                               {}});
    BodyData body;
    body.name = data.name + auxiliary_mark;
    robot.bodies.push_back(body);
    JointData free;
    free.name = body.name;
    free.type = JointType::free;
    free.child = body.name;
    if (joint.reversed) {  // the world is beyond its child, and so is the free joint
      free.parent = data.child;
      free.X_PF = data.X_MC.inverse();
      data.child = body.name;
      data.X_MC = Pose<double>::identity();
    } else {
      free.parent = data.parent;
      free.X_PF = data.X_PF;
      data.parent = body.name;
      data.X_PF = Pose<double>::identity();
    }
    joints.push_back(free);
    joints.push_back(data);
  }
  robot.joints = std::move(joints);
  return robot;
}

}  // namespace

KaneReactions::~KaneReactions() = default;

KaneReactions::KaneReactions(const Model& model)
    : model_(model), wider_(std::make_unique<Model>(with_auxiliary_joints(model))) {
  work_ = std::make_unique<Workspace>(*wider_);
  route_ = make_kane_route(*wider_);
  coordinates_ = places_of_names(model.coordinate_names(), wider_->coordinate_names());
  speeds_ = places_of_names(model.speed_names(), wider_->speed_names());
  for (const Body& body : model.bodies()) bodies_.push_back(wider_->body(body.name));
  for (const Frame& frame : model.frames()) frames_.push_back(wider_->frame(frame.name));
  for (const Joint& joint : model.joints()) {
    auxiliary_.push_back(wider_->joint(joint.name + auxiliary_mark));
    const JointData& data = *std::ranges::find(model.robot().joints, joint.name, &JointData::name);
    origins_.push_back(data.X_MC.inverse().position);
  }
  q_ = wider_->neutral();
  v_ = a_ = Eigen::VectorXd::Zero(wider_->speeds());
  reactions_.resize(model.joints().size());
}

const std::vector<Wrench<double>>& KaneReactions::compute(Workspace& work, const VectorRef& q,
                                                          const VectorRef& v, const VectorRef& a,
                                                          ExternalWrenches wrenches,
                                                          const ReactionQuery& query) {
  take_actuator_inputs(model_, *wider_);
  for (std::size_t k = 0; k < coordinates_.size(); ++k)
    q_(coordinates_[k]) = q(static_cast<Eigen::Index>(k));
  for (std::size_t k = 0; k < speeds_.size(); ++k) {
    v_(speeds_[k]) = v(static_cast<Eigen::Index>(k));
    a_(speeds_[k]) = a(static_cast<Eigen::Index>(k));
  }
  std::vector<ExternalWrench> moved(wrenches.begin(), wrenches.end());
  for (ExternalWrench& wrench : moved) {
    wrench.body = bodies_[static_cast<std::size_t>(wrench.body)];
    wrench.expressed_in = frames_[static_cast<std::size_t>(wrench.expressed_in)];
  }
  route_->efforts(*work_, q_, v_, a_, moved, tau_);
  update_poses(*wider_, *work_, q_);
  update_poses(model_, work, q);
  for (std::size_t j = 0; j < reactions_.size(); ++j) {
    const Joint& joint = model_.joints()[j];
    const Joint& free = wider_->joints()[static_cast<std::size_t>(auxiliary_[j])];
    const Pose<double> X = frame_pose(*wider_, *work_, free.child);
    const double sense = joint.reversed ? -1 : 1;  // from the parent to the child
    const Wrench<double> F{sense * (X.rotation * tau_.segment<3>(free.v)),
                           sense * (X.rotation * tau_.segment<3>(free.v + 3))};
    const Vector3<double> own = frame_pose(model_, work, joint.child) * origins_[j];
    reactions_[j] = as_asked(model_, work, query, joint.child, own, F, X.position);
  }
  return reactions_;
}

}  // namespace ulna
