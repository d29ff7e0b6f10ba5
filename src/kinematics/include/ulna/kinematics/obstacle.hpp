#pragma once
// Obstacles that the skeleton of a robot stays out of: half-spaces, balls and boxes in the world.
// The skeleton is the origin of each frame and body and the straight line to it from the origin of
// the body before. Inverse kinematics takes them as constraints. docs/theory/inverse-kinematics.md,
// section "Obstacles".

#include <optional>
#include <string>
#include <vector>

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

struct Obstacle {
  enum class Shape { half_space, sphere, box };
  Shape shape = Shape::sphere;
  /// Half-space: z < 0 of this frame. Sphere, box: the middle of it.
  Pose<double> X_WO;
  double radius = 0;                                ///< sphere
  Vector3<double> sides = Vector3<double>::Zero();  ///< box: whole lengths along its axes
  double clearance = 0;                             ///< distance that is kept as well
  /// Bodies and frames that stay out, as frames of the model; empty: all that move.
  std::vector<int> frames = {};

  /// The half-space behind a point, against `normal`.
  ULNA_API static Obstacle half_space(const Vector3<double>& point, const Vector3<double>& normal);
  ULNA_API static Obstacle sphere(const Vector3<double>& centre, double radius);
  ULNA_API static Obstacle box(const Pose<double>& centre, const Vector3<double>& sides);
};

/// Distance of a point of the world from the surface, negative inside, and where it grows.
struct ObstacleDistance {
  double distance;
  Vector3<double> direction;
};
ULNA_API ObstacleDistance distance_to(const Obstacle& obstacle, const Vector3<double>& point);

/// The skeleton against obstacles: how deep it is in each.
class ULNA_API ObstacleConstraint {
 public:
  /// InputError for an obstacle without size or of frames that do not exist.
  ObstacleConstraint(const Model& model, const std::vector<Obstacle>& obstacles);

  int rows() const { return static_cast<int>(points_.size()); }
  /// max(0, clearance - distance) of each point and obstacle, in metres, and its slopes by speeds.
  void evaluate(Workspace& work, const VectorRef& q, Eigen::Ref<Eigen::VectorXd> r,
                Eigen::MatrixXd* J, int first_row);
  /// "the line from 'link2' to 'link3' is 0.02 m inside obstacle 1" for the deepest; empty when all
  /// is clear.
  std::string deepest(Workspace& work, const VectorRef& q) const;

 private:
  /// On the line between the origins of two frames.
  struct Point {
    int obstacle, before, frame;
    double share;  ///< 1: at `frame`
  };
  Vector3<double> place(const Workspace& work, const Point& point) const;

  const Model& model_;
  std::vector<Obstacle> obstacles_;
  std::vector<Point> points_;
};

}  // namespace ulna
