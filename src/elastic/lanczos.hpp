#pragma once
// The lowest modes of a large sparse system by Lanczos iteration on (K + s M)^-1 M.

#include <Eigen/Core>

#include "ulna/elastic/system_matrices.hpp"

namespace ulna::elastic {

struct LanczosResult {
  bool positive = false;  ///< K + s M could be factored with positive pivots
  bool converged = false;
  Eigen::MatrixXd shapes;
};

LanczosResult lanczos_modes(const SparseMatrix& M, const SparseMatrix& K, double shift, int count);

}  // namespace ulna::elastic
