#pragma once
// Every condensation by its name, with masters chosen for it.

#include "ulna/elastic/parts/reduction.hpp"

namespace ulna::elastic {

/// guyan, guyan-one-shot, irs, dynamic, craig-bampton, serep.
ULNA_API std::vector<std::string> condensation_methods();

/// `keep` coordinates. `interface`: freedoms of craig-bampton; the others choose masters,
/// sequentially but for guyan-one-shot. `omega`: where dynamic condensation is exact.
ULNA_API Reduction condense(const SystemMatrices& system, const std::string& method, int keep,
                            const std::vector<int>& interface, double omega);

}  // namespace ulna::elastic
