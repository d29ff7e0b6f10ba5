#pragma once
// M x'' + C x' + K x = f: the matrices every eigenproblem, response and condensation starts from,
// whether they come from a frame or from a file.

#include <Eigen/SparseCore>
#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna::elastic {

using SparseMatrix = Eigen::SparseMatrix<double>;

struct SystemMatrices {
  SparseMatrix M, C, K;            ///< C may be empty (0 x 0): no damping
  std::vector<std::string> names;  ///< of the freedoms; may be empty

  int size() const { return static_cast<int>(K.rows()); }
  bool damped() const { return C.nonZeros() > 0; }
  ULNA_API std::string name(int freedom) const;
};

/// Throws InputError naming the freedom: sizes that differ, matrices that are not symmetric or
/// finite, a freedom without stiffness and mass, no mass at all, a negative diagonal.
ULNA_API void check(const SystemMatrices& system);

}  // namespace ulna::elastic
