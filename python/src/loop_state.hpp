#pragma once
// States of robots with loops must fit them: dynamics at an open posture means nothing.

#include "arrays.hpp"
#include "robot_handle.hpp"

namespace ulna::python {

/// InputError saying why a function has nothing to do with a robot without loops.
void require_loops(const RobotHandle& robot, const char* what);

/// InputError unless q closes the loops, if there are any, to 1e-8 (m, rad); and, where given, v
/// and a keep them closed to 1e-8 of their size.
void require_closed(Context& context, const ConstVector& q, const ConstVector* v = nullptr,
                    const ConstVector* a = nullptr);

}  // namespace ulna::python
