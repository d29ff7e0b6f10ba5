#include "vibration.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

double signed_root(double x) { return x < 0 ? -std::sqrt(-x) : std::sqrt(x); }

/// Eigenvalues of K x = s M x, rising. M and K need not be symmetric at truncated levels.
void undamped(const Eigen::MatrixXd& M, const Eigen::MatrixXd& K, Eigen::VectorXd& squares,
              Eigen::MatrixXd& shapes) {
  const Eigen::LLT<Eigen::MatrixXd> factor(0.5 * (M + M.transpose()));
  const bool symmetric = (M - M.transpose()).norm() <= 1e-10 * M.norm() &&
                         (K - K.transpose()).norm() <= 1e-6 * K.norm() &&
                         factor.info() == Eigen::Success;
  if (symmetric) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
        0.5 * (K + K.transpose()), 0.5 * (M + M.transpose()));
    squares = eigen.eigenvalues();
    shapes = eigen.eigenvectors();
    return;
  }
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(M.partialPivLu().solve(K));
  std::vector<int> order(static_cast<std::size_t>(M.rows()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    return eigen.eigenvalues()(i).real() < eigen.eigenvalues()(j).real();
  });
  squares.resize(M.rows());
  shapes.resize(M.rows(), M.rows());
  for (long i = 0; i < M.rows(); ++i) {
    squares(i) = eigen.eigenvalues()(order[i]).real();
    shapes.col(i) = eigen.eigenvectors().col(order[i]).real();
  }
}

}  // namespace

void solve_frequencies(ElasticModes& out) {
  Eigen::VectorXd squares;
  undamped(out.M, out.K, squares, out.shapes);
  out.frequencies = squares.unaryExpr(&signed_root);
  for (auto shape : out.shapes.colwise()) {
    Eigen::Index at;
    shape.cwiseAbs().maxCoeff(&at);
    shape /= shape(at);
  }
}

void solve_vibration(ElasticModes& out) {
  solve_frequencies(out);
  const long n = out.M.rows();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  const Eigen::PartialPivLU<Eigen::MatrixXd> factor(out.M);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -factor.solve(out.K);
  A.bottomRightCorner(n, n) = -factor.solve(out.C);
  out.poles = Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
  std::sort(out.poles.begin(), out.poles.end(), [](const auto& x, const auto& y) {
    return x.imag() != y.imag() ? x.imag() < y.imag() : x.real() < y.real();
  });
}

}  // namespace ulna
