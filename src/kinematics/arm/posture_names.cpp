// Shoulder, elbow and wrist: on which side of its singular postures an arm stands.

#include <Eigen/Geometry>
#include <cmath>

#include "arm/arm_axes.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

using V3 = Vector3<double>;
constexpr double square_enough = 1e-3;  ///< sine or cosine that still counts as parallel, across

/// The axes of the arm as they stand.
std::vector<TurnAxis> axes_now(const Model& model, const ArmAxes& arm, const VectorRef& q) {
  Workspace work(model);
  update_poses(model, work, q);
  std::vector<TurnAxis> axes;
  for (std::size_t k = 0; k < arm.nodes.size(); ++k) {
    const int i = arm.nodes[k];
    const NodePose<double>& pose = work.view().pose[i];
    axes.push_back({model.topology().nodes[i].sigma * V3(pose.R.xz, pose.R.yz, pose.R.zz),
                    {pose.p.x, pose.p.y, pose.p.z}});
  }
  return axes;
}

V3 meeting_of(const TurnAxis& a, const TurnAxis& b) {
  const V3 n = a.direction.cross(b.direction);
  return a.point + a.direction * ((b.point - a.point).cross(b.direction).dot(n) / n.squaredNorm());
}

}  // namespace

std::string PostureNames::text() const {
  std::string out;
  const auto add = [&](const char* part, const std::string& name) {
    if (!name.empty()) out += (out.empty() ? "" : ", ") + std::string(part) + " " + name;
  };
  add("shoulder", shoulder);
  add("elbow", elbow);
  add("wrist", wrist);
  return out;
}

PostureNames posture_names(const Model& model, int frame, const VectorRef& q) {
  check_size(model, q, model.coordinates(), "q");
  PostureNames names;
  const ArmAxes arm = arm_axes(model, frame);
  if (!arm.reason.empty() || arm.axes.size() != 6) return names;
  const ArmStructure structure = exact_axes(arm).structure;
  const bool wrist = structure == ArmStructure{ArmStructure::Kind::spherical, 3};
  const bool plane = structure == ArmStructure{ArmStructure::Kind::parallel, 1};
  if (!wrist && !plane) return names;
  const std::vector<TurnAxis> now = axes_now(model, arm, q);
  const V3 &up = now[0].direction, &side = now[1].direction;
  names.wrist =
      now[3].direction.cross(now[4].direction).dot(now[5].direction) < 0 ? "no flip" : "flip";
  if (std::abs(up.dot(side)) > square_enough || side.cross(now[2].direction).norm() > square_enough)
    return names;
  // Across both axes; what the arm stretches along when it is on its right shoulder.
  const V3 ahead = up.cross(side);
  const V3 centre = wrist ? meeting_of(now[3], now[4]) : meeting_of(now[4], now[5]);
  const V3 reach = centre - now[0].point;
  const double forward = ahead.dot(reach), offset = side.dot(reach);
  const bool has_offset = std::abs(offset) > 1e-6 * arm.size;
  names.shoulder = (has_offset ? forward * offset : forward) > 0 ? "right" : "left";
  // The elbow above the line from shoulder to wrist, seen along the second axis.
  const V3 end = (wrist ? centre : now[3].point) - now[1].point;
  const V3 bend = now[2].point - now[1].point;
  const double above = (ahead.dot(end) * up.dot(bend) - up.dot(end) * ahead.dot(bend));
  names.elbow = above * forward > 0 ? "up" : "down";
  return names;
}

}  // namespace ulna
