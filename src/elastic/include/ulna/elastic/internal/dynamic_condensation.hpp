#pragma once
// Kuhar and Stahle's dynamic condensation: exact at one frequency, T = [1; -(Kss - w^2 Mss)^-1
// (Ksm - w^2 Msm)]; at zero it is Guyan's (docs/theory/condensation.md, eq. 6).

#include "ulna/elastic/parts/reduction.hpp"

namespace ulna::elastic {

ULNA_API Reduction dynamic_condensation(const SystemMatrices& system,
                                        const std::vector<int>& masters, double omega);

}  // namespace ulna::elastic
