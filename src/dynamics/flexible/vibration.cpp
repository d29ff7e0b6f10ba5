#include "flexible/vibration.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

double signed_root(double x) { return x < 0 ? -std::sqrt(-x) : std::sqrt(x); }

[[noreturn]] void refuse_eigenvalues() {
  throw ComputationError(
      "the eigenvalues of the vibration were not found: an entry of the mass, damping or stiffness "
      "matrix is not finite, or the mass matrix is singular");
}

/// Eigenvalues of K x = s M x, rising. M and K need not be symmetric at truncated levels.
void undamped(const Eigen::MatrixXd& M, const Eigen::MatrixXd& K, Eigen::VectorXd& squares,
              Eigen::MatrixXd& shapes) {
  const bool symmetric = (M - M.transpose()).norm() <= 1e-10 * M.norm() &&
                         (K - K.transpose()).norm() <= 1e-6 * K.norm() &&
                         dense::Cholesky(0.5 * (M + M.transpose())).ok();
  if (symmetric) {
    dense::SymmetricEigen eigen =
        dense::eigen_symmetric(0.5 * (K + K.transpose()), 0.5 * (M + M.transpose()));
    if (!eigen.ok) refuse_eigenvalues();
    squares = std::move(eigen.values);
    shapes = std::move(eigen.vectors);
    return;
  }
  const dense::GeneralEigen eigen = dense::eigen(dense::Lu(M).solve(K));
  if (!eigen.ok) refuse_eigenvalues();
  std::vector<int> order(static_cast<std::size_t>(M.rows()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::sort(order.begin(), order.end(),
            [&](int i, int j) { return eigen.values(i).real() < eigen.values(j).real(); });
  squares.resize(M.rows());
  shapes.resize(M.rows(), M.rows());
  for (long i = 0; i < M.rows(); ++i) {
    squares(i) = eigen.values(order[i]).real();
    shapes.col(i) = eigen.vectors.col(order[i]).real();
  }
}

/// What is lost where two poles meet, as those of a freedom without stiffness do: the root of the
/// rounding of M, C and K, with room for their differences.
constexpr double pole_rounding = 1e-6;

/// Shapes up to a factor: the largest entry becomes 1.
void set_shapes(ElasticModes& out, Eigen::MatrixXcd shapes) {
  for (auto shape : shapes.colwise()) {
    Eigen::Index at;
    shape.cwiseAbs().maxCoeff(&at);
    shape /= std::complex<double>(shape(at));
  }
  out.shapes = shapes.real();
  out.quadrature = shapes.imag();
}

/// Whether C has more than damping: a skew part that a frequency would feel.
bool gyroscopic(const ElasticModes& modes) {
  const double scale = std::sqrt(modes.M.norm() * modes.K.norm()) + modes.C.norm();
  return (modes.C - modes.C.transpose()).norm() > 1e-9 * scale;
}

/// One pole for each mode. Complex ones come in pairs; real ones are paired here, the fastest
/// growing with the fastest decaying, so that +-r of a divergence is one mode.
struct PoleOfMode {
  long at;           ///< whose shape it is
  double frequency;  ///< rad/s
  double growth;
};

std::vector<PoleOfMode> modes_of(const Eigen::VectorXcd& poles) {
  std::vector<PoleOfMode> modes;
  std::vector<long> real;
  for (long k = 0; k < poles.size(); ++k) {
    if (poles(k).imag() > 0) modes.push_back({k, std::abs(poles(k)), poles(k).real()});
    if (poles(k).imag() == 0) real.push_back(k);
  }
  std::sort(real.begin(), real.end(),
            [&](long i, long j) { return poles(i).real() > poles(j).real(); });
  const double noise = pole_rounding * poles.cwiseAbs().maxCoeff();
  for (std::size_t k = 0; 2 * k < real.size(); ++k) {
    const double most = poles(real[k]).real(), least = poles(real[real.size() - 1 - k]).real();
    const double root = std::sqrt(std::max(0.0, most * least));
    modes.push_back({real[k], most > noise ? -most : root, most});
  }
  std::stable_sort(modes.begin(), modes.end(), [](const PoleOfMode& x, const PoleOfMode& y) {
    return x.frequency < y.frequency;
  });
  return modes;
}

void take_poles(ElasticModes& out, const Eigen::VectorXcd& poles, const Eigen::MatrixXcd& vectors) {
  const std::vector<PoleOfMode> modes = modes_of(poles);
  const long n = out.M.rows(), count = std::ssize(modes);
  out.frequencies.resize(count), out.growth.resize(count);
  Eigen::MatrixXcd shapes(n, count);
  for (long k = 0; k < count; ++k) {
    out.frequencies(k) = modes[k].frequency;
    out.growth(k) = modes[k].growth;
    shapes.col(k) = vectors.col(modes[k].at).head(n);
  }
  set_shapes(out, std::move(shapes));
  out.from_poles = true;
}

}  // namespace

void solve_frequencies(ElasticModes& out) {
  Eigen::VectorXd squares;
  Eigen::MatrixXd shapes;
  undamped(out.M, out.K, squares, shapes);
  out.frequencies = squares.unaryExpr(&signed_root);
  set_shapes(out, shapes.cast<std::complex<double>>());
}

void solve_vibration(ElasticModes& out, bool damped) {
  solve_frequencies(out);
  const long n = out.M.rows();
  const dense::Lu factor(out.M);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  // Time in units of the fastest mode: positions and speeds of one size.
  const double fastest = out.frequencies.cwiseAbs().maxCoeff(), unit = fastest > 0 ? fastest : 1;
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -factor.solve(out.K) / (unit * unit);
  A.bottomRightCorner(n, n) = -factor.solve(out.C) / unit;
  const dense::GeneralEigen eigen = dense::eigen(A);
  if (!eigen.ok) refuse_eigenvalues();
  out.poles = unit * eigen.values;
  if (damped || gyroscopic(out)) take_poles(out, out.poles, eigen.vectors);
  std::sort(out.poles.begin(), out.poles.end(), [](const auto& x, const auto& y) {
    return x.imag() != y.imag() ? x.imag() < y.imag() : x.real() < y.real();
  });
}

double growth_rate(const ElasticModes& modes) {
  if (modes.poles.size() == 0) return 0;
  const double most = modes.poles.real().maxCoeff();
  return most > pole_rounding * modes.poles.cwiseAbs().maxCoeff() ? most : 0;
}

Eigen::MatrixXd shape_assurance(const ElasticModes& a, const ElasticModes& b) {
  // Half of both masses: of one size from either side.
  const Eigen::MatrixXd M = 0.25 * (a.M + a.M.transpose() + b.M + b.M.transpose());
  // x^H M x of each shape x = shapes + i quadrature; M is symmetric.
  const auto norm_of = [&M](const ElasticModes& modes) -> Eigen::VectorXd {
    const Eigen::MatrixXd real = M * modes.shapes, imaginary = M * modes.quadrature;
    return (modes.shapes.cwiseProduct(real) + modes.quadrature.cwiseProduct(imaginary))
        .colwise()
        .sum();
  };
  const Eigen::MatrixXd My = M * b.shapes, Mz = M * b.quadrature;
  const Eigen::MatrixXd rr = a.shapes.transpose() * My, ri = a.shapes.transpose() * Mz,
                        ir = a.quadrature.transpose() * My, ii = a.quadrature.transpose() * Mz;
  // |x^H M y|^2 or |x' M y|^2: a whirl whose frequency passes zero comes back as its conjugate.
  const Eigen::MatrixXd mac = ((rr + ii).cwiseAbs2() + (ri - ir).cwiseAbs2())
                                  .cwiseMax((rr - ii).cwiseAbs2() + (ri + ir).cwiseAbs2());
  return norm_of(a).cwiseInverse().asDiagonal() * mac * norm_of(b).cwiseInverse().asDiagonal();
}

}  // namespace ulna
