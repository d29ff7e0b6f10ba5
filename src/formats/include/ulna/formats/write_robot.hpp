#pragma once
// Writing a robot as a YAML robot file (docs/robot-file.md), without loss: numbers are the shortest
// decimals that read back to the same double, and what has its default value is left out.

#include <string>

#include "ulna/model/robot.hpp"
#include "ulna/scalar/export.hpp"

namespace ulna {

/// Throws InputError when a number is not finite (limits excepted: infinite means none).
ULNA_API std::string write_robot_yaml(const Robot& robot);

/// The robot for a file in this folder: relative names of mesh files, which count from the folder
/// of the robot's own file, lead to the same files from there.
ULNA_API Robot with_meshes_seen_from(const std::string& folder, Robot robot);

}  // namespace ulna
