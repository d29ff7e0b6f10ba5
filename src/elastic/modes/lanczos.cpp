#include "modes/lanczos.hpp"

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <algorithm>

#include "ulna/elastic/internal/sparse_factor.hpp"

namespace ulna::elastic {
namespace {

// y = (K + s M)^-1 x less its part along known modes. Spectra's stock operator factors by SparseLU,
// ten times slower here.
class ShiftInvert {
 public:
  using Scalar = double;

  ShiftInvert(const SparseFactor& factor, const Eigen::MatrixXd& known,
              const Eigen::MatrixXd& M_known)
      : factor_(factor), known_(known), M_known_(M_known) {}

  Eigen::Index rows() const { return factor_.size(); }
  Eigen::Index cols() const { return factor_.size(); }
  void set_shift(const double&) {}  // factored already
  void perform_op(const double* x, double* y) const {
    Eigen::Map<Eigen::VectorXd> out(y, rows());
    factor_.solve_into(Eigen::Map<const Eigen::VectorXd>(x, rows()), out);
    if (known_.cols() == 0) return;
    // Twice is enough.
    for (int round = 0; round < 2; ++round) out -= known_ * (M_known_.transpose() * out);
  }

 private:
  const SparseFactor& factor_;
  const Eigen::MatrixXd &known_, &M_known_;
};

}  // namespace

struct Lanczos::Data {
  const SparseMatrix& M;
  double shift;
  SparseFactor factor;
  bool positive = false;
};

Lanczos::Lanczos(const SparseMatrix& M, const SparseMatrix& K, double shift)
    : data_(new Data{M, shift, SparseFactor(shift == 0 ? K : SparseMatrix(K + shift * M)), false}) {
  const SparseFactor& factor = data_->factor;
  if (!factor.ok()) return;
  const Eigen::VectorXd k = K.diagonal() + shift * M.diagonal();
  data_->positive = (factor.pivots().array() > 1e-13 * k.array()).all();
}

Lanczos::~Lanczos() = default;
Lanczos::Lanczos(Lanczos&&) noexcept = default;
Lanczos& Lanczos::operator=(Lanczos&&) noexcept = default;

bool Lanczos::positive() const { return data_->positive; }
double Lanczos::shift() const { return data_->shift; }
Eigen::VectorXd Lanczos::solve(const Eigen::VectorXd& x) const { return data_->factor.solve(x); }

LanczosResult Lanczos::modes(int count, const Eigen::MatrixXd& without) const {
  const SparseMatrix& M = data_->M;
  const Eigen::MatrixXd M_known = without.cols() > 0 ? Eigen::MatrixXd(M * without) : without;
  ShiftInvert inverse(data_->factor, without, M_known);
  Spectra::SparseSymMatProd<double> mass(M);
  const auto n = M.rows();
  const auto vectors = std::min<Eigen::Index>(n, std::max<Eigen::Index>(2 * count + 1, 20));
  Spectra::SymGEigsShiftSolver<ShiftInvert, Spectra::SparseSymMatProd<double>,
                               Spectra::GEigsMode::ShiftInvert>
      solver(inverse, mass, count, vectors, -data_->shift);
  solver.init();
  const auto found = solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12);
  return {found >= count, solver.eigenvectors()};
}

int modes_below(const SparseMatrix& M, const SparseMatrix& K, double value) {
  const SparseFactor factor(SparseMatrix(K - value * M));
  if (!factor.ok()) return -1;
  const Eigen::VectorXd pivots = factor.pivots();
  return pivots.allFinite() ? static_cast<int>((pivots.array() < 0).count()) : -1;
}

}  // namespace ulna::elastic
