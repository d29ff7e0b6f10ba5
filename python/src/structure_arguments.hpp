#pragma once
// The arguments that functions of a robot as an elastic frame have in common: how joints are held,
// which elements, at which posture.

#include "stacked.hpp"
#include "ulna/structure/robot_structure.hpp"

namespace ulna::python {

/// locked: None, "all" or names; elastic: None or {joint: stiffness or (stiffness, damping)};
/// freedoms: None for all, or some of u, v, w, rx, ry, rz, in a list or with commas.
StructureOptions structure_options(const RobotHandle& robot, const py::object& locked,
                                   const py::object& elastic, const std::string& theory,
                                   const std::string& mass, bool rotatory,
                                   const py::object& freedoms);

/// q as given; when absent the neutral or, with loops, an assembled posture, kept in `owner`.
States<3> posture_and_motion(RobotHandle& robot, const py::object& q, const py::object& v,
                             const py::object& a, py::object& owner);

/// The frame at q; InputError where the loops are open there.
RobotStructure frame_at(Context& context, const ConstVector& q, const StructureOptions& options);

}  // namespace ulna::python
