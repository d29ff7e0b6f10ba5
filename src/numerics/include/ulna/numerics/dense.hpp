#pragma once
// Decompositions of dense matrices of any size, compiled once. Everything else asks for them here:
// naming one of Eigen's decompositions in a file costs it five to thirty seconds of compiling.
//
//   square systems              Lu, FullLu; Cholesky, Ldlt for symmetric ones
//   least squares               Qr (full column rank), PivotedQr (decides the rank),
//                               LeastNorm (any rank; the smallest of all solutions)
//   singular values             singular_values, svd, reciprocal_condition
//   eigenvalues                 eigen_symmetric (also K x = lambda M x), eigen, eigenvalues
//   functions, equations        exponential, lyapunov
//
// A solver keeps its memory: `compute` with a matrix of the same size does not allocate, nor does
// `solve_in_place` of Lu, Cholesky and Ldlt. `solve` returns a new vector or matrix. Sizes may be
// zero.
//
// Eigen does the work. LAPACK gives other last digits with every BLAS it finds, and is faster only
// for singular values and for eigenvalues of more than 200 unknowns (docs/benchmarks.md).

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "ulna/scalar/parts/alignment.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna::dense {

using MatrixIn = Eigen::Ref<const Eigen::MatrixXd>;
using MatrixOut = Eigen::Ref<Eigen::MatrixXd>;

// Visible, or the solvers made with them would not be.
struct ULNA_API LuFactor;
struct ULNA_API FullLuFactor;
struct ULNA_API CholeskyFactor;
struct ULNA_API LdltFactor;
struct ULNA_API QrFactor;
struct ULNA_API PivotedQrFactor;
struct ULNA_API LeastNormFactor;

/// A decomposition of one kind; the types below are what is used. Movable, not copyable.
template <class Factor>
class ULNA_API Solver {
 public:
  Solver();
  explicit Solver(const MatrixIn& A);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  Solver& compute(const MatrixIn& A);
  /// The dimension of solutions: the columns of A.
  Eigen::Index unknowns() const { return unknowns_; }
  Eigen::Index equations() const { return equations_; }

  /// x with A x = b, a vector or several as columns.
  template <class Derived>
  Eigen::Matrix<double, Eigen::Dynamic, Derived::ColsAtCompileTime> solve(
      const Eigen::MatrixBase<Derived>& b) const {
    Eigen::Matrix<double, Eigen::Dynamic, Derived::ColsAtCompileTime> x(unknowns_, b.cols());
    solve_into(b.derived(), x);
    return x;
  }
  void solve_into(const MatrixIn& b, MatrixOut x) const;

 protected:
  std::unique_ptr<Factor> factor_;
  Eigen::Index equations_ = 0, unknowns_ = 0;
};

/// P A = L U with row pivoting. Does not look for singular matrices; `pivots` show them.
class ULNA_API Lu : public Solver<LuFactor> {
 public:
  using Solver::Solver;
  void solve_in_place(MatrixOut b) const;
  Eigen::MatrixXd solve_transposed(const MatrixIn& b) const;  ///< x with A' x = b
  Eigen::MatrixXd inverse() const;
  double determinant() const;
  double rcond() const;               ///< estimate of the reciprocal condition, 1-norm
  int permutation_sign() const;       ///< 1 or -1
  Eigen::VectorXd pivots() const;     ///< the diagonal of U
  const Eigen::MatrixXd& LU() const;  ///< both factors in one matrix
};

/// The same for complex matrices.
ULNA_API Eigen::VectorXcd solve_complex(const Eigen::Ref<const Eigen::MatrixXcd>& A,
                                        const Eigen::Ref<const Eigen::VectorXcd>& b);

/// P A Q = L U with full pivoting: slow, and sure of the rank.
class ULNA_API FullLu : public Solver<FullLuFactor> {
 public:
  using Solver::Solver;
  Eigen::MatrixXd inverse() const;
  double rcond() const;
  int rank() const;
  int rank(double threshold) const;  ///< pivots up to `threshold` times the largest count as zero
  bool invertible() const;
};

/// A = L L' of a symmetric positive definite matrix.
class ULNA_API Cholesky : public Solver<CholeskyFactor> {
 public:
  using Solver::Solver;
  bool ok() const;  ///< false: a pivot was not positive
  void solve_in_place(MatrixOut b) const;
  Eigen::MatrixXd L() const;
  Eigen::VectorXd pivots() const;              ///< the squares of the diagonal of L
  void solve_L(MatrixOut b) const;             ///< b becomes L^-1 b
  void solve_L_transposed(MatrixOut b) const;  ///< b becomes L^-T b
};

/// P A P' = L D L' of a symmetric semidefinite matrix.
class ULNA_API Ldlt : public Solver<LdltFactor> {
 public:
  using Solver::Solver;
  bool ok() const;
  bool positive() const;           ///< no pivot is negative
  Eigen::VectorXd pivots() const;  ///< D
  /// P v: what belongs to the rows of A, in the order of `pivots`.
  Eigen::VectorXd in_pivot_order(const Eigen::VectorXd& v) const;
  double rcond() const;  ///< estimate of the reciprocal condition, 1-norm
  void solve_in_place(MatrixOut b) const;
};

/// A = Q R without pivoting: for columns that are known to be independent.
class ULNA_API Qr : public Solver<QrFactor> {
 public:
  using Solver::Solver;
  Eigen::MatrixXd thin_Q() const;
  Eigen::MatrixXd full_Q() const;
  Eigen::MatrixXd R() const;  ///< min(rows, columns) x columns, upper triangular
  Eigen::MatrixXd transposed_Q_times(const MatrixIn& B) const;
};

/// A P = Q R with column pivoting. Pivots up to `threshold` times the largest count as zero; by
/// default the threshold is Eigen's, epsilon times the smaller dimension.
class ULNA_API PivotedQr : public Solver<PivotedQrFactor> {
 public:
  using Solver::Solver;
  PivotedQr(const MatrixIn& A, double threshold);
  void set_threshold(double threshold);
  int rank() const;
  std::vector<int> column_order() const;  ///< columns of A, the most independent first
  Eigen::VectorXd pivots() const;         ///< the absolute diagonal of R, descending
  Eigen::MatrixXd R() const;
  Eigen::MatrixXd full_Q() const;
};

/// Complete orthogonal decomposition: least squares of any rank, by the solution of least norm.
class ULNA_API LeastNorm : public Solver<LeastNormFactor> {
 public:
  using Solver::Solver;
  LeastNorm(const MatrixIn& A, double threshold);
  /// Relative to the largest pivot; before `compute`.
  void set_threshold(double threshold);
  int rank() const;
  Eigen::MatrixXd pseudo_inverse() const;
};

extern template class Solver<LuFactor>;
extern template class Solver<FullLuFactor>;
extern template class Solver<CholeskyFactor>;
extern template class Solver<LdltFactor>;
extern template class Solver<QrFactor>;
extern template class Solver<PivotedQrFactor>;
extern template class Solver<LeastNormFactor>;

/// Descending.
ULNA_API Eigen::VectorXd singular_values(const MatrixIn& A);
/// The smallest over the largest singular value; 1 for an empty matrix, 0 for a zero one.
ULNA_API double reciprocal_condition(const MatrixIn& A);

struct Svd {
  Eigen::VectorXd values;  ///< descending
  Eigen::MatrixXd U, V;    ///< A = U values V'

  /// The number of values above `threshold` times the largest.
  ULNA_API int rank(double threshold) const;
  /// Least squares of least norm, with the values that `rank` counts.
  ULNA_API Eigen::VectorXd solve(const Eigen::VectorXd& b, double threshold) const;
};
enum class SvdParts {
  thin,   ///< the first min(rows, columns) columns of U and V
  full,   ///< U and V square
  right,  ///< V square, without U
};
ULNA_API Svd svd(const MatrixIn& A, SvdParts parts);

struct SymmetricEigen {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< columns; orthonormal, or X' B X = 1
  bool ok = false;          ///< false: no convergence, and all values are NaN
};
ULNA_API SymmetricEigen eigen_symmetric(const MatrixIn& A);
/// A x = lambda B x. B must be positive definite, which is not checked: `Cholesky` tells.
ULNA_API SymmetricEigen eigen_symmetric(const MatrixIn& A, const MatrixIn& B);
ULNA_API Eigen::VectorXd eigenvalues_symmetric(const MatrixIn& A);
ULNA_API Eigen::VectorXd eigenvalues_symmetric(const MatrixIn& A, const MatrixIn& B);

struct GeneralEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
  bool ok = false;
};
ULNA_API GeneralEigen eigen(const MatrixIn& A);
ULNA_API Eigen::VectorXcd eigenvalues(const MatrixIn& A);
ULNA_API Eigen::VectorXcd eigenvalues_complex(const Eigen::Ref<const Eigen::MatrixXcd>& A);

/// A = U T U^H with T upper triangular.
struct Schur {
  Eigen::MatrixXcd U, T;
};
ULNA_API Schur complex_schur(const MatrixIn& A);
/// X with F' X + X F = -S; no two eigenvalues of F may add up to zero.
ULNA_API Eigen::MatrixXd lyapunov(const MatrixIn& F, const MatrixIn& S);

ULNA_API double determinant(const MatrixIn& A);

/// e^A, by a Pade approximant with scaling and squaring.
ULNA_API Eigen::MatrixXd exponential(const MatrixIn& A);

/// Small systems of fixed size, without allocation; n = 3 and 6.
template <int n>
class ULNA_API SmallLu {
 public:
  using Vector = Eigen::Matrix<double, n, 1>;
  explicit SmallLu(const Eigen::Matrix<double, n, n>& A);
  Vector solve(const Vector& b) const;
  Vector pivots() const { return LU_.diagonal(); }

 private:
  Eigen::Matrix<double, n, n> LU_;
  Eigen::Matrix<int, n, 1> row_;  ///< where P puts each row
};
extern template class SmallLu<3>;
extern template class SmallLu<6>;
template <int n>
ULNA_API Eigen::Matrix<double, n, 1> solve_lu(const Eigen::Matrix<double, n, n>& A,
                                              const Eigen::Matrix<double, n, 1>& b);
template <int n>
ULNA_API Eigen::Matrix<double, n, 1> solve_ldlt(const Eigen::Matrix<double, n, n>& A,
                                                const Eigen::Matrix<double, n, 1>& b);

}  // namespace ulna::dense
