#include "platform/pose_certificate.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/numerics/dense.hpp"

namespace ulna {

PoseCertifier::PoseCertifier(const LineQuadrics& quadrics, const std::vector<double>& lengths)
    : quadrics_(quadrics) {
  const std::vector<int>& places = quadrics.places();
  for (int k = 0; k < quadrics.equations(); ++k) {
    auto& Q = Q_.emplace_back();
    if (k >= quadrics.lines()) {
      for (int i = 0; i < quadrics.unknowns(); ++i)
        for (int j = 0; j < quadrics.unknowns(); ++j) Q[i][j] = quadrics.Q(k)(i, j);
      continue;
    }
    const ScaledLine& line = quadrics.scaled_lines()[static_cast<std::size_t>(k)];
    const auto all = line_quadric<Interval>(line);
    for (int i = 0; i < quadrics.unknowns(); ++i)
      for (int j = 0; j < quadrics.unknowns(); ++j) Q[i][j] = all[places[i]][places[j]];
    const Interval length(lengths[static_cast<std::size_t>(k)] / quadrics.scale());
    Interval s = line.plane ? -length : -(length * length);
    for (int i = 0; i < 3 && !line.plane; ++i)
      s = s + Interval(line.a(i)) * Interval(line.a(i)) + Interval(line.b(i)) * Interval(line.b(i));
    for (int i = 0; i < quadrics.turning(); ++i) Q[i][i] = Q[i][i] + s;
  }
}

ComplexInterval PoseCertifier::slope(int equation, int unknown,
                                     const std::vector<ComplexInterval>& x) const {
  ComplexInterval sum;
  for (int j = 0; j < quadrics_.unknowns(); ++j)
    sum = sum + ComplexInterval(Q_[static_cast<std::size_t>(equation)][unknown][j]) * x[j];
  return sum + sum;
}

ComplexInterval PoseCertifier::value(int equation, const std::vector<ComplexInterval>& x) const {
  ComplexInterval sum;
  for (int i = 0; i < quadrics_.unknowns(); ++i)
    sum = sum + slope(equation, i, x) * x[static_cast<std::size_t>(i)];
  return ComplexInterval(0.5) * sum;
}

std::optional<SolutionBox> PoseCertifier::certify(const ComplexVector& x) const {
  Eigen::Index chart = 0;
  x.cwiseAbs().maxCoeff(&chart);
  ComplexVector y = x / x(chart);
  y(chart) = 1;
  constexpr double nearly_real = 1e-7;
  if (y.imag().norm() < nearly_real) {
    ComplexVector real = y.real().cast<Complex>();
    if (auto box = proven(real, static_cast<int>(chart), true)) return box;
  }
  return proven(y, static_cast<int>(chart), false);
}

std::optional<SolutionBox> PoseCertifier::proven(const ComplexVector& y, int chart,
                                                 bool real) const {
  const int n = quadrics_.equations();
  std::vector<int> free;
  for (int k = 0; k <= n; ++k)
    if (k != chart) free.push_back(k);
  std::vector<ComplexInterval> at(y.begin(), y.end());
  Eigen::MatrixXcd A(n, n), Y(n, n);
  std::vector<ComplexInterval> F;
  for (int i = 0; i < n; ++i) {
    F.push_back(value(i, at));
    for (int j = 0; j < n; ++j) {
      const ComplexInterval d = slope(i, free[j], at);
      A(i, j) = {0.5 * (d.re.lower + d.re.upper), 0.5 * (d.im.lower + d.im.upper)};
    }
  }
  for (int j = 0; j < n; ++j) Y.col(j) = dense::solve_complex(A, Eigen::VectorXcd::Unit(n, j));
  if (!Y.allFinite()) return {};
  // Y F(y): the way to the solution, and what it is known to.
  std::vector<ComplexInterval> step;
  double longest = 0;
  for (int i = 0; i < n; ++i) {
    ComplexInterval sum;
    for (int j = 0; j < n; ++j) sum = sum + ComplexInterval(Y(i, j)) * F[j];
    step.push_back(sum);
    longest = std::max({longest, sum.re.magnitude(), sum.im.magnitude()});
  }
  for (double radius = 4 * longest + 1e-15; radius < 1e-3; radius *= 8) {
    SolutionBox box{at, y, chart, radius, real};
    for (int k : free) box.x[k] = ComplexInterval::around(y(k), radius);
    // K = y - Y F(y) + (1 - Y F'(X)) (X - y) must lie inside X.
    bool inside = true;
    std::vector<std::vector<ComplexInterval>> J(n, std::vector<ComplexInterval>(n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) J[i][j] = slope(i, free[j], box.x);
    for (int i = 0; i < n && inside; ++i) {
      ComplexInterval K = ComplexInterval(y(free[i])) - step[i];
      for (int j = 0; j < n; ++j) {
        ComplexInterval left(i == j ? 1.0 : 0.0);
        for (int k = 0; k < n; ++k) left = left - ComplexInterval(Y(i, k)) * J[k][j];
        K = K + left * (box.x[free[j]] - ComplexInterval(y(free[j])));
      }
      inside = K.inside(box.x[free[i]]);
    }
    if (!inside) continue;
    ComplexInterval square;
    for (int k = 0; k < quadrics_.turning(); ++k) square = square + box.x[k] * box.x[k];
    if (square.contains_zero()) return {};
    return box;
  }
  return {};
}

bool PoseCertifier::distinct(const SolutionBox& a, const SolutionBox& b) {
  for (std::size_t i = 0; i < a.x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!(a.x[i] * b.x[j] - a.x[j] * b.x[i]).contains_zero()) return true;
  return false;
}

}  // namespace ulna
