#pragma once
// Limits and results of timings of motions.

#include "bindings.hpp"
#include "ulna/simulation/internal/plan.hpp"

namespace ulna::python {

/// One per speed; the robot's own for None. InputError unless they are above zero.
PlanLimits limits_argument(const Model& model, const py::object& rates, const py::object& efforts);

py::object timing_result(const TimingResult& found);

}  // namespace ulna::python
