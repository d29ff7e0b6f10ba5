#pragma once
// The frame of a robot at a posture as an input deck of CalculiX (or Abaqus): quadratic beams B32R
// with the sections of the robot file, point masses, the clamped nodes, and a frequency step. All
// joints as locked. CalculiX knows round, tube, rectangle and box sections, and masses without
// inertia.

#include <string>
#include <vector>

#include "ulna/structure/robot_structure.hpp"

namespace ulna {

/// InputError for what such a deck cannot hold: a section of numbers, an I, released joints,
/// springs. Numbers that the robot file gives beside a shape (a torsion constant, say) are not in
/// the deck, where CalculiX has its own: they are named in its comments and in `lost`.
ULNA_API std::string write_calculix(const RobotStructure& structure, int modes,
                                    std::vector<std::string>* lost = nullptr);

}  // namespace ulna
