#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

template <int n>
SmallLu<n>::SmallLu(const Eigen::Matrix<double, n, n>& A) {
  const Eigen::PartialPivLU<Eigen::Matrix<double, n, n>> lu(A);
  LU_ = lu.matrixLU();
  row_ = lu.permutationP().indices();
}

template <int n>
typename SmallLu<n>::Vector SmallLu<n>::solve(const Vector& b) const {
  Vector x;
  for (int k = 0; k < n; ++k) x(row_(k)) = b(k);
  LU_.template triangularView<Eigen::UnitLower>().solveInPlace(x);
  LU_.template triangularView<Eigen::Upper>().solveInPlace(x);
  return x;
}

template class SmallLu<3>;
template class SmallLu<6>;

template <int n>
Eigen::Matrix<double, n, 1> solve_lu(const Eigen::Matrix<double, n, n>& A,
                                     const Eigen::Matrix<double, n, 1>& b) {
  return A.partialPivLu().solve(b);
}

template <int n>
Eigen::Matrix<double, n, 1> solve_ldlt(const Eigen::Matrix<double, n, n>& A,
                                       const Eigen::Matrix<double, n, 1>& b) {
  return A.ldlt().solve(b);
}

template ULNA_API Eigen::Matrix<double, 3, 1> solve_lu<3>(const Eigen::Matrix<double, 3, 3>&,
                                                          const Eigen::Matrix<double, 3, 1>&);
template ULNA_API Eigen::Matrix<double, 6, 1> solve_lu<6>(const Eigen::Matrix<double, 6, 6>&,
                                                          const Eigen::Matrix<double, 6, 1>&);
template ULNA_API Eigen::Matrix<double, 3, 1> solve_ldlt<3>(const Eigen::Matrix<double, 3, 3>&,
                                                            const Eigen::Matrix<double, 3, 1>&);
template ULNA_API Eigen::Matrix<double, 6, 1> solve_ldlt<6>(const Eigen::Matrix<double, 6, 6>&,
                                                            const Eigen::Matrix<double, 6, 1>&);

}  // namespace ulna::dense
