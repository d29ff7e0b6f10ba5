// Linear systems: discrete time, Gramians, frequency responses. docs/theory/simulation.md, eq.
// 70-78.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/simulation/linear_analysis.hpp"

namespace ulna {
namespace {

using Matrix = Eigen::MatrixXd;

void require_square(const Matrix& A, const Matrix& B) {
  if (A.rows() != A.cols() || B.rows() != A.rows())
    throw InputError(
        fmt::format("A is {} x {} and B {} x {}", A.rows(), A.cols(), B.rows(), B.cols()),
        "a square A with as many rows as B");
}

void require_outputs(const Matrix& A, const Matrix& C) {
  if (C.cols() != A.rows())
    throw InputError(fmt::format("C has {} columns", C.cols()), fmt::format("{}", A.rows()));
}

void require_shape(const Matrix& M, const char* name, long rows, long columns) {
  if (M.rows() != rows || M.cols() != columns)
    throw InputError(fmt::format("{} is {} x {}", name, M.rows(), M.cols()),
                     fmt::format("{} x {}", rows, columns));
}

/// Singular values of the product of the factors: the square roots of eig(Wc Wo).
Eigen::VectorXd hankel_values(const Matrix& Wc, const Matrix& Wo) {
  if (Wc.rows() == 0) return {};
  Eigen::VectorXd squares = dense::eigenvalues(Wc * Wo).real();
  std::sort(squares.begin(), squares.end(), std::greater<>());
  return squares.cwiseMax(0.0).cwiseSqrt();
}

Matrix symmetric(const Matrix& M) { return 0.5 * (M + M.transpose()); }

/// The largest entry, which is finite where all are.
double largest(const Matrix& M) { return M.size() == 0 ? 0 : M.cwiseAbs().maxCoeff(); }

}  // namespace

DiscreteSystem discretize(const Matrix& A, const Matrix& B, double period) {
  require_square(A, B);
  if (!(period > 0) || !std::isfinite(period))
    throw InputError(fmt::format("the sample time is {} s", period), "a time above 0");
  const long n = A.rows(), m = B.cols();
  Matrix whole = Matrix::Zero(n + m, n + m);
  whole.topLeftCorner(n, n) = A * period;
  whole.topRightCorner(n, m) = B * period;
  const Matrix exponential = dense::exponential(whole);
  return {exponential.topLeftCorner(n, n), exponential.topRightCorner(n, m), period};
}

Gramians gramians(const Matrix& A, const Matrix& B, const Matrix& C) {
  require_square(A, B);
  require_outputs(A, C);
  const double slowest = A.rows() > 0 ? dense::eigenvalues(A).real().maxCoeff() : -1;
  if (!(slowest < 0))
    throw ComputationError(
        fmt::format("the system has no Gramians: a pole is at {:.3g} 1/s", slowest), slowest);
  Gramians g;
  g.controllability = symmetric(dense::lyapunov(A.transpose(), B * B.transpose()));
  g.observability = symmetric(dense::lyapunov(A, C.transpose() * C));
  g.hankel = hankel_values(g.controllability, g.observability);
  return g;
}

Matrix discrete_lyapunov(const Matrix& A, const Matrix& S) {
  Matrix W = S, F = A;
  // W = sum of A^k S A'^k: each round doubles how many terms are summed.
  for (int k = 0; k < 60; ++k) {
    const Matrix more = F * W * F.transpose();
    W += more;
    if (!W.allFinite()) break;
    if (largest(more) <= 1e-16 * largest(W)) return symmetric(W);
    F = (F * F).eval();
  }
  throw ComputationError("the discrete system has no Gramians: it is not stable");
}

Gramians discrete_gramians(const Matrix& A, const Matrix& B, const Matrix& C) {
  require_square(A, B);
  require_outputs(A, C);
  Gramians g;
  g.controllability = discrete_lyapunov(A, B * B.transpose());
  g.observability = discrete_lyapunov(A.transpose(), C.transpose() * C);
  g.hankel = hankel_values(g.controllability, g.observability);
  return g;
}

std::vector<Eigen::MatrixXcd> frequency_response(const Matrix& A, const Matrix& B, const Matrix& C,
                                                 const Matrix& D,
                                                 const std::vector<double>& frequencies,
                                                 double period) {
  require_square(A, B);
  require_outputs(A, C);
  require_shape(D, "D", C.rows(), B.cols());
  if (!(period >= 0) || !std::isfinite(period))
    throw InputError(fmt::format("the sample time is {} s", period),
                     "a time above 0, or 0 for continuous time");
  for (const double w : frequencies)
    if (!std::isfinite(w))
      throw InputError(fmt::format("a frequency is {} rad/s", w), "finite frequencies");
  using Complex = std::complex<double>;
  std::vector<Eigen::MatrixXcd> all;
  for (const double w : frequencies) {
    interruption_point();
    const Complex s = period > 0 ? std::exp(Complex(0, w * period)) : Complex(0, w);
    Eigen::MatrixXcd shifted = -A.cast<Complex>();
    shifted.diagonal().array() += s;
    Eigen::MatrixXcd X(A.rows(), B.cols());
    for (long k = 0; k < B.cols(); ++k)
      X.col(k) = dense::solve_complex(shifted, B.col(k).cast<Complex>());
    all.push_back(C.cast<Complex>() * X + D.cast<Complex>());
  }
  return all;
}

std::vector<double> bode_frequencies(const Matrix& A, int count, double period) {
  if (count < 2) throw InputError(fmt::format("{} frequencies", count), "2 or more");
  double slowest = INFINITY, fastest = 0;
  if (A.rows() > 0)
    for (const std::complex<double>& pole : dense::eigenvalues(A)) {
      const double w = period > 0 ? std::abs(std::log(pole)) / period : std::abs(pole);
      if (!(w > 1e-9) || !std::isfinite(w)) continue;
      slowest = std::min(slowest, w);
      fastest = std::max(fastest, w);
    }
  if (!(fastest > 0)) slowest = fastest = 1;
  double low = slowest / 10, high = fastest * 10;
  if (period > 0) high = std::min(high, M_PI / period);
  low = std::min(low, high / 10);
  std::vector<double> list;
  for (int k = 0; k < count; ++k) list.push_back(low * std::pow(high / low, k / (count - 1.0)));
  return list;
}

Matrix discrete_riccati(const Matrix& A, const Matrix& B, const Matrix& Q, const Matrix& R) {
  require_square(A, B);
  require_shape(Q, "Q", A.rows(), A.rows());
  require_shape(R, "R", B.cols(), B.cols());
  const long n = A.rows();
  const dense::Ldlt weight(R);
  if (!weight.ok() || !weight.positive() || (R.rows() > 0 && !(weight.pivots().minCoeff() > 0)))
    throw InputError("the weight R is not positive definite", "a positive definite R, as B' B");
  if (n == 0) return Matrix::Zero(0, 0);
  // Doubling (Anderson 1978; Chu, Fan and Lin 2005): H goes to P, quadratically.
  const Matrix one = Matrix::Identity(n, n);
  Matrix F = A, G = symmetric(B * weight.solve(B.transpose())), H = symmetric(Q);
  for (int k = 0; k < 100; ++k) {
    const dense::Lu lu(one + G * H);
    const Matrix WF = lu.solve(F), WG = lu.solve(G);
    const Matrix change = F.transpose() * H * WF;
    G = symmetric(G + F * WG * F.transpose());
    H = symmetric(H + change);
    F = (F * WF).eval();
    if (!H.allFinite()) break;
    if (largest(change) <= 1e-15 * largest(H)) return H;
  }
  throw ComputationError(
      "the Riccati equation has no stabilising solution: a mode that does not decay is not reached "
      "by the efforts (or not seen by the measurements)");
}

Regulator discrete_regulator(const Matrix& A, const Matrix& B, const Matrix& Q, const Matrix& R) {
  Regulator regulator;
  regulator.P = discrete_riccati(A, B, Q, R);
  const Matrix PB = regulator.P * B;
  regulator.K = dense::Lu(R + B.transpose() * PB).solve(PB.transpose() * A);
  return regulator;
}

}  // namespace ulna
