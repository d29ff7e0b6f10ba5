#pragma once
// By which factors a static load may grow until the structure buckles: linear buckling about the
// posture, with the axial forces that the load itself causes (docs/theory/structure.md, eqs. 14,
// 50). All parts of the load grow together, gravity too.

#include "ulna/elastic/parts/buckling.hpp"
#include "ulna/structure/statics.hpp"

namespace ulna {

/// The smallest positive factors, ascending; fewer than `count` where the load stretches. Below 1
/// the structure buckles before it carries the load. ComputationError when a joint is free and
/// nothing holds it.
ULNA_API elastic::BucklingModes load_factors(const RobotStructure& structure, const VectorRef& q,
                                             const StaticLoad& load, int count);

}  // namespace ulna
