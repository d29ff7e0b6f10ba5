#include <Eigen/LU>
#include <unsupported/Eigen/MatrixFunctions>

#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

Eigen::MatrixXd exponential(const MatrixIn& A) {
  if (A.size() == 0) return Eigen::MatrixXd(0, 0);
  return Eigen::MatrixXd(A).exp();
}

}  // namespace ulna::dense
