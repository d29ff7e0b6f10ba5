#include "ulna/simulation/state_feedback.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <random>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

using Matrix = Eigen::MatrixXd;

void check_sizes(const Matrix& A, const Matrix& B) {
  if (A.rows() != A.cols() || B.rows() != A.rows())
    throw InputError(
        fmt::format("A is {} x {} and B {} x {}", A.rows(), A.cols(), B.rows(), B.cols()),
        "a square A with as many rows as B");
}

/// The cost must not fall by being far from the state, or there may be no least one.
void require_no_negative_weight(const Matrix& Q, long n) {
  if (Q.rows() != n || Q.cols() != n)
    throw InputError(fmt::format("the weight Q of the state is {} x {}", Q.rows(), Q.cols()),
                     fmt::format("{} x {}", n, n));
  const Eigen::VectorXd weights = dense::eigen_symmetric(0.5 * (Q + Q.transpose())).values;
  const double least = weights.minCoeff(), largest = weights.cwiseAbs().maxCoeff();
  if (least < -1e-12 * largest)
    throw InputError(
        fmt::format("the weight Q of the state has the negative eigenvalue {:.6g}", least),
        "weights of coordinates and speeds that are zero or more");
}

/// A pole can be an eigenvalue with independent eigenvectors only as often as there are independent
/// columns of B.
void require_repetitions_within_rank(const Matrix& B, const Eigen::VectorXcd& poles) {
  const Eigen::VectorXd sizes = dense::singular_values(B);
  const long rank = (sizes.array() > 1e-12 * sizes(0)).count();
  if (rank == 0) return;  // no pole can be moved
  const double same = 1e-9 * std::max(poles.cwiseAbs().maxCoeff(), 1e-300);
  for (const std::complex<double>& pole : poles) {
    long times = 0;
    for (const std::complex<double>& other : poles) times += std::abs(other - pole) <= same;
    if (times <= rank) continue;
    throw InputError(
        fmt::format("the pole {:.6g}{} is given {} times", pole.real(),
                    pole.imag() != 0 ? fmt::format("{:+.6g}i", pole.imag()) : "", times),
        fmt::format("at most {}, as many as there are independent efforts", rank),
        "move repeated poles apart by a hundredth of their size");
  }
}

/// sign(H) by Newton's iteration with scaling by the determinant (eq. 35).
Matrix matrix_sign(Matrix Z) {
  const double n = static_cast<double>(Z.rows());
  for (int k = 0; k < 100; ++k) {
    const dense::Lu lu(Z);
    const Matrix inverse = lu.inverse();
    if (!inverse.allFinite()) break;
    double log_determinant = 0;
    for (const double pivot : lu.pivots()) log_determinant += std::log(std::abs(pivot));
    const double c = std::exp(-log_determinant / n);
    const Matrix next = 0.5 * (c * Z + inverse / c);
    const double change = (next - Z).norm();
    Z = next;
    if (change < 1e-13 * n * Z.norm()) return Z;
    if (k > 60 && change < 1e-10 * Z.norm()) return Z;
  }
  throw ComputationError(
      "the Riccati equation has no stabilising solution: the system has poles on the imaginary "
      "axis "
      "that the efforts or the weights do not reach");
}

}  // namespace

Regulator linear_quadratic_regulator(const Matrix& A, const Matrix& B, const Matrix& Q,
                                     const Matrix& R) {
  check_sizes(A, B);
  const long n = A.rows();
  if (n == 0) return {Matrix::Zero(B.cols(), 0), Matrix::Zero(0, 0)};  // nothing moves
  if (B.cols() == 0) throw InputError("a system without efforts", "at least one effort");
  if (R.rows() != B.cols() || R.cols() != B.cols())
    throw InputError(fmt::format("the weight R of the efforts is {} x {}", R.rows(), R.cols()),
                     fmt::format("{} x {}", B.cols(), B.cols()));
  const dense::Ldlt weight(R);
  if (!weight.ok() || !weight.positive() || !(weight.pivots().minCoeff() > 0))
    throw InputError("the weight R of the efforts is not positive definite",
                     "a positive weight for every effort");
  require_no_negative_weight(Q, n);
  const Matrix BRB = B * weight.solve(B.transpose());
  Matrix H(2 * n, 2 * n);
  H << A, -BRB, -Q, -A.transpose();
  const Matrix W = matrix_sign(H);
  // The stable subspace is the null space of sign(H) + 1.
  Matrix left(2 * n, n), right(2 * n, n);
  left << W.topRightCorner(n, n), W.bottomRightCorner(n, n) + Matrix::Identity(n, n);
  right << W.topLeftCorner(n, n) + Matrix::Identity(n, n), W.bottomLeftCorner(n, n);
  Regulator regulator;
  regulator.P = dense::PivotedQr(left).solve(-right);
  regulator.P = (0.5 * (regulator.P + regulator.P.transpose())).eval();
  regulator.K = weight.solve(B.transpose() * regulator.P);
  // One step of Newton removes the rounding of the iteration (eq. 36).
  const Matrix closed = A - B * regulator.K;
  regulator.P = dense::lyapunov(closed, Q + regulator.K.transpose() * R * regulator.K);
  regulator.P = (0.5 * (regulator.P + regulator.P.transpose())).eval();
  regulator.K = weight.solve(B.transpose() * regulator.P);
  const Eigen::VectorXcd left_over = dense::eigenvalues(A - B * regulator.K);
  const double slowest = left_over.real().maxCoeff();
  if (!(slowest < 0))
    throw ComputationError(
        fmt::format("no gains stabilise the system: a pole stays at {:.3g} 1/s", slowest), slowest);
  return regulator;
}

Matrix place_poles(const Matrix& A, const Matrix& B, const Eigen::VectorXcd& poles) {
  check_sizes(A, B);
  const long n = A.rows(), m = B.cols();
  if (poles.size() != n)
    throw InputError(fmt::format("{} poles", poles.size()), fmt::format("{}", n));
  if (n == 0) return Matrix::Zero(m, 0);
  if (m == 0) throw InputError("a system without efforts", "at least one effort");
  require_repetitions_within_rank(B, poles);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  const auto random = [&](long rows, long columns) {
    Matrix M(rows, columns);
    for (double& x : M.reshaped()) x = normal(generator);
    return M;
  };
  Matrix best;
  double best_condition = 0;  // reciprocal
  for (int attempt = 0; attempt < 30; ++attempt) {
    // A random feedback first, so that no wanted pole is one already.
    const Matrix K0 = A.norm() / std::max(B.norm(), 1e-300) * random(m, n) * 0.1;
    const Matrix F = A - B * K0;
    Matrix X(n, n), G(m, n);
    for (long i = 0; i < n; ++i) {
      const std::complex<double> p = poles(i);
      const Eigen::VectorXcd g = random(m, 1).cast<std::complex<double>>() +
                                 (p.imag() != 0 ? std::complex<double>(0, 1) : 0.0) *
                                     random(m, 1).cast<std::complex<double>>();
      Eigen::MatrixXcd shifted = F.cast<std::complex<double>>();
      shifted.diagonal().array() -= p;
      Eigen::VectorXcd Bg(n);
      Bg.real() = B * g.real(), Bg.imag() = B * g.imag();
      const Eigen::VectorXcd x = dense::solve_complex(shifted, Bg);
      const double size = x.norm();
      if (p.imag() == 0) {
        X.col(i) = x.real() / size, G.col(i) = g.real() / size;
        continue;
      }
      if (i + 1 >= n || std::abs(poles(i + 1) - std::conj(p)) > 1e-9 * std::abs(p))
        throw InputError(
            fmt::format("the pole {:.6g}{:+.6g}i stands without its conjugate", p.real(), p.imag()),
            "complex poles in pairs, one after the other");
      X.col(i) = x.real() / size, X.col(i + 1) = x.imag() / size;
      G.col(i) = g.real() / size, G.col(i + 1) = g.imag() / size;
      ++i;
    }
    const Eigen::VectorXd sizes = dense::singular_values(X);
    const double condition = sizes(n - 1) / sizes(0);
    if (!(condition > best_condition)) continue;
    best_condition = condition;
    best = K0 + G * dense::Lu(X).inverse();
  }
  if (!(best_condition > 1e-12))
    throw ComputationError("the poles cannot be placed: some mode is not reached by the efforts",
                           best_condition);
  return best;
}

}  // namespace ulna
