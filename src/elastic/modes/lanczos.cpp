#include "modes/lanczos.hpp"

#include <Eigen/SparseCholesky>

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <algorithm>

namespace ulna::elastic {
namespace {

using Factor = Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower, Eigen::AMDOrdering<int>>;

// y = (K + s M)^-1 x less its part along known modes. Spectra's stock operator factors by SparseLU,
// ten times slower here.
class ShiftInvert {
 public:
  using Scalar = double;

  ShiftInvert(const Factor& factor, const Eigen::MatrixXd& known, const Eigen::MatrixXd& M_known)
      : factor_(factor), known_(known), M_known_(M_known) {}

  Eigen::Index rows() const { return factor_.rows(); }
  Eigen::Index cols() const { return factor_.rows(); }
  void set_shift(const double&) {}  // factored already
  void perform_op(const double* x, double* y) const {
    Eigen::Map<Eigen::VectorXd> out(y, rows());
    out = factor_.solve(Eigen::Map<const Eigen::VectorXd>(x, rows()));
    if (known_.cols() == 0) return;
    // Twice is enough.
    for (int round = 0; round < 2; ++round) out -= known_ * (M_known_.transpose() * out);
  }

 private:
  const Factor& factor_;
  const Eigen::MatrixXd &known_, &M_known_;
};

}  // namespace

struct Lanczos::Data {
  const SparseMatrix& M;
  double shift;
  Factor factor;
  bool positive = false;
};

Lanczos::Lanczos(const SparseMatrix& M, const SparseMatrix& K, double shift)
    : data_(new Data{M, shift, {}, false}) {
  Factor& factor = data_->factor;
  if (shift == 0)
    factor.compute(K);
  else
    factor.compute(SparseMatrix(K + shift * M));
  if (factor.info() != Eigen::Success) return;
  const Eigen::VectorXd k = K.diagonal() + shift * M.diagonal();
  const Eigen::VectorXd scaled = factor.permutationP() * k;
  data_->positive = (factor.vectorD().array() > 1e-13 * scaled.array()).all();
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
  const Factor factor(SparseMatrix(K - value * M));
  if (factor.info() != Eigen::Success || !factor.vectorD().allFinite()) return -1;
  return static_cast<int>((factor.vectorD().array() < 0).count());
}

}  // namespace ulna::elastic
