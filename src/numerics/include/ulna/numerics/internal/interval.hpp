#pragma once
// Interval arithmetic with outward rounding, real and complex (rectangles), for proofs that a root
// exists: a result always contains the exact result for every choice of numbers in its operands.
// Each bound is moved to the next representable number, so that rounding of any mode is covered.

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace ulna {

inline double next_down(double x) {
  return std::nextafter(x, -std::numeric_limits<double>::infinity());
}
inline double next_up(double x) {
  return std::nextafter(x, std::numeric_limits<double>::infinity());
}

struct Interval {
  double lower = 0, upper = 0;
  Interval() = default;
  Interval(double x) : lower(x), upper(x) {}  // NOLINT: numbers are intervals
  Interval(double from, double to) : lower(from), upper(to) {}

  bool contains_zero() const { return !(lower > 0) && !(upper < 0); }
  double magnitude() const { return std::max(std::abs(lower), std::abs(upper)); }
  /// Whether it lies within the open interior of another one. False for numbers that are not.
  bool inside(const Interval& other) const { return lower > other.lower && upper < other.upper; }
};

inline Interval operator-(const Interval& a) { return {-a.upper, -a.lower}; }
inline Interval operator+(const Interval& a, const Interval& b) {
  return {next_down(a.lower + b.lower), next_up(a.upper + b.upper)};
}
inline Interval operator-(const Interval& a, const Interval& b) {
  return {next_down(a.lower - b.upper), next_up(a.upper - b.lower)};
}
inline Interval operator*(const Interval& a, const Interval& b) {
  const double p = a.lower * b.lower, q = a.lower * b.upper, r = a.upper * b.lower,
               s = a.upper * b.upper;
  return {next_down(std::min({p, q, r, s})), next_up(std::max({p, q, r, s}))};
}

struct ComplexInterval {
  Interval re, im;
  ComplexInterval() = default;
  ComplexInterval(const Interval& real) : re(real) {}  // NOLINT: reals are complex
  ComplexInterval(double real) : re(real) {}           // NOLINT
  ComplexInterval(const std::complex<double>& z) : re(z.real()), im(z.imag()) {}  // NOLINT
  ComplexInterval(const Interval& real, const Interval& imaginary) : re(real), im(imaginary) {}

  bool contains_zero() const { return re.contains_zero() && im.contains_zero(); }
  bool inside(const ComplexInterval& other) const {
    return re.inside(other.re) && im.inside(other.im);
  }
  /// The square of this size around a point.
  static ComplexInterval around(const std::complex<double>& z, double radius) {
    return {{next_down(z.real() - radius), next_up(z.real() + radius)},
            {next_down(z.imag() - radius), next_up(z.imag() + radius)}};
  }
};

inline ComplexInterval operator+(const ComplexInterval& a, const ComplexInterval& b) {
  return {a.re + b.re, a.im + b.im};
}
inline ComplexInterval operator-(const ComplexInterval& a, const ComplexInterval& b) {
  return {a.re - b.re, a.im - b.im};
}
inline ComplexInterval operator*(const ComplexInterval& a, const ComplexInterval& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

}  // namespace ulna
