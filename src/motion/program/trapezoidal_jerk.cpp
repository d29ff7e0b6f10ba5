#include "ulna/motion/trapezoidal_jerk.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

// Three more digits than double: the levels lose up to two to the condition of their equations, and
// the end conditions are to be met to rounding.
using Real = long double;
using Vector3r = Eigen::Matrix<Real, 3, 1>;
using Matrix3r = Eigen::Matrix<Real, 3, 3>;

/// The average of (end - t)^k over [a, b], times its derivative factor: what a ramp of unit height
/// adds, its limit at a = b included. (A^(k+1) - B^(k+1))/(A - B) with A = end - a, B = end - b.
Real ramp_power(Real end, Real a, Real b, int k) {
  const Real A = end - a, B = end - b;
  Real sum = 0;
  for (int i = 0; i <= k; ++i) sum += std::pow(A, Real(k - i)) * std::pow(B, Real(i));
  return sum;
}

/// Row i, column j: what a trapezoid of unit height adds to the acceleration (i = 0), rate (1) and
/// value (2) at the end, times 2, 6 and 24.
Matrix3r level_matrix(const BreakTimes& t) {
  Matrix3r matrix;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const std::size_t k = static_cast<std::size_t>(2 * j);
      matrix(i, j) =
          ramp_power(t[7], t[k], t[k + 1], i + 1) - ramp_power(t[7], t[k + 2], t[k + 3], i + 1);
    }
  return matrix;
}

void check_breaks(const BreakTimes& t) {
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (!std::isfinite(t[k]))
      throw InputError(fmt::format("break time {} is {}", k, t[k]), "a finite number");
    if (k > 0 && t[k] < t[k - 1])
      throw InputError(fmt::format("break time {} is {} after {}", k, t[k], t[k - 1]),
                       "break times in ascending order");
  }
  if (!(t[7] > t[0]))
    throw InputError("all break times are equal", "a time above zero between the first and last");
}

/// The levels A1, A2, A3 of the jerk.
Vector3r levels_of(const MotionValue& begin, const MotionValue& end, const BreakTimes& t) {
  check_breaks(t);
  const Real T = Real(t[7]) - t[0];
  const Real a = begin.acceleration, v = begin.rate;
  // Rows scaled to the same unit, so that the test of rank does not depend on that of time.
  const Vector3r scale{1 / T, 1 / (T * T), 1 / (T * T * T)};
  const Vector3r wanted{2 * (end.acceleration - a), 6 * (end.rate - v - a * T),
                        24 * (Real(end.value) - begin.value - v * T - a * T * T / 2)};
  Eigen::FullPivLU<Matrix3r> solver(scale.asDiagonal() * level_matrix(t));
  solver.setThreshold(Real(1e-10));
  if (!solver.isInvertible())
    throw InputError("these break times do not determine the three levels of the jerk",
                     "three trapezoids, each with a length above zero",
                     "at most three break times in a row may be equal");
  return solver.solve(scale.asDiagonal() * wanted);
}

PiecewisePolynomial motion_of(const MotionValue& begin, const Vector3r& A, const BreakTimes& t) {
  const Real height[8] = {0, A(0), A(0), A(1), A(1), A(2), A(2), 0};
  std::vector<double> times{t[0]};
  Eigen::MatrixXd coefficients(5, 7);
  Eigen::Index pieces = 0;
  Real y = begin.value, v = begin.rate, a = begin.acceleration;
  for (std::size_t k = 0; k < 7; ++k) {
    const Real h = Real(t[k + 1]) - t[k];
    if (h == 0) continue;
    const Real j = height[k], slope = (height[k + 1] - j) / h;
    coefficients.col(pieces++) << double(y), double(v), double(a / 2), double(j / 6),
        double(slope / 24);
    y += h * (v + h * (a / 2 + h * (j / 6 + h * slope / 24)));
    v += h * (a + h * (j / 2 + h * slope / 6));
    a += h * (j + h * slope / 2);
    times.push_back(t[k + 1]);
  }
  return {std::move(times), coefficients.leftCols(pieces)};
}

/// Where c0 + c1 x + c2 x^2 = 0.
std::vector<double> quadratic_zeros(double c0, double c1, double c2) {
  if (c2 == 0) return c1 == 0 ? std::vector<double>{} : std::vector<double>{-c0 / c1};
  const double discriminant = c1 * c1 - 4 * c2 * c0;
  if (discriminant < 0) return {};
  const double q = -(c1 + std::copysign(std::sqrt(discriminant), c1)) / 2;
  return q == 0 ? std::vector<double>{0.0} : std::vector<double>{q / c2, c0 / q};
}

/// A derivative is largest at a break or where the next one is zero.
PeakFactors peaks_of_law(const PiecewisePolynomial& s) {
  PeakFactors peaks{0, 0, 0, 4};
  const auto see = [&](const MotionValue& x) {
    peaks.velocity = std::max(peaks.velocity, std::abs(x.rate));
    peaks.acceleration = std::max(peaks.acceleration, std::abs(x.acceleration));
    peaks.jerk = std::max(peaks.jerk, std::abs(x.jerk));
  };
  for (std::size_t k = 0; k + 1 < s.times().size(); ++k) {
    const double begin = s.times()[k], end = s.times()[k + 1];
    const Eigen::VectorXd c = s.coefficients().col(static_cast<Eigen::Index>(k));
    see(s.at(begin));
    see(s.at(std::nextafter(end, begin)));  // the side of this piece
    std::vector<double> zeros = quadratic_zeros(2 * c(2), 6 * c(3), 12 * c(4));
    for (const double x : quadratic_zeros(6 * c(3), 24 * c(4), 0)) zeros.push_back(x);
    for (const double x : zeros)
      if (x > 0 && begin + x < end) see(s.at(begin + x));
  }
  return peaks;
}

}  // namespace

PiecewisePolynomial trapezoidal_jerk_between(const MotionValue& begin, const MotionValue& end,
                                             const BreakTimes& times) {
  return motion_of(begin, levels_of(begin, end, times), times);
}

BreakTimes TrapezoidalJerk::default_breaks() {
  return {0, 0.125, 0.25, 0.375, 0.625, 0.75, 0.875, 1};
}

TrapezoidalJerk::TrapezoidalJerk(double from, double to, double time, double start,
                                 const BreakTimes& breaks)
    : MotionProgram(from, to, time, start),
      s_(trapezoidal_jerk_between({0, 0, 0, 0}, {1, 0, 0, 0}, breaks)),
      levels_(),
      peaks_(peaks_of_law(s_)) {
  if (breaks.front() != 0 || breaks.back() != 1)
    throw InputError(fmt::format("break times from {} to {}", breaks.front(), breaks.back()),
                     "parts of the time, from 0 to 1");
  const Vector3r A = levels_of({0, 0, 0, 0}, {1, 0, 0, 0}, breaks);
  for (int j = 0; j < 3; ++j) levels_[static_cast<std::size_t>(j)] = static_cast<double>(A(j));
  for (std::size_t k = 0; k < 7; k += 2)
    if (breaks[k] == breaks[k + 1]) peaks_.continuity_class = 3;  // a jump of the jerk
}

}  // namespace ulna
