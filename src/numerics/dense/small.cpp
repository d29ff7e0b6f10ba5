#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

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
