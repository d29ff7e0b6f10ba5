// Working modes of any parallel robot: each leg by itself, with the platform held at its pose.
// docs/theory/platforms.md, section 10.

#include <algorithm>
#include <cmath>
#include <map>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/parallel_quality.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

constexpr double drives_within = 1e-6, places_within = 1e-7;  ///< same values, same places

/// Bodies that hang together without the world and the platform, by the name of one of them.
class Legs {
 public:
  Legs(const Robot& robot, const std::string& platform) {
    for (const BodyData& body : robot.bodies)
      if (body.name != platform) of_[body.name] = body.name;
    std::map<std::string, const JointData*> joints;
    for (const JointData& joint : robot.joints) {
      joints[joint.name] = &joint;
      unite(joint.parent, joint.child);
    }
    const auto unite_joints = [&](const JointData& a, const JointData& b) {
      for (const std::string& one : {a.parent, a.child})
        for (const std::string& other : {b.parent, b.child}) unite(one, other);
    };
    for (const JointData& joint : robot.joints)
      if (joint.mimic) unite_joints(joint, *joints.at(joint.mimic->joint));
    for (const ConstraintData& c : robot.constraints) {
      unite(c.parent, c.child);
      for (std::size_t k = 1; k < c.terms.size(); ++k)
        unite_joints(*joints.at(c.terms[0].joint), *joints.at(c.terms[k].joint));
    }
  }

  /// Empty for a joint between world and platform.
  std::string of(const JointData& joint) const {
    for (const std::string& body : {joint.parent, joint.child})
      if (of_.contains(body)) return root(body);
    return {};
  }
  bool contains(const std::string& leg, const std::string& body) const {
    return of_.contains(body) && root(body) == leg;
  }

 private:
  std::string root(std::string body) const {
    while (of_.at(body) != body) body = of_.at(body);
    return body;
  }
  void unite(const std::string& a, const std::string& b) {
    if (of_.contains(a) && of_.contains(b)) of_[root(a)] = root(b);
  }
  std::map<std::string, std::string> of_;
};

/// The leg alone, its platform fixed to the world.
Robot with_platform_held(const Robot& robot, const Legs& legs, const std::string& leg,
                         const std::string& platform, const Pose<double>& pose) {
  Robot out;
  out.name = robot.name;
  for (const BodyData& body : robot.bodies)
    if (body.name == platform || legs.contains(leg, body.name)) out.bodies.push_back(body);
  JointData hold;
  hold.name = platform + " held";
  hold.child = platform;
  hold.X_PF = pose;
  out.joints.push_back(hold);
  for (const JointData& joint : robot.joints)
    if (legs.of(joint) == leg) out.joints.push_back(joint);
  for (const ConstraintData& c : robot.constraints) {
    const bool inside = legs.contains(leg, c.parent) || legs.contains(leg, c.child) ||
                        std::ranges::any_of(c.terms, [&](const ConstraintData::Term& term) {
                          return std::ranges::any_of(out.joints, [&](const JointData& joint) {
                            return joint.name == term.joint;
                          });
                        });
    if (inside) out.constraints.push_back(c);
  }
  return out;
}

/// The coordinates that both models have in joints of the same name.
Eigen::VectorXd start_from(const Model& whole, const Eigen::VectorXd& q, const Model& leg) {
  Eigen::VectorXd start = leg.neutral();
  for (const Joint& joint : leg.joints())
    for (const Joint& other : whole.joints())
      if (other.name == joint.name && other.coordinates == joint.coordinates)
        start.segment(joint.q, joint.coordinates) = q.segment(other.q, other.coordinates);
  return start;
}

/// A leg at the pose: its drives, and where its joints are that are no drives.
struct LegPosture {
  Eigen::VectorXd drives;
  std::vector<Vector3<double>> places;
};

class HeldLeg {
 public:
  HeldLeg(const Model& leg, const std::string& platform, const std::vector<std::string>& drives)
      : model_(leg), robot_(leg, {places_of(leg, drives), leg.body(platform)}) {
    for (const std::string& name : drives)
      for (const JointData& joint : leg.robot().joints)
        if (name == joint.name || name.starts_with(joint.name + ".")) own_.push_back(&joint);
  }

  LegPosture at(const Eigen::VectorXd& q) const {
    LegPosture out;
    out.drives = robot_.drive_values(q);
    Workspace work(model_);
    update_poses(model_, work, q);
    for (const JointData& joint : model_.robot().joints) {
      if (std::ranges::find(own_, &joint) != own_.end()) continue;
      const int parent = joint.parent == world_name ? 0 : model_.body(joint.parent);
      out.places.push_back(frame_pose(model_, work, parent) * joint.X_PF.position);
    }
    return out;
  }

  /// Every posture, each once, that nearest to q of the whole robot first.
  std::vector<LegPosture> all(const Model& whole, const Eigen::VectorXd& q) const {
    AssemblyOptions options;
    options.start = start_from(whole, q, model_);
    options.all = true;
    options.restarts = 150;
    options.limits = false;
    options.tolerance = 1e-11;
    std::vector<LegPosture> found;
    for (const Assembly& one : assemble(model_, options).solutions) {
      const LegPosture posture = at(one.q);
      if (std::ranges::none_of(found, [&](const LegPosture& o) { return same(posture, o); }))
        found.push_back(posture);
    }
    return found;
  }

  /// Angles within half a turn of zero.
  double shown(Eigen::Index k, double value) const {
    return slides(k) ? value : std::remainder(value, 2 * M_PI);
  }
  bool same_drive(Eigen::Index k, double a, double b) const {
    return std::abs(slides(k) ? a - b : std::remainder(a - b, 2 * M_PI)) < drives_within;
  }

 private:
  static std::vector<int> places_of(const Model& leg, const std::vector<std::string>& drives) {
    const std::vector<std::string> names = all_speed_names(leg);
    std::vector<int> places;
    for (const std::string& name : drives)
      places.push_back(static_cast<int>(std::ranges::find(names, name) - names.begin()));
    return places;
  }
  bool slides(Eigen::Index k) const {
    return own_[static_cast<std::size_t>(k)]->type == JointType::prismatic;
  }
  bool on_base(Eigen::Index k) const {
    const JointData& joint = *own_[static_cast<std::size_t>(k)];
    return joint.parent == world_name || joint.child == world_name;
  }

  bool same(const LegPosture& a, const LegPosture& b) const {
    bool all = true;
    for (Eigen::Index k = 0; k < a.drives.size(); ++k)
      all = all && same_drive(k, a.drives(k), b.drives(k));
    return all || is_same_telescope(a, b);
  }
  /// A telescope that has gone through zero length stands as before.
  bool is_same_telescope(const LegPosture& a, const LegPosture& b) const {
    for (Eigen::Index k = 0; k < a.drives.size(); ++k)
      if (!slides(k) || on_base(k)) return false;
    for (std::size_t k = 0; k < a.places.size(); ++k)
      if ((a.places[k] - b.places[k]).norm() > places_within * model_.length_scale()) return false;
    return true;
  }

  const Model& model_;
  ParallelRobot robot_;
  std::vector<const JointData*> own_;
};

/// The joint of a drive.
const JointData& joint_of(const Robot& robot, const std::string& drive) {
  return *std::ranges::find_if(robot.joints, [&](const JointData& joint) {
    return drive == joint.name || drive.starts_with(joint.name + ".");
  });
}

}  // namespace

WorkingModes working_modes(const ParallelRobot& robot, const Eigen::VectorXd& q) {
  const Model& model = robot.model();
  const std::string& platform = model.bodies()[static_cast<std::size_t>(robot.body())].name;
  const Legs legs(model.robot(), platform);
  std::map<std::string, std::vector<std::size_t>> drives_of;  // by leg: places among the drives
  for (std::size_t k = 0; k < robot.drive_names().size(); ++k)
    drives_of[legs.of(joint_of(model.robot(), robot.drive_names()[k]))].push_back(k);
  const Eigen::VectorXd now = robot.drive_values(q);
  WorkingModes modes;
  modes.count = 1;
  for (Eigen::Index k = 0; k < now.size(); ++k) modes.angles.push_back({now(k)});
  for (const auto& [leg, places] : drives_of) {
    interruption_point();
    if (leg.empty()) continue;  // between world and platform: it follows from the pose
    std::vector<std::string> names;
    for (const std::size_t k : places) names.push_back(robot.drive_names()[k]);
    const Model held(with_platform_held(model.robot(), legs, leg, platform, robot.pose(q)));
    if (LoopClosure(held).rows() == 0) continue;
    const HeldLeg alone(held, platform, names);
    const std::vector<LegPosture> found = alone.all(model, q);
    modes.count *= std::max<long long>(1, std::ssize(found));
    for (const LegPosture& posture : found)
      for (std::size_t i = 0; i < places.size(); ++i) {
        const auto drive = static_cast<Eigen::Index>(i);
        std::vector<double>& list = modes.angles[places[i]];
        const double value = alone.shown(drive, posture.drives(drive));
        if (std::ranges::none_of(
                list, [&](double other) { return alone.same_drive(drive, value, other); }))
          list.push_back(value);
      }
  }
  return modes;
}

}  // namespace ulna
