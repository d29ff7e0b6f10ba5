#include "ulna/kinematics/closed_form.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "loops/circles.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

/// The turning joints that carry a frame, and the frame itself, all at coordinate zero.
struct Arm {
  std::vector<int> coordinates;
  std::vector<TurnAxis> axes;
  Pose<double> X_WF;
  double size = 0;
  std::string reason;  ///< why it is no such arm
};

Arm arm_of(const Model& model, int frame) {
  check_frame(model, frame);
  Arm arm;
  if (!model.loops().empty()) {
    arm.reason = "the robot has loops";
    return arm;
  }
  Workspace work(model);
  update_poses(model, work, model.neutral());
  arm.X_WF = frame_pose(model, work, frame);
  const std::vector<TreeNode>& nodes = model.topology().nodes;
  for (int i = model.frames()[frame].node; i > 0; i = nodes[i].parent) {
    const TreeNode& node = nodes[i];
    const NodePose<double>& pose = work.view().pose[i];
    if (node.kind != NodeKind::screw || node.h != 0 || std::abs(node.sigma) != 1)
      arm.reason = fmt::format("joint '{}' does not simply turn", model.speed_names()[node.v]);
    arm.coordinates.insert(arm.coordinates.begin(), node.q);
    arm.axes.insert(arm.axes.begin(),
                    {node.sigma * Vector3<double>(pose.R.xz, pose.R.yz, pose.R.zz),
                     {pose.p.x, pose.p.y, pose.p.z}});
  }
  for (std::size_t k = 1; k < arm.coordinates.size(); ++k)
    if (std::count(arm.coordinates.begin(), arm.coordinates.end(), arm.coordinates[k]) > 1)
      arm.reason = "joints of the arm are coupled";
  for (const TurnAxis& axis : arm.axes)
    arm.size = std::max(arm.size, (arm.X_WF.position - axis.point).norm());
  return arm;
}

bool are_parallel(const TurnAxis& a, const TurnAxis& b) {
  return a.direction.cross(b.direction).norm() < 1e-10;
}

/// Where the last three axes of six meet, if they do.
std::optional<Vector3<double>> wrist_centre(const Arm& arm) {
  const TurnAxis &a = arm.axes[3], &b = arm.axes[4], &c = arm.axes[5];
  if (are_parallel(a, b) || are_parallel(b, c)) return std::nullopt;
  const Vector3<double> n = a.direction.cross(b.direction), d = b.point - a.point;
  const Vector3<double> meet =
      a.point + a.direction * (d.cross(b.direction).dot(n) / n.squaredNorm());
  const auto off = [&](const TurnAxis& axis) {
    return (meet - axis.point).cross(axis.direction).norm();
  };
  if (std::max({off(a), off(b), off(c)}) > 1e-9 * arm.size) return std::nullopt;
  return meet;
}

std::string why_not(const Arm& arm, bool with_rotation) {
  if (!arm.reason.empty()) return arm.reason;
  const std::size_t n = arm.axes.size();
  const bool planar =
      n > 1 && std::all_of(arm.axes.begin() + 1, arm.axes.end(),
                           [&](const TurnAxis& axis) { return are_parallel(arm.axes[0], axis); });
  if (!with_rotation) {
    if (n == 2 && planar) return {};
    if (n == 3 && planar) return "three parallel axes leave a freedom that a point does not fix";
    return n == 3 ? "" : fmt::format("{} joints carry the frame, not two or three", n);
  }
  if (n == 3 && planar) return {};
  if (n != 6) return fmt::format("{} joints carry the frame, not six", n);
  if (!wrist_centre(arm)) return "its last three axes do not meet in one point";
  if (are_parallel(arm.axes[0], arm.axes[1]) && are_parallel(arm.axes[1], arm.axes[2]))
    return "its first three axes are parallel";
  return {};
}

Arm needed_arm(const Model& model, int frame, bool with_rotation) {
  Arm arm = arm_of(model, frame);
  const std::string reason = why_not(arm, with_rotation);
  if (reason.empty()) return arm;
  throw InputError(fmt::format("frame '{}' of robot '{}' has no closed form: {}",
                               model.frames()[frame].name, model.name(), reason),
                   "an arm of one of the shapes that have", "use the search instead");
}

/// Adds a posture within the limits, once.
void keep(const Model& model, const Arm& arm, const std::vector<double>& angles,
          std::vector<Eigen::VectorXd>& postures) {
  Eigen::VectorXd q = model.neutral();
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const int c = arm.coordinates[k];
    double angle = std::remainder(angles[k], 2 * M_PI);
    const double rounding = 1e-12;
    if (angle < model.lower()(c) - rounding) angle += 2 * M_PI;
    if (angle > model.upper()(c) + rounding) angle -= 2 * M_PI;
    if (angle < model.lower()(c) - rounding || angle > model.upper()(c) + rounding) return;
    q(c) = std::clamp(angle, model.lower()(c), model.upper()(c));
  }
  for (const Eigen::VectorXd& other : postures)
    if ((other - q).cwiseAbs().maxCoeff() < 1e-9) return;
  postures.push_back(q);
}

}  // namespace

std::string why_no_closed_form(const Model& model, int frame, bool with_rotation) {
  return why_not(arm_of(model, frame), with_rotation);
}

std::vector<Eigen::VectorXd> closed_form_positions(const Model& model, int frame,
                                                   const Vector3<double>& point) {
  const Arm arm = needed_arm(model, frame, false);
  const double size = arm.size + (point - arm.axes[0].point).norm();
  std::vector<Eigen::VectorXd> postures;
  if (arm.axes.size() == 2) {
    for (const TwoAngles& pair :
         two_turns(arm.axes[0], arm.axes[1], arm.X_WF.position, point, size))
      keep(model, arm, {pair.first, pair.second}, postures);
    return postures;
  }
  for (const ThreeAngles& found : three_turns(arm.axes.data(), arm.X_WF.position, point, size))
    keep(model, arm, {found.angle[0], found.angle[1], found.angle[2]}, postures);
  return postures;
}

std::vector<Eigen::VectorXd> closed_form_poses(const Model& model, int frame,
                                               const Pose<double>& X_WF) {
  const Arm arm = needed_arm(model, frame, true);
  const double size = arm.size + (X_WF.position - arm.axes[0].point).norm();
  std::vector<Eigen::VectorXd> postures;
  // The motion of the frame from zero to the target.
  const Pose<double> displacement = X_WF * arm.X_WF.inverse();
  if (arm.axes.size() == 3) {
    const TurnAxis& first = arm.axes[0];
    const Vector3<double> across = first.direction.unitOrthogonal();
    const double whole = angle_from_to({first.direction, Vector3<double>::Zero()}, across,
                                       displacement.rotation * across);
    const bool in_plane = (displacement.rotation * first.direction - first.direction).norm() < 1e-9;
    if (!in_plane) return {};
    // Axes may point against each other; the sum of turns about the first is what the pose has.
    const auto sense = [&](int k) {
      return arm.axes[k].direction.dot(first.direction) > 0 ? 1 : -1;
    };
    // The third axis goes where the displacement takes it.
    for (const TwoAngles& pair :
         two_turns(first, arm.axes[1], arm.axes[2].point, displacement * arm.axes[2].point, size))
      keep(model, arm,
           {pair.first, pair.second, sense(2) * (whole - pair.first - sense(1) * pair.second)},
           postures);
    return postures;
  }
  const Vector3<double> centre = *wrist_centre(arm);
  for (const ThreeAngles& arm_angles :
       three_turns(arm.axes.data(), centre, displacement * centre, size)) {
    Matrix3<double> carried = Matrix3<double>::Identity();
    for (int k = 0; k < 3; ++k)
      carried = carried * Eigen::AngleAxisd(arm_angles.angle[k], arm.axes[k].direction).matrix();
    for (const ThreeAngles& wrist : three_turns_to_rotation(
             arm.axes[3].direction, arm.axes[4].direction, arm.axes[5].direction,
             carried.transpose() * displacement.rotation))
      keep(model, arm,
           {arm_angles.angle[0], arm_angles.angle[1], arm_angles.angle[2], wrist.angle[0],
            wrist.angle[1], wrist.angle[2]},
           postures);
  }
  return postures;
}

}  // namespace ulna
