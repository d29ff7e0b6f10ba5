#pragma once
// Generalized speeds from a file: one formula for each, linear in the joint rates
// (docs/command-line.md, `--speeds`).
//
//   speeds:
//     u1: cos(q.joint2)*v.joint1 + t
//     u2: v.joint2

#include "ulna/kinematics/generalized_speeds.hpp"

namespace ulna {

/// InputError with file and line where it is not a map of names to formulas. The formulas
/// themselves are read when they meet a robot.
ULNA_API GeneralizedSpeeds read_speeds(const std::string& path);
ULNA_API GeneralizedSpeeds read_speeds_text(const std::string& text, const std::string& file_name);

}  // namespace ulna
