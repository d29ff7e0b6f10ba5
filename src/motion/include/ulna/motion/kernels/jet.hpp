#pragma once
// A MotionValue is a jet: a function of time known at one instant with its first three derivatives.
// Sums, products and chains of functions are exact on jets, so that a formula or a composed motion
// gets its derivatives without differences. docs/theory/motions.md, eq. 1-3.

#include <cmath>

#include "ulna/motion/motion.hpp"

namespace ulna {

inline MotionValue operator+(const MotionValue& a, const MotionValue& b) {
  return {a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration, a.jerk + b.jerk};
}
inline MotionValue operator-(const MotionValue& a, const MotionValue& b) {
  return {a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration, a.jerk - b.jerk};
}
inline MotionValue operator-(const MotionValue& a) {
  return {-a.value, -a.rate, -a.acceleration, -a.jerk};
}
inline MotionValue operator*(double factor, const MotionValue& a) {
  return {factor * a.value, factor * a.rate, factor * a.acceleration, factor * a.jerk};
}

/// Leibniz's rule.
inline MotionValue operator*(const MotionValue& a, const MotionValue& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.acceleration * b.value + 2 * a.rate * b.rate + a.value * b.acceleration,
          a.jerk * b.value + 3 * (a.acceleration * b.rate + a.rate * b.acceleration) +
              a.value * b.jerk};
}

/// The quotient c with c b = a, one derivative after the other.
inline MotionValue operator/(const MotionValue& a, const MotionValue& b) {
  MotionValue c;
  c.value = a.value / b.value;
  c.rate = (a.rate - c.value * b.rate) / b.value;
  c.acceleration = (a.acceleration - 2 * c.rate * b.rate - c.value * b.acceleration) / b.value;
  c.jerk = (a.jerk - 3 * (c.acceleration * b.rate + c.rate * b.acceleration) - c.value * b.jerk) /
           b.value;
  return c;
}

/// f(x(t)), given f and its derivatives by x, and x and its derivatives by t (Faa di Bruno).
inline MotionValue chain(const MotionValue& f, const MotionValue& x) {
  return {f.value, f.rate * x.rate, f.acceleration * x.rate * x.rate + f.rate * x.acceleration,
          f.jerk * x.rate * x.rate * x.rate + 3 * f.acceleration * x.rate * x.acceleration +
              f.rate * x.jerk};
}

}  // namespace ulna
