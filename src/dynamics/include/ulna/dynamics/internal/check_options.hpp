#pragma once
// Whether the options of Dynamics go with a robot; the formulation itself is formulation_for's.

#include "ulna/dynamics/dynamics.hpp"

namespace ulna {

/// InputError about actuators, closing or level that a robot of this kind has not.
ULNA_API void check_options(const Model& model, const DynamicsOptions& options);

}  // namespace ulna
