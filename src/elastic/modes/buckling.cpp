#include "ulna/elastic/parts/buckling.hpp"

#include <algorithm>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {

BucklingModes buckling_modes(const SparseMatrix& K, const SparseMatrix& Kg, int count) {
  // -Kg x = mu K x with mu = 1/p: positive K on the right, whatever the signs in Kg.
  const dense::SymmetricEigen found =
      dense::eigen_symmetric(Eigen::MatrixXd(-Kg), Eigen::MatrixXd(K));
  if (!dense::Cholesky(Eigen::MatrixXd(K)).ok() || !found.ok)
    throw ComputationError(
        "buckling needs a structure that is held: its stiffness is not positive");
  const Eigen::VectorXd& mu = found.values;
  const int n = static_cast<int>(mu.size());
  int positive = 0;
  while (positive < n && mu(n - 1 - positive) > 1e-14 * mu.cwiseAbs().maxCoeff()) ++positive;
  const int m = std::min(positive, count);
  BucklingModes modes;
  modes.factor.resize(m);
  modes.shapes.resize(n, m);
  for (int k = 0; k < m; ++k) {
    modes.factor(k) = 1 / mu(n - 1 - k);
    modes.shapes.col(k) = found.vectors.col(n - 1 - k);
  }
  return modes;
}

}  // namespace ulna::elastic
