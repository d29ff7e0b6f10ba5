#pragma once
// System equivalent reduction: the lowest modes themselves, in coordinates that are masters. As
// many modes as masters make it exact for those modes (docs/theory/condensation.md, eq. 8).

#include "ulna/elastic/parts/reduction.hpp"

namespace ulna::elastic {

ULNA_API Reduction serep(const SystemMatrices& system, const std::vector<int>& masters);

/// With masters that tell the modes apart best: pivots of the shapes. Those of static condensation
/// may lie where a mode has nothing.
ULNA_API Reduction serep(const SystemMatrices& system, int keep);

}  // namespace ulna::elastic
