#pragma once
// (K + p Kg) x = 0: the factors p on a load, whose geometric stiffness is Kg, at which a structure
// loses its stiffness. The smallest positive ones, ascending (docs/theory/structure.md, eq. 14).

#include <Eigen/Core>

#include "ulna/elastic/parts/system_matrices.hpp"

namespace ulna::elastic {

struct BucklingModes {
  Eigen::VectorXd factor;
  Eigen::MatrixXd shapes;
};

/// K must be positive definite. Dense.
ULNA_API BucklingModes buckling_modes(const SparseMatrix& K, const SparseMatrix& Kg, int count);

}  // namespace ulna::elastic
