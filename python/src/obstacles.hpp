#pragma once
// Obstacles of inverse kinematics: one dict each, {"sphere": centre, "radius": r},
// {"box": centre or pose, "sides": lengths}, {"half_space": point, "normal": n}, with "clearance"
// and "frames" if wanted.

#include "bindings.hpp"
#include "ulna/kinematics/obstacle.hpp"

namespace ulna::python {

std::vector<Obstacle> obstacles_of(const RobotHandle& robot, const py::object& list);

}  // namespace ulna::python
