#pragma once
// Where a flexible body on a moving base buckles: the surface in the space of spin, transverse
// velocity and axial acceleration of its base on which the dynamic stiffness of its modes loses
// its last positive direction. docs/theory/flexible.md, eq. 28, 34. The body carries what is
// attached to it; the base is the frame that its joint holds.
//
//   StabilitySurface s = stability_surface(model, model.flexible_links()[0], {0.5, 1, 2}, {0,
//   0.5});
//
// In units of the first frequency w1 with its root held and of its length l:
//   x = spin / w1,   y = transverse velocity / (l w1),   z = axial acceleration (of the body's
//   axes) / (l w1^2)

#include "ulna/model/model.hpp"

namespace ulna {

struct StabilitySurface {
  double first_frequency = 0;  ///< w1, rad/s
  double length = 0;           ///< l
  std::vector<double> x, z;
  /// Axial acceleration of the base in space, by l w1^2, above which it buckles; one for each x.
  /// Infinite: never; NaN: spin alone makes it diverge.
  Eigen::VectorXd critical;
  /// y on the boundary, one row for each x, one column for each z: below it the body is unstable
  /// (for x > 0). NaN where x is 0.
  Eigen::MatrixXd y;
  /// w^2 / w1^2 = 1 + x^2 spin + a_x axial for the first mode alone.
  double spin = 0, axial = 0;

  double metres_per_second_squared(double a) const {
    return a * length * first_frequency * first_frequency;
  }
};

/// Of one flexible body of the robot, by its index into Model::flexible_links().
ULNA_API StabilitySurface stability_surface(const Model& model, int link, std::vector<double> x,
                                            std::vector<double> z);

}  // namespace ulna
