#include <Eigen/QR>

#include "solver.hpp"

namespace ulna::dense {

struct QrFactor {
  static constexpr bool by_columns = true;
  Eigen::HouseholderQR<Eigen::MatrixXd> qr;
  void compute(const MatrixIn& A) { qr.compute(A); }
  template <class B, class X>
  void solve(const B& b, X& x) const {
    x = qr.solve(b);
  }
};

template class Solver<QrFactor>;

Eigen::MatrixXd Qr::thin_Q() const {
  const Eigen::Index k = std::min(equations_, unknowns_);
  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(equations_, k);
  if (k > 0) Q.applyOnTheLeft(factor_->qr.householderQ());
  return Q;
}
Eigen::MatrixXd Qr::full_Q() const {
  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(equations_, equations_);
  if (unknowns_ > 0 && equations_ > 0) Q.applyOnTheLeft(factor_->qr.householderQ());
  return Q;
}
Eigen::MatrixXd Qr::R() const {
  const Eigen::Index k = std::min(equations_, unknowns_);
  if (k == 0) return Eigen::MatrixXd(k, unknowns_);
  return factor_->qr.matrixQR().topRows(k).triangularView<Eigen::Upper>();
}
Eigen::MatrixXd Qr::transposed_Q_times(const MatrixIn& B) const {
  Eigen::MatrixXd C = B;
  if (unknowns_ > 0 && equations_ > 0) C.applyOnTheLeft(factor_->qr.householderQ().adjoint());
  return C;
}

}  // namespace ulna::dense
