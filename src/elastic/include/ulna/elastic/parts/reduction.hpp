#pragma once
// What every condensation gives: x = T y with fewer coordinates y, and the matrices T'MT, T'CT,
// T'KT (docs/theory/condensation.md). The methods have a file each: guyan, irs,
// dynamic_condensation, craig_bampton, serep.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/elastic/parts/system_matrices.hpp"

namespace ulna::elastic {

struct Reduction {
  Eigen::MatrixXd T;         ///< full = T reduced
  std::vector<int> masters;  ///< freedoms kept as they are, ascending; the first coordinates of y
  int modal = 0;             ///< coordinates after them that are amplitudes of modes

  int size() const { return static_cast<int>(T.cols()); }
};

struct ReducedSystem {
  Eigen::MatrixXd M, C, K;  ///< C is zero without damping
};
ULNA_API ReducedSystem reduce(const SystemMatrices& system, const Reduction& reduction);

/// The same as sparse matrices with names, for everything that takes a system.
ULNA_API SystemMatrices reduced_system(const SystemMatrices& system, const Reduction& reduction);

/// Freedoms not among `masters`, ascending. Throws InputError when a master is out of range or
/// given twice.
ULNA_API std::vector<int> other_freedoms(int size, const std::vector<int>& masters);

}  // namespace ulna::elastic
