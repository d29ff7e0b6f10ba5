#include <Eigen/QR>

#include "solver.hpp"

namespace ulna::dense {

struct LeastNormFactor {
  static constexpr bool by_columns = true;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  void compute(const MatrixIn& A) { cod.compute(A); }
  template <class B, class X>
  void solve(const B& b, X& x) const {
    x = cod.solve(b);
  }
};

template class Solver<LeastNormFactor>;

LeastNorm::LeastNorm(const MatrixIn& A, double threshold) {
  set_threshold(threshold);
  compute(A);
}
void LeastNorm::set_threshold(double threshold) { factor_->cod.setThreshold(threshold); }
int LeastNorm::rank() const {
  return equations_ * unknowns_ == 0 ? 0 : static_cast<int>(factor_->cod.rank());
}
Eigen::MatrixXd LeastNorm::pseudo_inverse() const {
  return solve(Eigen::MatrixXd::Identity(equations_, equations_));
}

}  // namespace ulna::dense
