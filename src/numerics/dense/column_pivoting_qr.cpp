#include <Eigen/QR>

#include "solver.hpp"

namespace ulna::dense {

struct PivotedQrFactor {
  static constexpr bool by_columns = true;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  void compute(const MatrixIn& A) { qr.compute(A); }
  template <class B, class X>
  void solve(const B& b, X& x) const {
    x = qr.solve(b);
  }
};

template class Solver<PivotedQrFactor>;

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
