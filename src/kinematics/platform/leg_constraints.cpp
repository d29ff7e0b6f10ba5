#include "platform/leg_constraints.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

namespace ulna {
namespace {

/// A joint of a leg on the way from the world to the platform.
struct LegStep {
  const JointData* joint;
  bool reversed;  ///< its child is nearer to the world
};

class LegReader {
 public:
  LegReader(const ParallelRobot& robot, const Eigen::VectorXd& drives)
      : platform_(robot.model().bodies()[static_cast<std::size_t>(robot.body())].name) {
    for (const JointData& joint : robot.model().robot().joints) {
      at_[joint.parent].push_back(&joint);
      at_[joint.child].push_back(&joint);
    }
    for (std::size_t k = 0; k < robot.drive_names().size(); ++k)
      values_[robot.drive_names()[k]] = drives(static_cast<Eigen::Index>(k));
  }

  std::optional<std::vector<PointConstraint>> read() {
    for (const JointData* joint : at_[platform_]) {
      if (joint->type == JointType::free) continue;
      if (!read_leg(*joint)) return {};
    }
    if (found_.size() != 6) return {};
    return found_;
  }

 private:
  /// From the platform's joint inward; the list from the world outward. Empty for branches.
  std::vector<LegStep> way_to(const JointData& last) const {
    std::vector<LegStep> steps;
    const JointData* joint = &last;
    std::string body = platform_;
    while (steps.size() < at_.size()) {
      const bool towards_child = joint->child == body;
      steps.push_back({joint, !towards_child});
      body = towards_child ? joint->parent : joint->child;
      if (body == world_name) {
        std::reverse(steps.begin(), steps.end());
        return steps;
      }
      const std::vector<const JointData*>& here = at_.at(body);
      if (here.size() != 2) return {};
      joint = here[0] == joint ? here[1] : here[0];
    }
    return {};
  }

  /// The motion of a joint that is held; none for a passive one.
  std::optional<Pose<double>> held_motion(const JointData& joint) const {
    if (joint.type == JointType::fixed) return Pose<double>::identity();
    const auto value = values_.find(joint.name);
    if (value == values_.end()) return {};
    const Vector3<double> axis = joint.axis.normalized();
    if (joint.type == JointType::prismatic) return Pose<double>::translation(value->second * axis);
    if (joint.type == JointType::revolute)
      return Pose<double>{Eigen::AngleAxisd(value->second, axis).toRotationMatrix(),
                          Vector3<double>::Zero()};
    return {};
  }

  bool read_leg(const JointData& last) {
    const std::vector<LegStep> steps = way_to(last);
    if (steps.size() < 2) return false;
    const JointData* passive = nullptr;
    Pose<double> X;                // of the body reached, the passive joint at zero
    Vector3<double> centre, axis;  // of the passive joint, world
    for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
      const JointData& joint = *steps[k].joint;
      std::optional<Pose<double>> motion = held_motion(joint);
      const Pose<double> to_F = steps[k].reversed ? joint.X_MC.inverse() : joint.X_PF;
      if (!motion) {
        if (passive) return false;
        passive = &joint;
        motion = Pose<double>::identity();
        centre = (X * to_F).position;
        axis = (X * to_F).rotation * joint.axis.normalized();
      }
      const Pose<double> across = joint.X_PF * *motion * joint.X_MC;
      X = X * (steps[k].reversed ? across.inverse() : across);
    }
    if (!passive) return false;
    const bool reversed = steps.back().reversed;
    const Vector3<double> point = X * (reversed ? last.X_MC.inverse() : last.X_PF).position;
    const Vector3<double> on_platform =
        reversed ? last.X_PF.position : last.X_MC.inverse().position;
    return hold(*passive, last, centre, axis, point, on_platform);
  }

  bool hold(const JointData& passive, const JointData& last, const Vector3<double>& centre,
            const Vector3<double>& axis, const Vector3<double>& point,
            const Vector3<double>& on_platform) {
    const auto is_ball = [](JointType t) { return t == JointType::spherical; };
    const auto points_anywhere = [](JointType t) {
      return t == JointType::spherical || t == JointType::universal;
    };
    if (points_anywhere(passive.type) && points_anywhere(last.type) &&
        (is_ball(passive.type) || is_ball(last.type))) {
      found_.push_back({centre, on_platform, (point - centre).norm(), false});
      return found_.back().value > 0;
    }
    if (passive.type != JointType::revolute || !is_ball(last.type)) return false;
    const Vector3<double> foot = centre + axis * axis.dot(point - centre);
    found_.push_back({foot, on_platform, (point - foot).norm(), false});
    found_.push_back({axis, on_platform, axis.dot(foot), true});
    return (point - foot).norm() > 0;
  }

  std::string platform_;
  std::map<std::string, std::vector<const JointData*>> at_;
  std::map<std::string, double> values_;
  std::vector<PointConstraint> found_;
};

}  // namespace

std::optional<std::vector<PointConstraint>> leg_constraints(const ParallelRobot& robot,
                                                            const Eigen::VectorXd& drives) {
  if (drives.size() != std::ssize(robot.drive_names())) return {};
  return LegReader(robot, drives).read();
}

}  // namespace ulna
