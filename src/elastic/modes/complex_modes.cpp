#include "ulna/elastic/complex_modes.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/elastic/natural_modes.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

double size_of_matrix(const Eigen::MatrixXd& A) {
  return A.size() ? A.cwiseAbs().rowwise().sum().maxCoeff() : 0;
}

// With lambda = s + 1/mu the problem (M + mu C' + mu^2 K') x = 0 of the shifted C' = C + 2 s M and
// K' = K + s C + s^2 M needs no inverse of M (eq. 23).
struct Shifted {
  Eigen::MatrixXd C, K;
  double s;
};

Shifted shifted(const Eigen::MatrixXd& M, const Eigen::MatrixXd& C, const Eigen::MatrixXd& K) {
  if (dense::Lu(K).rcond() > 1e-13) return {C, K, 0};
  const double s = 1e-2 * std::sqrt(size_of_matrix(K) / std::max(size_of_matrix(M), 1e-300));
  return {C + 2 * s * M, K + s * C + s * s * M, s};
}

struct Candidate {
  std::complex<double> lambda;
  int column;
};

}  // namespace

ComplexModes complex_modes(const Eigen::MatrixXd& M, const Eigen::MatrixXd& C,
                           const Eigen::MatrixXd& K, int count) {
  const int n = static_cast<int>(K.rows());
  const Shifted p = shifted(M, C, K);
  const dense::Lu lu(p.K);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  // Balanced by a frequency scale w, so that both halves of the state are of one size.
  const double w = std::sqrt(size_of_matrix(K) / std::max(size_of_matrix(M), 1e-300));
  A.topLeftCorner(n, n) = -lu.solve(p.C);
  A.topRightCorner(n, n) = -lu.solve(M) * w;
  A.bottomLeftCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) /= w;
  const dense::GeneralEigen eigen = dense::eigen(A);
  if (!eigen.ok) throw ComputationError("the eigenvalues of the damped system were not found");
  const Eigen::VectorXcd& mu = eigen.values;
  const double largest = mu.cwiseAbs().maxCoeff();
  std::vector<Candidate> found;
  for (int k = 0; k < 2 * n; ++k) {
    if (std::abs(mu(k)) < 1e-14 * largest) continue;  // massless: no motion of its own
    const std::complex<double> lambda = p.s + 1.0 / mu(k);
    if (lambda.imag() < -1e-12 * std::abs(lambda)) continue;  // its conjugate is kept
    found.push_back({lambda, k});
  }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    return std::abs(a.lambda) < std::abs(b.lambda);
  });
  if (count > 0 && static_cast<int>(found.size()) > count) found.resize(count);

  ComplexModes modes;
  const int m = static_cast<int>(found.size());
  modes.lambda.resize(m);
  modes.shapes.resize(n, m);
  modes.omega.resize(m);
  modes.damped_omega.resize(m);
  modes.damping_ratio.resize(m);
  modes.residual.resize(m);
  for (int k = 0; k < m; ++k) {
    const std::complex<double> l = found[k].lambda;
    Eigen::VectorXcd x = eigen.vectors.col(found[k].column).tail(n);
    Eigen::Index at = 0;
    x.cwiseAbs().maxCoeff(&at);
    x /= x(at);
    const Eigen::VectorXcd r = l * l * (M * x) + l * (C * x) + K * x;
    const double a = std::abs(l);
    modes.lambda(k) = l;
    modes.shapes.col(k) = x;
    modes.omega(k) = a;
    modes.damped_omega(k) = l.imag();
    modes.damping_ratio(k) = a > 0 ? -l.real() / a : 0;
    modes.residual(k) =
        r.norm() /
        ((a * a * size_of_matrix(M) + a * size_of_matrix(C) + size_of_matrix(K)) * x.norm());
  }
  return modes;
}

ComplexModes complex_modes(const SystemMatrices& system, int count, int projection_size) {
  check(system);
  const int n = system.size();
  const SparseMatrix C = system.damped() ? system.C : SparseMatrix(n, n);
  if (n <= projection_size)
    return complex_modes(Eigen::MatrixXd(system.M), Eigen::MatrixXd(C), Eigen::MatrixXd(system.K),
                         count);
  EigenOptions options;
  options.count = std::min(n, std::max(4 * count, 40));
  const NaturalModes undamped = natural_modes(system, options);
  const Eigen::MatrixXd& P = undamped.shapes;
  const int m = undamped.count();
  ComplexModes modes = complex_modes(Eigen::MatrixXd::Identity(m, m), P.transpose() * (C * P),
                                     undamped.omega.cwiseAbs2().asDiagonal(), count);
  modes.shapes = P * modes.shapes;
  return modes;
}

SparseMatrix rayleigh_damping(const SystemMatrices& system, double a, double b) {
  return a * system.M + b * system.K;
}

std::pair<double, double> rayleigh_coefficients(double w1, double z1, double w2, double z2) {
  if (!(w1 > 0) || !(w2 > w1))
    throw InputError("two different frequencies are needed for Rayleigh damping");
  // zeta = a/(2 w) + b w/2 at both.
  const double b = 2 * (z2 * w2 - z1 * w1) / (w2 * w2 - w1 * w1);
  return {2 * z1 * w1 - b * w1 * w1, b};
}

Eigen::MatrixXd modal_damping(const SystemMatrices& system, const Eigen::VectorXd& omega,
                              const Eigen::MatrixXd& shapes, const Eigen::VectorXd& zeta) {
  const Eigen::MatrixXd MP = system.M * shapes;
  return MP * (2 * zeta.cwiseProduct(omega)).asDiagonal() * MP.transpose();
}

}  // namespace ulna::elastic
