#pragma once
// Where a parallel robot stands when nothing is said about it: its platform at its home pose (its
// free or planar joint at zero), the legs following. docs/theory/platforms.md, section 2.

#include <optional>
#include <vector>

#include "loops/assembly_search.hpp"

namespace ulna {

/// Coordinates of the free and planar joints on the world that loops hold: those of platforms.
std::vector<int> floating_coordinates(const LoopClosure& closure);

/// The closed posture with these coordinates at zero. None where the legs cannot reach, or where no
/// such joint is.
std::optional<Eigen::VectorXd> home_posture(AssemblyEquations& equations,
                                            const AssemblyOptions& options);

}  // namespace ulna
