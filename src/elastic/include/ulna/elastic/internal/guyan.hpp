#pragma once
// Guyan's static condensation: slaves follow masters as under forces on the masters alone,
// T = [1; -Kss^-1 Ksm] (docs/theory/condensation.md, eq. 2).

#include "ulna/elastic/internal/master_selection.hpp"
#include "ulna/elastic/parts/reduction.hpp"

namespace ulna::elastic {

ULNA_API Reduction guyan(const SystemMatrices& system, const std::vector<int>& masters);

}  // namespace ulna::elastic
