#pragma once
// Answers of Dynamics that both Robot and ulna.Dynamics give.

#include "states.hpp"

namespace ulna::python {

/// name -> (6,) or (N, 6): moment, force. slots: q, v, a, wrenches, at, expressed_in; null: absent.
py::object reactions_of(RobotHandle& robot, const DynamicsOptions& options, PyObject** slots);

/// Kinetic and potential energy. slots: q, v.
py::object energy_of(RobotHandle& robot, PyObject** slots);

/// How many efforts along closing joints follow those of the speeds: all, if one has a motor.
py::ssize_t closing_efforts(const RobotHandle& robot, const std::vector<int>& actuated);

}  // namespace ulna::python
