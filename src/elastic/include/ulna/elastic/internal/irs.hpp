#pragma once
// The improved reduced system (O'Callahan): Guyan, and the slaves' inertia as it follows from the
// reduced model itself; iterated, it converges to SEREP of the masters
// (docs/theory/condensation.md, eq. 5).

#include "ulna/elastic/parts/reduction.hpp"

namespace ulna::elastic {

ULNA_API Reduction irs(const SystemMatrices& system, const std::vector<int>& masters,
                       int iterations = 1);

}  // namespace ulna::elastic
