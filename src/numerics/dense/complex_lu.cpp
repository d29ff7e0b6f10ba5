#include <Eigen/LU>

#include "ulna/numerics/dense.hpp"

namespace ulna::dense {

Eigen::VectorXcd solve_complex(const Eigen::Ref<const Eigen::MatrixXcd>& A,
                               const Eigen::Ref<const Eigen::VectorXcd>& b) {
  if (A.size() == 0) return Eigen::VectorXcd(0);
  return A.partialPivLu().solve(b);
}

}  // namespace ulna::dense
