#pragma once
// Generalized speeds as Python gives them.

#include "bindings.hpp"
#include "ulna/kinematics/generalized_speeds.hpp"

namespace ulna::python {

/// A name ('joint-rates', 'middle', 'body:NAME') or a dict of formulas, {'u1': 'v.joint1 + t'}.
GeneralizedSpeeds speeds_choice(py::handle object);

}  // namespace ulna::python
