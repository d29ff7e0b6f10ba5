#include "arm/arm_axes.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

/// Of sines and of lengths over the arm's size. Above it Newton's method could no longer bring the
/// angles of the exact axes to those of the arm; below it lie files that write pi/2 as 1.5708.
constexpr double structure_tolerance = 2e-5;

using V3 = Vector3<double>;

/// Where two axes come nearest, in the middle; nothing for parallel ones.
std::optional<V3> meeting_point(const TurnAxis& a, const TurnAxis& b, double tolerance) {
  const V3 n = a.direction.cross(b.direction), d = b.point - a.point;
  if (n.norm() < 1e-3) return std::nullopt;
  const V3 on_a = a.point + a.direction * (d.cross(b.direction).dot(n) / n.squaredNorm());
  const V3 on_b = b.point + b.direction * (d.cross(a.direction).dot(n) / n.squaredNorm());
  if ((on_a - on_b).norm() > tolerance) return std::nullopt;
  return V3((on_a + on_b) / 2);
}

std::optional<V3> common_point(const TurnAxis* axes, double tolerance) {
  const std::optional<V3> first = meeting_point(axes[0], axes[1], tolerance);
  const std::optional<V3> second = meeting_point(axes[1], axes[2], tolerance);
  if (!first || !second || (*first - *second).norm() > tolerance) return std::nullopt;
  return V3((*first + *second) / 2);
}

bool parallel_within(const TurnAxis& a, const TurnAxis& b, double tolerance) {
  return a.direction.cross(b.direction).norm() < tolerance;
}

}  // namespace

ArmAxes arm_axes(const Model& model, int frame) {
  check_frame(model, frame);
  ArmAxes arm;
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
    if (node.kind != NodeKind::screw || node.h != 0 || std::abs(node.sigma) != 1) {
      arm.reason = node.v >= 0
                       ? fmt::format("joint '{}' does not simply turn", model.speed_names()[node.v])
                       : "a joint of it does not simply turn";
      return arm;
    }
    arm.coordinates.insert(arm.coordinates.begin(), node.q);
    arm.nodes.insert(arm.nodes.begin(), i);
    arm.axes.insert(arm.axes.begin(), {node.sigma * V3(pose.R.xz, pose.R.yz, pose.R.zz),
                                       {pose.p.x, pose.p.y, pose.p.z}});
  }
  for (std::size_t k = 1; k < arm.coordinates.size(); ++k)
    if (std::count(arm.coordinates.begin(), arm.coordinates.end(), arm.coordinates[k]) > 1)
      arm.reason = "joints of the arm are coupled";
  for (const TurnAxis& axis : arm.axes)
    arm.size = std::max(arm.size, (arm.X_WF.position - axis.point).norm());
  return arm;
}

bool are_parallel(const TurnAxis& a, const TurnAxis& b) { return parallel_within(a, b, 1e-10); }

ExactAxes exact_axes(const ArmAxes& arm) {
  ExactAxes exact;
  std::copy(arm.axes.begin(), arm.axes.end(), exact.axes);
  const double length = structure_tolerance * arm.size;
  // The wrist first, as most arms have it there.
  for (int k = 3; k >= 0; --k)
    if (const std::optional<V3> centre = common_point(exact.axes + k, length)) {
      exact.structure = {ArmStructure::Kind::spherical, k};
      exact.centre = *centre;
      for (int j = k; j < k + 3; ++j) exact.axes[j].point = *centre;
      return exact;
    }
  for (const int k : {1, 0, 2, 3}) {
    const V3 n = exact.axes[k + 1].direction;
    if (!parallel_within(exact.axes[k], exact.axes[k + 1], structure_tolerance) ||
        !parallel_within(exact.axes[k + 2], exact.axes[k + 1], structure_tolerance))
      continue;
    exact.structure = {ArmStructure::Kind::parallel, k};
    for (int j = k; j < k + 3; ++j)
      exact.axes[j].direction = exact.axes[j].direction.dot(n) > 0 ? n : V3(-n);
    return exact;
  }
  std::vector<int> pairs;
  for (int k = 0; k < 5; ++k)
    if (meeting_point(exact.axes[k], exact.axes[k + 1], length)) {
      pairs.push_back(k);
      ++k;
    }
  exact.structure = pairs.size() > 1
                        ? ArmStructure{ArmStructure::Kind::intersecting_pairs, pairs[0]}
                        : ArmStructure{ArmStructure::Kind::general, 0};
  return exact;
}

}  // namespace ulna
