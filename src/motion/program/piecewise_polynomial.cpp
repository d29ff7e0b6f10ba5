#include "ulna/motion/parts/piecewise_polynomial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {

void check_times(const std::vector<double>& times, std::size_t least) {
  if (times.size() < least)
    throw InputError(fmt::format("{} times", times.size()), fmt::format("at least {}", least));
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!std::isfinite(times[k]))
      throw InputError(fmt::format("time {} is {}", k + 1, times[k]), "a finite number");
    if (k > 0 && !(times[k] > times[k - 1]))
      throw InputError(fmt::format("time {} is {} after {}", k + 1, times[k], times[k - 1]),
                       "ascending times");
  }
}

PiecewisePolynomial::PiecewisePolynomial(std::vector<double> times, Eigen::MatrixXd coefficients)
    : times_(std::move(times)), coefficients_(std::move(coefficients)) {
  check_times(times_, 2);
  if (coefficients_.cols() + 1 != std::ssize(times_) || coefficients_.rows() < 1)
    throw InputError(fmt::format("{} pieces between {} times", coefficients_.cols(), times_.size()),
                     "one piece between two times");
  if (!coefficients_.allFinite())
    throw InputError("a piece of the motion has coefficients that are not finite",
                     "finite numbers");
  breakpoints_ = find_breakpoints();
}

MotionValue PiecewisePolynomial::piece(Eigen::Index k, double t) const {
  const double x = t - times_[static_cast<std::size_t>(k)];
  double y = 0, d = 0, dd = 0, ddd = 0;  // the derivatives over 1, 1, 2 and 6 (Horner)
  for (Eigen::Index i = coefficients_.rows() - 1; i >= 0; --i) {
    ddd = ddd * x + dd;
    dd = dd * x + d;
    d = d * x + y;
    y = y * x + coefficients_(i, k);
  }
  return {y, d, 2 * dd, 6 * ddd};
}

MotionValue PiecewisePolynomial::at(double t) const {
  const Eigen::Index last = coefficients_.cols() - 1;
  if (!(t >= times_.front())) return {std::isnan(t) ? t : coefficients_(0, 0), 0, 0, 0};
  if (t > times_.back()) return {piece(last, times_.back()).value, 0, 0, 0};
  const auto later = std::upper_bound(times_.begin(), times_.end(), t);
  return piece(std::min<Eigen::Index>(later - times_.begin() - 1, last), t);
}

std::vector<double> PiecewisePolynomial::find_breakpoints() const {
  // Jumps are seen against the largest value of the two pieces and what the step h makes of it.
  std::vector<double> found{times_.front()};
  for (Eigen::Index k = 1; k < coefficients_.cols(); ++k) {
    if (k % 4096 == 0) interruption_point();
    const std::size_t i = static_cast<std::size_t>(k);
    const MotionValue a = piece(k - 1, times_[i]), b = piece(k, times_[i]);
    const double h = std::min(times_[i] - times_[i - 1], times_[i + 1] - times_[i]);
    const MotionValue e = piece(k - 1, times_[i - 1]), f = piece(k, times_[i + 1]);
    const auto size = [](double p, double q, double r) {
      return std::max({std::abs(p), std::abs(q), std::abs(r)});
    };
    const double rise = size(a.value - e.value, f.value - b.value, 0);
    const double rates = size(a.rate, e.rate, f.rate) + rise / h;
    const double accelerations = size(a.acceleration, e.acceleration, f.acceleration) + rates / h;
    constexpr double rounding = 1e-10;
    if (std::abs(a.value - b.value) > rounding * (rise + std::abs(a.value)) ||
        std::abs(a.rate - b.rate) > rounding * rates ||
        std::abs(a.acceleration - b.acceleration) > rounding * accelerations)
      found.push_back(times_[i]);
  }
  found.push_back(times_.back());
  return found;
}

Eigen::Vector4d cubic_hermite(const MotionValue& begin, const MotionValue& end, double h) {
  const double slope = (end.value - begin.value) / h;
  return {begin.value, begin.rate, (3 * slope - 2 * begin.rate - end.rate) / h,
          (begin.rate + end.rate - 2 * slope) / (h * h)};
}

Eigen::Matrix<double, 6, 1> quintic_hermite(const MotionValue& begin, const MotionValue& end,
                                            double h) {
  // What the parabola from the beginning leaves for the cubic, quartic and quintic terms.
  const double half = begin.acceleration / 2;
  const double p = (end.value - begin.value) - h * (begin.rate + h * half);
  const double v = h * (end.rate - begin.rate - 2 * h * half);
  const double a = h * h * (end.acceleration - begin.acceleration);
  const double h3 = h * h * h;
  Eigen::Matrix<double, 6, 1> c;
  c << begin.value, begin.rate, half, (10 * p - 4 * v + a / 2) / h3,
      (-15 * p + 7 * v - a) / (h3 * h), (6 * p - 3 * v + a / 2) / (h3 * h * h);
  return c;
}

}  // namespace ulna
