#pragma once
// What generated and compiled functions have in common: the frame, symbols, numbers of operations.

#include "bindings.hpp"
#include "ulna/generate/traced_function.hpp"

namespace ulna::python {

TraceOptions trace_options(const RobotHandle& robot, const py::object& frame,
                           const std::vector<std::string>& symbolic = {});

/// {"mul": ..., "add": ..., ...}
py::dict operation_dict(const OperationCount& count);

}  // namespace ulna::python
