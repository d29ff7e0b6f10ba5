#include "formula/formula_functions.hpp"

#include <cmath>

#include "ulna/motion/kernels/constant_acceleration.hpp"
#include "ulna/motion/kernels/cycloidal.hpp"
#include "ulna/motion/kernels/harmonic.hpp"
#include "ulna/motion/kernels/jet.hpp"
#include "ulna/motion/kernels/polynomial_345.hpp"
#include "ulna/motion/kernels/polynomial_4567.hpp"

namespace ulna::formula {
namespace {

using Jet = MotionValue;

bool is_constant(const Jet& x) { return x.rate == 0 && x.acceleration == 0 && x.jerk == 0; }

/// f(x) from f and its derivatives by x. A constant argument has no derivatives, even where those
/// of f are infinite.
Jet through(const Jet& f, const Jet& x) {
  return is_constant(x) ? Jet{f.value, 0, 0, 0} : chain(f, x);
}

/// The sign of x just after this time: of its first derivative that is not zero.
double sign_after(const Jet& x) {
  for (const double d : {x.value, x.rate, x.acceleration, x.jerk})
    if (d != 0) return d > 0 ? 1 : -1;
  return 0;
}

Jet sine(const Jet& x, const Jet&) {
  const double s = std::sin(x.value), c = std::cos(x.value);
  return chain({s, c, -s, -c}, x);
}
Jet cosine(const Jet& x, const Jet&) {
  const double s = std::sin(x.value), c = std::cos(x.value);
  return chain({c, -s, -c, s}, x);
}
Jet tangent(const Jet& x, const Jet&) {
  const double f = std::tan(x.value), d = 1 + f * f;
  return chain({f, d, 2 * f * d, d * (2 + 6 * f * f)}, x);
}
Jet arc_sine(const Jet& x, const Jet&) {
  const double r = 1 / (1 - x.value * x.value), d = std::sqrt(r);
  return through({std::asin(x.value), d, x.value * r * d, r * d * (1 + 3 * x.value * x.value * r)},
                 x);
}
Jet arc_cosine(const Jet& x, const Jet& y) {
  Jet f = -arc_sine(x, y);
  f.value = std::acos(x.value);
  return f;
}
Jet arc_tangent(const Jet& x, const Jet&) {
  const double d = 1 / (1 + x.value * x.value);
  return chain(
      {std::atan(x.value), d, -2 * x.value * d * d, d * d * d * (6 * x.value * x.value - 2)}, x);
}
/// atan2(y, x): its rate is (x y' - y x')/(x^2 + y^2), an exact quotient of jets.
Jet arc_tangent_2(const Jet& y, const Jet& x) {
  const Jet dy{y.rate, y.acceleration, y.jerk, 0}, dx{x.rate, x.acceleration, x.jerk, 0};
  const Jet rate = (x * dy - y * dx) / (x * x + y * y);  // good to the second derivative
  return {std::atan2(y.value, x.value), rate.value, rate.rate, rate.acceleration};
}
Jet hyperbolic_sine(const Jet& x, const Jet&) {
  const double s = std::sinh(x.value), c = std::cosh(x.value);
  return chain({s, c, s, c}, x);
}
Jet hyperbolic_cosine(const Jet& x, const Jet&) {
  const double s = std::sinh(x.value), c = std::cosh(x.value);
  return chain({c, s, c, s}, x);
}
Jet hyperbolic_tangent(const Jet& x, const Jet&) {
  const double f = std::tanh(x.value), d = 1 - f * f;
  return chain({f, d, -2 * f * d, d * (6 * f * f - 2)}, x);
}
Jet square_root(const Jet& x, const Jet&) {
  const double f = std::sqrt(x.value), d = 0.5 / f;
  return through({f, d, -d / (2 * x.value), 3 * d / (4 * x.value * x.value)}, x);
}
Jet exponential(const Jet& x, const Jet&) {
  const double f = std::exp(x.value);
  return through({f, f, f, f}, x);
}
Jet logarithm(const Jet& x, const Jet&) {
  const double r = 1 / x.value;
  return through({std::log(x.value), r, -r * r, 2 * r * r * r}, x);
}
Jet absolute(const Jet& x, const Jet&) { return sign_after(x) < 0 ? -x : x; }
Jet sign(const Jet& x, const Jet&) { return {sign_after(x), 0, 0, 0}; }
Jet step(const Jet& x, const Jet&) { return {sign_after(x) < 0 ? 0.0 : 1.0, 0, 0, 0}; }
Jet minimum(const Jet& x, const Jet& y) { return sign_after(x - y) < 0 ? x : y; }
Jet maximum(const Jet& x, const Jet& y) { return sign_after(x - y) < 0 ? y : x; }

template <class Law>
Jet law(const Jet& x, const Jet&) {
  return chain(held<Law>(x.value), x);
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Corner> none, zero{{0, false}}, ends{{0, false}, {1, false}},
      middle{{0, false}, {0.5, false}, {1, false}}, equal{{0, true}};
  static const std::vector<Function> all{
      {"sin", 1, sine, none},
      {"cos", 1, cosine, none},
      {"tan", 1, tangent, none},
      {"asin", 1, arc_sine, none},
      {"acos", 1, arc_cosine, none},
      {"atan", 1, arc_tangent, none},
      {"atan2", 2, arc_tangent_2, none},
      {"sinh", 1, hyperbolic_sine, none},
      {"cosh", 1, hyperbolic_cosine, none},
      {"tanh", 1, hyperbolic_tangent, none},
      {"sqrt", 1, square_root, none},
      {"exp", 1, exponential, none},
      {"log", 1, logarithm, none},
      {"abs", 1, absolute, zero},
      {"sign", 1, sign, zero},
      {"step", 1, step, zero},
      {"min", 2, minimum, equal},
      {"max", 2, maximum, equal},
      {"cycloid", 1, law<CycloidalLaw>, ends},
      {"harmonic", 1, law<HarmonicLaw>, ends},
      {"poly345", 1, law<Polynomial345Law>, ends},
      {"poly4567", 1, law<Polynomial4567Law>, ends},
      {"parabolic", 1, law<ConstantAccelerationLaw>, middle},
  };
  return all;
}

Jet power_of(const Jet& base, const Jet& exponent) {
  if (!is_constant(exponent)) return exponential(exponent * logarithm(base, {}), {});
  const double p = exponent.value, x = base.value;
  // The factors of the derivatives vanish for whole p; then x^(p - k) is not asked for at x = 0.
  const auto term = [&](double factor, int k) {
    return factor == 0 ? 0 : factor * std::pow(x, p - k);
  };
  return through({std::pow(x, p), term(p, 1), term(p * (p - 1), 2), term(p * (p - 1) * (p - 2), 3)},
                 base);
}

int operands(int code) {
  if (code == push_number || code == push_time || code == push_variable) return 0;
  if (code == negate) return 1;
  if (code < first_function) return 2;
  return functions()[static_cast<std::size_t>(code - first_function)].arguments;
}

Jet apply(int code, const Jet& x, const Jet& y) {
  switch (code) {
    case negate:
      return -x;
    case add:
      return x + y;
    case subtract:
      return x - y;
    case multiply:
      return x * y;
    case divide:
      return x / y;
    case power:
      return power_of(x, y);
    default:
      return functions()[static_cast<std::size_t>(code - first_function)].apply(x, y);
  }
}

}  // namespace ulna::formula
