#include <Eigen/QR>

#include "solver.hpp"

namespace ulna::dense {

struct QrFactor {
  Eigen::HouseholderQR<Eigen::MatrixXd> qr;
  void compute(const MatrixIn& A) { qr.compute(A); }
  template <class B, class X>
  void solve(const B& b, X& x) const {
    x = qr.solve(b);
  }
};

struct PivotedQrFactor {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  void compute(const MatrixIn& A) { qr.compute(A); }
  template <class B, class X>
  void solve(const B& b, X& x) const {
    x = qr.solve(b);
  }
};

template class Solver<QrFactor>;
template class Solver<PivotedQrFactor>;

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

PivotedQr::PivotedQr(const MatrixIn& A, double threshold) {
  set_threshold(threshold);
  compute(A);
}
void PivotedQr::set_threshold(double threshold) { factor_->qr.setThreshold(threshold); }
int PivotedQr::rank() const {
  return equations_ * unknowns_ == 0 ? 0 : static_cast<int>(factor_->qr.rank());
}
std::vector<int> PivotedQr::column_order() const {
  std::vector<int> order(static_cast<std::size_t>(unknowns_));
  for (int k = 0; k < unknowns_; ++k)
    order[k] = equations_ == 0 ? k : factor_->qr.colsPermutation().indices()(k);
  return order;
}
Eigen::VectorXd PivotedQr::pivots() const {
  if (equations_ * unknowns_ == 0) return {};
  return factor_->qr.matrixQR().diagonal().cwiseAbs();
}
Eigen::MatrixXd PivotedQr::R() const {
  const Eigen::Index k = std::min(equations_, unknowns_);
  if (k == 0) return Eigen::MatrixXd(k, unknowns_);
  return factor_->qr.matrixQR().topRows(k).triangularView<Eigen::Upper>();
}
Eigen::MatrixXd PivotedQr::full_Q() const {
  if (equations_ * unknowns_ == 0) return Eigen::MatrixXd::Identity(equations_, equations_);
  return factor_->qr.householderQ();
}

}  // namespace ulna::dense
