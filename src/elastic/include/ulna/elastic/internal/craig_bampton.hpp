#pragma once
// Component modes with a fixed interface (Craig and Bampton): the interface freedoms with their
// static following, and the lowest modes with the interface clamped
// (docs/theory/condensation.md, eq. 7).

#include "ulna/elastic/parts/reduction.hpp"

namespace ulna::elastic {

/// `modes` clamped modes beside the interface freedoms: interface.size() + modes coordinates.
ULNA_API Reduction craig_bampton(const SystemMatrices& system, const std::vector<int>& interface,
                                 int modes);

}  // namespace ulna::elastic
