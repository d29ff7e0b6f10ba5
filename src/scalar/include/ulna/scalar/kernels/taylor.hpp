// A number that moves: its value with its first and second rate. A kernel run on it gives the
// velocity and acceleration of its result, exactly, from those of its arguments. Comparison looks
// at the value alone.
#pragma once

#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

struct Taylor {
  double value = 0, rate = 0, second = 0;

  Taylor() = default;
  Taylor(double constant) : value(constant) {}  // NOLINT: implicit, as for the other scalars
  Taylor(double x, double xd, double xdd) : value(x), rate(xd), second(xdd) {}

  friend Taylor operator-(const Taylor& x) { return {-x.value, -x.rate, -x.second}; }
  friend Taylor operator+(const Taylor& x, const Taylor& y) {
    return {x.value + y.value, x.rate + y.rate, x.second + y.second};
  }
  friend Taylor operator-(const Taylor& x, const Taylor& y) {
    return {x.value - y.value, x.rate - y.rate, x.second - y.second};
  }
  friend Taylor operator*(const Taylor& x, const Taylor& y) {
    return {x.value * y.value, x.rate * y.value + x.value * y.rate,
            x.second * y.value + 2 * x.rate * y.rate + x.value * y.second};
  }
  /// z = x / y from x = z y, order by order.
  friend Taylor operator/(const Taylor& x, const Taylor& y) {
    const double z = x.value / y.value, zd = (x.rate - z * y.rate) / y.value;
    return {z, zd, (x.second - 2 * zd * y.rate - z * y.second) / y.value};
  }
  Taylor& operator+=(const Taylor& y) { return *this = *this + y; }
  Taylor& operator-=(const Taylor& y) { return *this = *this - y; }
  Taylor& operator*=(const Taylor& y) { return *this = *this * y; }
  Taylor& operator/=(const Taylor& y) { return *this = *this / y; }

  friend bool operator<(const Taylor& x, const Taylor& y) { return x.value < y.value; }
  friend double value_of(const Taylor& x) { return x.value; }
  friend bool less(const Taylor& x, const Taylor& y) { return x.value < y.value; }
  friend Taylor select(bool condition, const Taylor& x, const Taylor& y) {
    return condition ? x : y;
  }
  friend void sincos(const Taylor& x, Taylor& s, Taylor& c) {
    double sine, cosine;
    sincos(x.value, sine, cosine);
    const double xd = x.rate, xdd = x.second;  // x may be the same object as s
    s = {sine, cosine * xd, cosine * xdd - sine * xd * xd};
    c = {cosine, -sine * xd, -sine * xdd - cosine * xd * xd};
  }
  friend Taylor sqrt(const Taylor& x) {
    const double root = __builtin_sqrt(x.value), rate = x.rate / (2 * root);
    return {root, rate, (x.second - 2 * rate * rate) / (2 * root)};
  }
};

}  // namespace ulna
