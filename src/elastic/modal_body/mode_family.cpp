#include "ulna/elastic/parts/mode_family.hpp"

#include <Eigen/LU>
#include <cmath>

#include "frame/hermite.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

/// eq. 1: coefficients of the four exponentials and circular functions.
struct Wave {
  double lambda, length, c1, c2, c3, c4;

  ShapeValue operator()(double x) const {
    const double z = lambda * x / length, b = lambda / length;
    const double up = c1 * std::exp(z - lambda), down = c2 * std::exp(-z), cosine = std::cos(z),
                 sine = std::sin(z);
    return {up + down + c3 * cosine + c4 * sine, b * (up - down - c3 * sine + c4 * cosine),
            b * b * (up + down - c3 * cosine - c4 * sine)};
  }
  /// Third derivative by b^3, with second by b^2, first by b and value: what end conditions need.
  Eigen::Vector4d at_tip() const {
    const double down = c2 * std::exp(-lambda), cosine = std::cos(lambda), sine = std::sin(lambda);
    return {c1 + down + c3 * cosine + c4 * sine, c1 - down - c3 * sine + c4 * cosine,
            c1 + down - c3 * cosine - c4 * sine, c1 - down + c3 * sine - c4 * cosine};
  }
};

/// A clamped root leaves two free coefficients: phi(0) = phi'(0) = 0.
Wave clamped(double lambda, double length, double c1, double c2) {
  const double e = std::exp(-lambda);
  return {lambda, length, c1, c2, -c1 * e - c2, c2 - c1 * e};
}

/// The two conditions at the tip of a wave (eq. 2), scaled to be of order one.
Eigen::Vector2d tip_residuals(ModeFamily family, const TipBody& tip, const Wave& wave) {
  const Eigen::Vector4d w = wave.at_tip();
  if (family == ModeFamily::clamped_clamped) return {w(0), w(1)};
  // EI phi'' = W^2 (m c phi + (J + m c^2) phi'),  EI phi''' = -W^2 m (phi + c phi')
  const double k = wave.lambda, whole = tip.inertia + tip.mass * tip.offset * tip.offset;
  const double moment = w(2) - k * k * tip.mass * tip.offset * w(0) - k * k * k * whole * w(1);
  const double force = w(3) + k * tip.mass * (w(0) + k * tip.offset * w(1));
  return {moment / (1 + k * k * tip.mass * std::abs(tip.offset) + k * k * k * whole),
          force / (1 + k * tip.mass * (1 + k * std::abs(tip.offset)))};
}

Eigen::Matrix2d tip_conditions(ModeFamily family, const TipBody& tip, double lambda) {
  Eigen::Matrix2d m;
  m.col(0) = tip_residuals(family, tip, clamped(lambda, 1, 1, 0));
  m.col(1) = tip_residuals(family, tip, clamped(lambda, 1, 0, 1));
  return m;
}

double refine(const std::function<double(double)>& f, double low, double high) {
  double f_low = f(low);
  for (int k = 0; k < 200 && high - low > 1e-16 * high; ++k) {
    const double middle = 0.5 * (low + high), value = f(middle);
    if (middle == low || middle == high) break;
    if ((value < 0) == (f_low < 0))
      low = middle, f_low = value;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

std::vector<double> clamped_wave_numbers(ModeFamily family, const TipBody& tip, int count) {
  const std::function<double(double)> f = [&](double lambda) {
    return tip_conditions(family, tip, lambda).determinant();
  };
  std::vector<double> roots;
  // Roots lie between those of the clamped-free and the clamped-clamped beam, half a turn apart.
  constexpr double step = 0.01;
  double before = f(0.05);
  for (int k = 6; static_cast<int>(roots.size()) < count && k < 2'000'000; ++k) {
    const double here = f(step * k);
    if ((here < 0) != (before < 0)) roots.push_back(refine(f, step * (k - 1), step * k));
    before = here;
  }
  return roots;
}

Wave clamped_wave(ModeFamily family, const TipBody& tip, double lambda, double length) {
  const Eigen::Matrix2d m = tip_conditions(family, tip, lambda);
  // The null vector, from the row that says more.
  const int row = m.row(0).norm() > m.row(1).norm() ? 0 : 1;
  const Wave wave = clamped(lambda, length, -m(row, 1), m(row, 0));
  const double scale = -1 / wave.c3;
  return {lambda, length, wave.c1 * scale, wave.c2 * scale, wave.c3 * scale, wave.c4 * scale};
}

/// Cubic Hermite shape from values and slopes at equally spaced nodes.
struct HermiteShape {
  double length;
  Eigen::VectorXd nodes;  ///< value, slope at each

  ShapeValue operator()(double x) const {
    const int elements = static_cast<int>(nodes.size()) / 2 - 1;
    const double h = length / elements;
    const int e = std::min(elements - 1, std::max(0, static_cast<int>(x / h)));
    const double s = x / h - e;
    return elastic_detail::hermite(nodes(2 * e), h * nodes(2 * e + 1), nodes(2 * e + 2),
                                   h * nodes(2 * e + 3), s, h);
  }
};

}  // namespace

ModeSet bending_modes(ModeFamily family, double length, int count, TipBody tip) {
  ModeSet set{length, {}};
  if (family == ModeFamily::pinned_pinned) {
    for (int i = 1; i <= count; ++i)
      set.modes.push_back({Wave{i * M_PI, length, 0, 0, 0, std::sqrt(2.0)}, i * M_PI});
    return set;
  }
  if (family != ModeFamily::clamped_tip_body) tip = {};
  for (const double lambda : clamped_wave_numbers(family, tip, count))
    set.modes.push_back({clamped_wave(family, tip, lambda, length), lambda});
  return set;
}

ModeSet sine_modes(ModeFamily family, double length, int count) {
  ModeSet set{length, {}};
  const bool held = family == ModeFamily::pinned_pinned || family == ModeFamily::clamped_clamped;
  const bool line = family == ModeFamily::finite_element;
  if (line && count > 0)
    set.modes.push_back({[length](double x) { return ShapeValue{x / length, 1 / length, 0}; }, 0});
  for (int i = 1; static_cast<int>(set.modes.size()) < count; ++i) {
    const double lambda = held || line ? i * M_PI : (i - 0.5) * M_PI;
    set.modes.push_back({Wave{lambda, length, 0, 0, 0, std::sqrt(2.0)}, lambda});
  }
  return set;
}

ModeSet craig_bampton_modes(double length, const std::vector<double>& stiffness,
                            const std::vector<double>& mass, int count) {
  const int elements = static_cast<int>(stiffness.size()), n = 2 * elements + 2;
  const double h = length / elements;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n), M = K;
  for (int e = 0; e < elements; ++e) {
    Eigen::Matrix4d k, m;
    k << 12, 6 * h, -12, 6 * h, 6 * h, 4 * h * h, -6 * h, 2 * h * h, -12, -6 * h, 12, -6 * h, 6 * h,
        2 * h * h, -6 * h, 4 * h * h;
    m << 156, 22 * h, 54, -13 * h, 22 * h, 4 * h * h, 13 * h, -3 * h * h, 54, 13 * h, 156, -22 * h,
        -13 * h, -3 * h * h, -22 * h, 4 * h * h;
    K.block<4, 4>(2 * e, 2 * e) += stiffness[e] / (h * h * h) * k;
    M.block<4, 4>(2 * e, 2 * e) += mass[e] * h / 420 * m;
  }
  const int inner = n - 4;
  const Eigen::MatrixXd K_ii = K.block(2, 2, inner, inner), K_it = K.block(2, n - 2, inner, 2);
  ModeSet set{length, {}};
  const auto add = [&](const Eigen::VectorXd& inside, double value, double slope) {
    HermiteShape shape{length, Eigen::VectorXd::Zero(n)};
    shape.nodes.segment(2, inner) = inside;
    shape.nodes(n - 2) = value;
    shape.nodes(n - 1) = slope;
    set.modes.push_back({shape, 0});
  };
  const Eigen::MatrixXd followed = -dense::Ldlt(K_ii).solve(K_it);
  if (count == 1) {
    // A tip force leaves the slope free: the slope that needs no moment.
    Eigen::Matrix2d K_tip = K.block<2, 2>(n - 2, n - 2);
    if (inner > 0) K_tip += K_it.transpose() * followed;
    const double slope = -K_tip(1, 0) / K_tip(1, 1);
    add(followed.col(0) + slope * followed.col(1), 1, slope);
    return set;
  }
  if (count > 0) add(followed.col(0), 1, 0);
  if (count > 1) add(followed.col(1) * (1 / length), 0, 1 / length);
  if (count > 2) {
    const dense::SymmetricEigen fixed = dense::eigen_symmetric(K_ii, M.block(2, 2, inner, inner));
    for (int i = 0; i < count - 2 && i < fixed.values.size(); ++i) add(fixed.vectors.col(i), 0, 0);
  }
  return set;
}

}  // namespace ulna
