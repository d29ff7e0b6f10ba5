#include "ulna/kinematics/closed_form.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "arm/arm_axes.hpp"
#include "arm/three_parallel.hpp"

namespace ulna {
namespace {

constexpr int arm_joints = 6;

std::string why_not_six(const ArmAxes& arm) {
  if (!arm.reason.empty()) return arm.reason;
  const std::size_t n = arm.axes.size();
  return n == arm_joints ? "" : fmt::format("{} joints carry the frame, not six", n);
}

bool all_parallel(const ArmAxes& arm) {
  return arm.axes.size() > 1 &&
         std::all_of(arm.axes.begin() + 1, arm.axes.end(),
                     [&](const TurnAxis& axis) { return are_parallel(arm.axes[0], axis); });
}

std::string why_not(const ArmAxes& arm, bool with_rotation) {
  if (!arm.reason.empty()) return arm.reason;
  const std::size_t n = arm.axes.size();
  if (!with_rotation) {
    if (n == 2 && all_parallel(arm)) return {};
    if (n == 3 && all_parallel(arm))
      return "three parallel axes leave a freedom that a point does not fix";
    return n == 3 ? "" : fmt::format("{} joints carry the frame, not two or three", n);
  }
  if (n == 3 && all_parallel(arm)) return {};
  if (n != arm_joints) return why_not_six(arm);
  const ArmStructure structure = exact_axes(arm).structure;
  if (structure.kind == ArmStructure::Kind::spherical ||
      structure.kind == ArmStructure::Kind::parallel)
    return {};
  return "no three successive axes meet in one point or are parallel (elimination needs neither)";
}

ArmAxes needed_arm(const Model& model, int frame, const std::string& reason, const char* what) {
  if (reason.empty()) return arm_axes(model, frame);
  throw InputError(fmt::format("frame '{}' of robot '{}' has no {}: {}", model.frames()[frame].name,
                               model.name(), what, reason),
                   "an arm of one of the shapes that have", "use the search instead");
}

/// Adds a posture within the limits, once.
void keep(const Model& model, const ArmAxes& arm, const std::vector<double>& angles,
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

/// The last three axes meet in `centre`, which the first three place (Pieper).
std::vector<SixAngles> turns_with_wrist(const TurnAxis axes[6], const Vector3<double>& centre,
                                        const Pose<double>& displacement, double size) {
  std::vector<SixAngles> all;
  for (const ThreeAngles& arm : three_turns(axes, centre, displacement * centre, size)) {
    const Pose<double> carried = turned_in_order(axes, arm.angle, 3);
    for (const ThreeAngles& wrist :
         three_turns_to_rotation(axes[3].direction, axes[4].direction, axes[5].direction,
                                 carried.rotation.transpose() * displacement.rotation))
      all.push_back({arm.angle[0], arm.angle[1], arm.angle[2], wrist.angle[0], wrist.angle[1],
                     wrist.angle[2]});
  }
  return all;
}

/// By the structure of the arm, from the joint at which it stands where its formulas want it.
std::vector<SixAngles> turns_by_structure(const ExactAxes& exact, const Pose<double>& displacement,
                                          double size) {
  const bool spherical = exact.structure.kind == ArmStructure::Kind::spherical;
  // Three axes that meet go last, three that are parallel second to fourth.
  const int first = (exact.structure.first + (spherical ? 3 : 5)) % arm_joints;
  const LoopFrom loop = loop_from(exact.axes, displacement, first);
  std::vector<SixAngles> found =
      spherical ? turns_with_wrist(loop.axes.data(), loop.axes[4].point, displacement, size)
                : turns_with_three_parallel(loop.axes.data(), displacement, size);
  for (SixAngles& q : found) q = loop.in_order(q);
  return found;
}

std::vector<SixAngles> polished(const ArmAxes& arm, const Pose<double>& displacement, double size,
                                std::vector<SixAngles> found) {
  std::vector<SixAngles> all;
  for (SixAngles& q : found)
    if (polish_six_turns(arm.axes.data(), displacement, size, q) < 1e-9) keep_new_posture(q, all);
  return all;
}

}  // namespace

ArmStructure arm_structure(const Model& model, int frame) {
  const ArmAxes arm = arm_axes(model, frame);
  return why_not_six(arm).empty() ? exact_axes(arm).structure : ArmStructure{};
}

std::string text_of(const ArmStructure& structure) {
  const int k = structure.first;
  switch (structure.kind) {
    case ArmStructure::Kind::spherical:
      return fmt::format("axes {}, {} and {} meet in one point", k + 1, k + 2, k + 3);
    case ArmStructure::Kind::parallel:
      return fmt::format("axes {}, {} and {} are parallel", k + 1, k + 2, k + 3);
    case ArmStructure::Kind::intersecting_pairs:
      return "two pairs of successive axes meet";
    case ArmStructure::Kind::general:
      return "six general axes";
    default:
      return "not an arm of six turning joints";
  }
}

std::string why_no_closed_form(const Model& model, int frame, bool with_rotation) {
  return why_not(arm_axes(model, frame), with_rotation);
}

std::string why_no_elimination(const Model& model, int frame) {
  return why_not_six(arm_axes(model, frame));
}

std::vector<Eigen::VectorXd> closed_form_positions(const Model& model, int frame,
                                                   const Vector3<double>& point) {
  const ArmAxes arm =
      needed_arm(model, frame, why_no_closed_form(model, frame, false), "closed form");
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
  const ArmAxes arm =
      needed_arm(model, frame, why_no_closed_form(model, frame, true), "closed form");
  const double size = arm.size + (X_WF.position - arm.axes[0].point).norm();
  std::vector<Eigen::VectorXd> postures;
  // The motion of the frame from zero to the target.
  const Pose<double> displacement = X_WF * arm.X_WF.inverse();
  if (arm.axes.size() == 3) {
    for (const ThreeAngles& found : three_parallel_turns(arm.axes.data(), displacement, size))
      keep(model, arm, {found.angle[0], found.angle[1], found.angle[2]}, postures);
    return postures;
  }
  for (const SixAngles& q :
       polished(arm, displacement, size, turns_by_structure(exact_axes(arm), displacement, size)))
    keep(model, arm, {q.begin(), q.end()}, postures);
  return postures;
}

std::vector<Eigen::VectorXd> elimination_poses(const Model& model, int frame,
                                               const Pose<double>& X_WF) {
  const ArmAxes arm =
      needed_arm(model, frame, why_no_elimination(model, frame), "inverse by elimination");
  const double size = arm.size + (X_WF.position - arm.axes[0].point).norm();
  std::vector<Eigen::VectorXd> postures;
  for (const SixAngles& q : six_turns(arm.axes.data(), X_WF * arm.X_WF.inverse(), size))
    keep(model, arm, {q.begin(), q.end()}, postures);
  return postures;
}

}  // namespace ulna
