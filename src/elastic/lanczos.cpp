#include "lanczos.hpp"

#include <Eigen/SparseCholesky>

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/SymGEigsShiftSolver.h>

#include <algorithm>

namespace ulna::elastic {
namespace {

// y = (K + s M)^-1 x. Spectra's stock operator factors by SparseLU, ten times slower here.
class ShiftInvert {
 public:
  using Scalar = double;
  using Factor = Eigen::SimplicialLDLT<SparseMatrix, Eigen::Lower, Eigen::AMDOrdering<int>>;

  ShiftInvert(const SparseMatrix& M, const SparseMatrix& K, double shift) : rows_(K.rows()) {
    if (shift == 0)
      factor_.compute(K);
    else
      factor_.compute(SparseMatrix(K + shift * M));
    const Eigen::VectorXd k = K.diagonal() + shift * M.diagonal();
    const Eigen::VectorXd scaled = factor_.permutationP() * k;
    positive_ = factor_.info() == Eigen::Success;
    if (positive_) positive_ = (factor_.vectorD().array() > 1e-13 * scaled.array()).all();
  }

  bool positive() const { return positive_; }
  Eigen::Index rows() const { return rows_; }
  Eigen::Index cols() const { return rows_; }
  void set_shift(const double&) {}  // factored already
  void perform_op(const double* x, double* y) const {
    Eigen::Map<Eigen::VectorXd>(y, rows_) =
        factor_.solve(Eigen::Map<const Eigen::VectorXd>(x, rows_));
  }

 private:
  Eigen::Index rows_;
  Factor factor_;
  bool positive_ = false;
};

}  // namespace

LanczosResult lanczos_modes(const SparseMatrix& M, const SparseMatrix& K, double shift, int count) {
  LanczosResult result;
  ShiftInvert inverse(M, K, shift);
  result.positive = inverse.positive();
  if (!result.positive) return result;
  Spectra::SparseSymMatProd<double> mass(M);
  const auto n = K.rows();
  const auto vectors = std::min<Eigen::Index>(n, std::max<Eigen::Index>(2 * count + 1, 20));
  Spectra::SymGEigsShiftSolver<ShiftInvert, Spectra::SparseSymMatProd<double>,
                               Spectra::GEigsMode::ShiftInvert>
      solver(inverse, mass, count, vectors, -shift);
  solver.init();
  const auto found = solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12);
  result.converged = found >= count;
  result.shapes = solver.eigenvectors();
  return result;
}

}  // namespace ulna::elastic
