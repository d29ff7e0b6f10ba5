#pragma once
// What a joint type is, as data: for those who name, number, read, write, check or draw joints.
// Taken from the header of each type; nobody else needs to ask which type a joint is.

#include <span>
#include <string>
#include <vector>

#include "ulna/model/joints/joint_type.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// Which keys of a robot file, and which members of JointData, mean something for a joint.
struct JointKeys {
  bool axis = false, axis2 = false, pitch = false;
  bool single_axis = false;  ///< may be placed by its axis alone: dh, screw_axis
};

/// A shape that stands for the joint in drawings, on the parent; sizes in radii of the link.
struct Glyph {
  enum class Shape { cylinder, box, sphere, rail } shape;  ///< rail: on the child, runs through it
  bool along_second = false;                               ///< along axis2 rather than axis
  double size[3] = {1, 0, 0};
};

struct JointTraits {
  const char* name;
  std::span<const Degree> coordinates, speeds;
  JointKeys keys;
  int turn_rows;  ///< of its rows as a closing joint, how many hold turns
  std::span<const Glyph> glyphs;

  bool has_quaternion() const { return coordinates.size() != speeds.size(); }
  /// The coordinate whose rate is speed k; -1 where a quaternion's axes come between.
  int coordinate_of_speed(int k) const;
  /// The speed whose limits a coordinate has; -1 for the entries of a quaternion.
  int speed_of_limits(int coordinate) const;
  /// Whether a turn or slide moves M along the axis.
  bool slides_along_axis() const;
};

ULNA_API const JointTraits& traits_of(JointType type);
/// Of all types, in the order of JointType.
ULNA_API const std::vector<std::string>& joint_type_names();

}  // namespace ulna
