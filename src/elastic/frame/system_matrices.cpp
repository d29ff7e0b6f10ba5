#include "ulna/elastic/parts/system_matrices.hpp"

#include <fmt/format.h>

#include <cmath>

#include "modal_body/rounding.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

void check_matrix(const SystemMatrices& system, const SparseMatrix& A, const char* name,
                  bool positive) {
  if (A.rows() != system.K.rows() || A.cols() != system.K.cols())
    throw InputError(fmt::format("matrix {} is {} x {}", name, A.rows(), A.cols()),
                     fmt::format("{} x {} as the stiffness", system.size(), system.size()));
  double largest = 0;
  // Rounding of a reduced matrix may leave the diagonal of a free motion just below zero.
  const double noise = A.rows() > 0 ? rounding_of_diagonal * A.diagonal().cwiseAbs().maxCoeff() : 0;
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      if (!std::isfinite(it.value()))
        throw InputError(
            fmt::format("entry ({}, {}) of matrix {} is not finite", it.row() + 1, j + 1, name));
      largest = std::max(largest, std::abs(it.value()));
      if (positive && it.row() == j && it.value() < -noise)
        throw InputError(fmt::format("matrix {} has {:.6g} on the diagonal at {}", name, it.value(),
                                     system.name(j)),
                         "a matrix that is not indefinite");
    }
  const SparseMatrix skew = A - SparseMatrix(A.transpose());
  for (int j = 0; j < skew.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(skew, j); it; ++it)
      if (std::abs(it.value()) > 1e-9 * largest)
        throw InputError(
            fmt::format("matrix {} is not symmetric at ({}, {}): they differ by {:.3g}", name,
                        it.row() + 1, j + 1, it.value()),
            "a symmetric matrix");
}

}  // namespace

std::string SystemMatrices::name(int freedom) const {
  if (freedom < static_cast<int>(names.size())) return names[freedom];
  return fmt::format("freedom {}", freedom + 1);
}

void check(const SystemMatrices& system) {
  if (system.K.rows() != system.K.cols())
    throw InputError(fmt::format("matrix K is {} x {}", system.K.rows(), system.K.cols()),
                     "a square matrix");
  if (system.size() == 0)
    throw InputError("the structure has no freedom to move", "a beam, or a joint that is free",
                     "give a link a beam: in the robot file");
  check_matrix(system, system.K, "K", true);
  check_matrix(system, system.M, "M", true);
  if (system.C.size() > 0) check_matrix(system, system.C, "C", false);
  const Eigen::VectorXd k = system.K.diagonal(), m = system.M.diagonal();
  if (m.isZero(0))
    throw InputError("nothing has mass", "a density, mass_per_length or attached mass");
  for (int i = 0; i < system.size(); ++i)
    if (k(i) == 0 && m(i) == 0)
      throw InputError(fmt::format("{} is not connected to anything", system.name(i)),
                       "a freedom with stiffness or mass");
}

}  // namespace ulna::elastic
