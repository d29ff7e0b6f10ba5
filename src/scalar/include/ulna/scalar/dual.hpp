// Dual numbers: a value together with its first derivatives along N directions.
//
// Dual<N>(x) is a constant; Dual<N>::variable(x, i) is the i-th independent variable. Any kernel
// run on duals returns exact derivatives next to its values, at about 1 + N times the cost.
// Comparison looks at the value alone. Default construction leaves the number uninitialised, like
// double.
//
// Where a function has a corner, the derivative is that of the branch taken; sqrt at 0 has none
// (infinite or NaN).
#pragma once

#include <Eigen/Core>

#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

template <int N>
struct Dual {
  static_assert(N >= 1);

  double value;
  double d[N];

  Dual() = default;
  [[gnu::always_inline]] inline Dual(double constant) : value(constant) {  // NOLINT: implicit
    for (int i = 0; i < N; ++i) d[i] = 0.0;
  }

  [[gnu::always_inline]] static inline Dual variable(double value, int index) {
    Dual x(value);
    x.d[index] = 1.0;
    return x;
  }

  [[gnu::always_inline]] friend inline Dual operator-(const Dual& x) { return x * -1.0; }
  [[gnu::always_inline]] friend inline Dual operator+(const Dual& x) { return x; }

  [[gnu::always_inline]] friend inline Dual operator+(const Dual& x, const Dual& y) {
    return combine(x.value + y.value, 1.0, x, 1.0, y);
  }
  [[gnu::always_inline]] friend inline Dual operator-(const Dual& x, const Dual& y) {
    return combine(x.value - y.value, 1.0, x, -1.0, y);
  }
  [[gnu::always_inline]] friend inline Dual operator*(const Dual& x, const Dual& y) {
    return combine(x.value * y.value, y.value, x, x.value, y);
  }
  [[gnu::always_inline]] friend inline Dual operator/(const Dual& x, const Dual& y) {
    const double quotient = x.value / y.value, inverse = 1.0 / y.value;
    return combine(quotient, inverse, x, -quotient * inverse, y);
  }

  [[gnu::always_inline]] friend inline Dual operator+(const Dual& x, double y) {
    return chain(x.value + y, 1.0, x);
  }
  [[gnu::always_inline]] friend inline Dual operator+(double x, const Dual& y) { return y + x; }
  [[gnu::always_inline]] friend inline Dual operator-(const Dual& x, double y) {
    return chain(x.value - y, 1.0, x);
  }
  [[gnu::always_inline]] friend inline Dual operator-(double x, const Dual& y) {
    return chain(x - y.value, -1.0, y);
  }
  [[gnu::always_inline]] friend inline Dual operator*(const Dual& x, double y) {
    return chain(x.value * y, y, x);
  }
  [[gnu::always_inline]] friend inline Dual operator*(double x, const Dual& y) { return y * x; }
  [[gnu::always_inline]] friend inline Dual operator/(const Dual& x, double y) {
    return chain(x.value / y, 1.0 / y, x);
  }
  [[gnu::always_inline]] friend inline Dual operator/(double x, const Dual& y) {
    const double quotient = x / y.value;
    return chain(quotient, -quotient / y.value, y);
  }

  [[gnu::always_inline]] inline Dual& operator+=(const Dual& y) { return *this = *this + y; }
  [[gnu::always_inline]] inline Dual& operator-=(const Dual& y) { return *this = *this - y; }
  [[gnu::always_inline]] inline Dual& operator*=(const Dual& y) { return *this = *this * y; }
  [[gnu::always_inline]] inline Dual& operator/=(const Dual& y) { return *this = *this / y; }
  [[gnu::always_inline]] inline Dual& operator+=(double y) { return *this = *this + y; }
  [[gnu::always_inline]] inline Dual& operator-=(double y) { return *this = *this - y; }
  [[gnu::always_inline]] inline Dual& operator*=(double y) { return *this = *this * y; }
  [[gnu::always_inline]] inline Dual& operator/=(double y) { return *this = *this / y; }

  [[gnu::always_inline]] friend inline bool operator==(const Dual& x, const Dual& y) {
    return x.value == y.value;
  }
  [[gnu::always_inline]] friend inline bool operator<(const Dual& x, const Dual& y) {
    return x.value < y.value;
  }
  [[gnu::always_inline]] friend inline bool operator>(const Dual& x, const Dual& y) {
    return x.value > y.value;
  }
  [[gnu::always_inline]] friend inline bool operator<=(const Dual& x, const Dual& y) {
    return x.value <= y.value;
  }
  [[gnu::always_inline]] friend inline bool operator>=(const Dual& x, const Dual& y) {
    return x.value >= y.value;
  }

  [[gnu::always_inline]] friend inline double value_of(const Dual& x) { return x.value; }
  [[gnu::always_inline]] friend inline bool less(const Dual& x, const Dual& y) {
    return x.value < y.value;
  }
  [[gnu::always_inline]] friend inline Dual select(bool condition, const Dual& x, const Dual& y) {
    return condition ? x : y;
  }

  [[gnu::always_inline]] friend inline void sincos(const Dual& x, Dual& s, Dual& c) {
    double sine, cosine;
    sincos(x.value, sine, cosine);
    const Dual angle = x;  // x may be the same object as s
    s = chain(sine, cosine, angle);
    c = chain(cosine, -sine, angle);
  }
  [[gnu::always_inline]] friend inline Dual sqrt(const Dual& x) {
    const double root = __builtin_sqrt(x.value);
    return chain(root, 0.5 / root, x);
  }
  [[gnu::always_inline]] friend inline Dual abs(const Dual& x) { return x.value < 0.0 ? -x : x; }
  [[gnu::always_inline]] friend inline Dual sin(const Dual& x) {
    return chain(__builtin_sin(x.value), __builtin_cos(x.value), x);
  }
  [[gnu::always_inline]] friend inline Dual cos(const Dual& x) {
    return chain(__builtin_cos(x.value), -__builtin_sin(x.value), x);
  }
  [[gnu::always_inline]] friend inline Dual tan(const Dual& x) {
    const double tangent = __builtin_tan(x.value);
    return chain(tangent, 1.0 + tangent * tangent, x);
  }
  [[gnu::always_inline]] friend inline Dual atan2(const Dual& y, const Dual& x) {
    const double inverse = 1.0 / (x.value * x.value + y.value * y.value);
    return combine(__builtin_atan2(y.value, x.value), x.value * inverse, y, -y.value * inverse, x);
  }
  [[gnu::always_inline]] friend inline Dual exp(const Dual& x) {
    const double power = __builtin_exp(x.value);
    return chain(power, power, x);
  }
  [[gnu::always_inline]] friend inline Dual log(const Dual& x) {
    return chain(__builtin_log(x.value), 1.0 / x.value, x);
  }
  [[gnu::always_inline]] friend inline Dual pow(const Dual& x, double exponent) {
    return chain(__builtin_pow(x.value, exponent),
                 exponent * __builtin_pow(x.value, exponent - 1.0), x);
  }

 private:
  // f(x) with the slope f'(x).
  [[gnu::always_inline]] static inline Dual chain(double value, double slope, const Dual& x) {
    Dual f;
    f.value = value;
    for (int i = 0; i < N; ++i) f.d[i] = slope * x.d[i];
    return f;
  }
  // f(x, y) with its two partial derivatives.
  [[gnu::always_inline]] static inline Dual combine(double value, double slope_x, const Dual& x,
                                                    double slope_y, const Dual& y) {
    Dual f;
    f.value = value;
    for (int i = 0; i < N; ++i) f.d[i] = slope_x * x.d[i] + slope_y * y.d[i];
    return f;
  }
};

}  // namespace ulna

namespace Eigen {

template <int N>
struct NumTraits<ulna::Dual<N>> : NumTraits<double> {
  using Real = ulna::Dual<N>;
  using NonInteger = ulna::Dual<N>;
  using Nested = ulna::Dual<N>;
  using Literal = double;
  enum { ReadCost = N + 1, AddCost = N + 1, MulCost = 2 * N + 1, RequireInitialization = 0 };
};

template <int N, class Operation>
struct ScalarBinaryOpTraits<ulna::Dual<N>, double, Operation> {
  using ReturnType = ulna::Dual<N>;
};

template <int N, class Operation>
struct ScalarBinaryOpTraits<double, ulna::Dual<N>, Operation> {
  using ReturnType = ulna::Dual<N>;
};

}  // namespace Eigen
