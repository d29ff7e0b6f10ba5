#pragma once
// The types of joints, and what one number of a joint measures. Each type has a header of its own
// in this folder; joint_types.hpp lists them.

namespace ulna {

enum class JointType {
  fixed,
  revolute,
  prismatic,
  screw,
  cylindrical,  ///< turn, then slide along the same axis
  universal,    ///< turn about `axis`, then about `axis2`
  spherical,    ///< q: unit quaternion w, x, y, z of R_FM; v: angular velocity of M in F, axes of M
  planar,       ///< slide along x and y of F after the shortest turn of z onto the axis, then turn
                ///< about it
  free,  ///< q: quaternion, then position of M in F; v: twist of M in F at M's origin, axes of
         ///< M
  sphere_in_groove  ///< slide along the axis, then the ball: quaternion and angular velocity as
                    ///< spherical
};
inline constexpr int joint_type_count = 10;

/// What a coordinate or a speed measures; the rate of an angle is an angle a second.
enum class Dimension : char { angle, length, number };

/// "rad", "m" or "1".
constexpr const char* si_unit(Dimension dimension) {
  return dimension == Dimension::angle ? "rad" : dimension == Dimension::length ? "m" : "1";
}

/// One coordinate or speed of a joint: what follows the joint's name, and what it measures.
struct Degree {
  const char* suffix;
  Dimension dimension;
};

}  // namespace ulna
