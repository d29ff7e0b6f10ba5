#pragma once
// An experiment on the same robot with geometrically exact links (elastic/geometrically_exact.hpp).

#include "ulna/elastic/geometrically_exact.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// The robot's links are cut into elements; the joints start as before and the links straight.
/// InputError for a rigid robot and for links whose modes come from a file.
ULNA_API Experiment with_exact_links(Experiment experiment, const GeometricallyExact& options = {});

}  // namespace ulna
