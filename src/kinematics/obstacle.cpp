#include "ulna/kinematics/obstacle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/model/internal/check_size.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using V3 = Vector3<double>;
/// Parts that a line of the skeleton is looked at in; obstacles thinner than such a part need
/// clearance.
constexpr int line_parts = 8;

/// The body before the one that carries a frame, or that body for a frame which is not its origin.
/// frames() begins with the bodies.
int frame_before(const Model& model, int frame) {
  const int body = model.frames()[frame].body;
  if (frame != body || body == 0) return body;
  for (const JointData& joint : model.robot().joints)
    if (joint.child == model.frames()[frame].name && !joint.cut) return model.frame(joint.parent);
  return 0;
}

void check_obstacle(const Obstacle& obstacle, std::size_t number) {
  const std::string where = fmt::format("obstacle {}", number + 1);
  if (!obstacle.X_WO.position.allFinite() || !obstacle.X_WO.rotation.allFinite() ||
      !std::isfinite(obstacle.clearance))
    throw InputError(
        Problem{{}, where, "has an entry that is not a finite number", "finite numbers", {}});
  if (obstacle.shape == Obstacle::Shape::sphere && !(obstacle.radius > 0))
    throw InputError(
        Problem{{}, where, fmt::format("radius {}", obstacle.radius), "a radius above zero", {}});
  if (obstacle.shape == Obstacle::Shape::box && !(obstacle.sides.minCoeff() > 0))
    throw InputError(
        Problem{{}, where, "a side that is not above zero", "three lengths above zero", {}});
}

}  // namespace

Obstacle Obstacle::half_space(const V3& point, const V3& normal) {
  if (!(normal.norm() > 1e-12))
    throw InputError("a half-space with a normal of length zero", "a direction");
  Obstacle obstacle;
  obstacle.shape = Shape::half_space;
  obstacle.X_WO = {turn_between(V3::UnitZ(), normal.normalized()), point};
  return obstacle;
}

Obstacle Obstacle::sphere(const V3& centre, double radius) {
  Obstacle obstacle;
  obstacle.X_WO.position = centre;
  obstacle.radius = radius;
  return obstacle;
}

Obstacle Obstacle::box(const Pose<double>& centre, const V3& sides) {
  Obstacle obstacle;
  obstacle.shape = Shape::box;
  obstacle.X_WO = centre;
  obstacle.sides = sides;
  return obstacle;
}

ObstacleDistance distance_to(const Obstacle& obstacle, const V3& point) {
  const Pose<double>& X = obstacle.X_WO;
  const V3 p = X.rotation.transpose() * (point - X.position);
  if (obstacle.shape == Obstacle::Shape::half_space) return {p.z(), X.rotation.col(2)};
  if (obstacle.shape == Obstacle::Shape::sphere) {
    const double r = p.norm();
    return {r - obstacle.radius, r > 0 ? V3(X.rotation * p / r) : V3(V3::UnitZ())};
  }
  const V3 beyond = p.cwiseAbs() - obstacle.sides / 2;
  const V3 sign = p.unaryExpr([](double x) { return x < 0 ? -1.0 : 1.0; });
  if (beyond.maxCoeff() <= 0) {  // inside: out through the nearest face
    Eigen::Index face;
    const double depth = beyond.maxCoeff(&face);
    return {depth, X.rotation.col(face) * sign(face)};
  }
  const V3 outside = beyond.cwiseMax(0);
  return {outside.norm(), X.rotation * outside.normalized().cwiseProduct(sign)};
}

ObstacleConstraint::ObstacleConstraint(const Model& model, const std::vector<Obstacle>& obstacles)
    : model_(model), obstacles_(obstacles) {
  for (std::size_t k = 0; k < obstacles.size(); ++k) {
    check_obstacle(obstacles[k], k);
    std::vector<int> frames = obstacles[k].frames;
    for (int f : frames) check_frame(model, f);
    if (frames.empty())
      for (int f = 0; f < static_cast<int>(model.frames().size()); ++f)
        if (model.frames()[f].node > 0) frames.push_back(f);
    for (int f : frames) {
      const int before = frame_before(model, f);
      const bool line = before != f && model.frames()[before].node != 0;
      for (int part = line ? 1 : line_parts; part <= line_parts; ++part)
        points_.push_back({static_cast<int>(k), before, f, static_cast<double>(part) / line_parts});
    }
  }
}

V3 ObstacleConstraint::place(const Workspace& work, const Point& point) const {
  const V3 end = frame_pose(model_, work, point.frame).position;
  if (point.share == 1) return end;
  return (1 - point.share) * frame_pose(model_, work, point.before).position + point.share * end;
}

void ObstacleConstraint::evaluate(Workspace& work, const VectorRef& q,
                                  Eigen::Ref<Eigen::VectorXd> r, Eigen::MatrixXd* J,
                                  int first_row) {
  update_poses(model_, work, q);
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Point& point = points_[k];
    const Obstacle& obstacle = obstacles_[point.obstacle];
    const int row = first_row + static_cast<int>(k);
    const ObstacleDistance at = distance_to(obstacle, place(work, point));
    r(row) = std::max(0.0, obstacle.clearance - at.distance);
    if (!J) continue;
    J->row(row).setZero();
    if (!(r(row) > 0)) continue;
    const auto add = [&](int frame, double share) {
      J->row(row) -=
          share * at.direction.transpose() * jacobian(model_, work, q, {frame}).bottomRows<3>();
    };
    add(point.frame, point.share);
    if (point.share < 1) add(point.before, 1 - point.share);
  }
}

std::string ObstacleConstraint::deepest(Workspace& work, const VectorRef& q) const {
  update_poses(model_, work, q);
  double most = 0;
  const Point* worst = nullptr;
  for (const Point& point : points_) {
    const Obstacle& obstacle = obstacles_[point.obstacle];
    const double depth = obstacle.clearance - distance_to(obstacle, place(work, point)).distance;
    if (depth <= most) continue;
    most = depth;
    worst = &point;
  }
  if (!worst) return {};
  const std::string& name = model_.frames()[worst->frame].name;
  const std::string part =
      worst->share == 1
          ? fmt::format("'{}'", name)
          : fmt::format("the line from '{}' to '{}'", model_.frames()[worst->before].name, name);
  return fmt::format("{} is {:.3g} m too deep in obstacle {}", part, most, worst->obstacle + 1);
}

}  // namespace ulna
