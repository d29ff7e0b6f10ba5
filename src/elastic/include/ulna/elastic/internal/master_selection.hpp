#pragma once
// Which freedoms to keep when condensing: those of small K_ii / M_ii carry the slow motion.
// One-shot selection sorts the ratios once; sequential selection removes the largest, condenses
// (Guyan), and looks again: far safer when few are kept (docs/theory/condensation.md, eqs. 3-4).

#include <vector>

#include "ulna/elastic/parts/system_matrices.hpp"

namespace ulna::elastic {

enum class MasterSelection { sequential, one_shot };

/// `count` masters, ascending; freedoms in `always` are among them.
/// Sequential selection is dense work of the cube of the size: up to 3000 freedoms.
ULNA_API std::vector<int> select_masters(const SystemMatrices& system, int count,
                                         MasterSelection selection,
                                         const std::vector<int>& always = {});

}  // namespace ulna::elastic
