#pragma once
// One value of a robot by its place in the robot file (docs/robot-file.md): elements of lists by
// their names, entries of vectors by x, y, z or by their number from 0.
//
//   bodies.link2.mass   joints.j1.spring.stiffness   beams.upper.section.outer bodies.arm.centre.x
//
// `beams.NAME` finds the beam of body NAME, or the beam NAME of any body, and a section needs no
// name of its shape. What is not in the file because it has its default value can be set as well.

#include <string>

#include "ulna/model/robot.hpp"
#include "ulna/scalar/export.hpp"

namespace ulna {

/// Whether the path begins with a part of the robot file: "bodies.", "joints.", "beams.", ...
ULNA_API bool is_robot_path(const std::string& path);

/// The robot with that value, given as text with or without a unit ("0.3", "50 mm", "steel").
/// InputError naming the path when there is no such place or the value does not suit.
ULNA_API Robot with_value(const Robot& robot, const std::string& path, const std::string& value);

}  // namespace ulna
