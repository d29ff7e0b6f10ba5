#include "ulna/motion/internal/formula_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string_view>

#include "formula/formula_functions.hpp"
#include "formula/formula_reader.hpp"

namespace ulna {
namespace {

struct Range {
  double lo = 0, hi = 0;
  double largest() const { return std::max(std::abs(lo), std::abs(hi)); }
  bool is(double x) const { return lo == x && hi == x; }
};

/// Wider than the rounding of any operation.
Range widened(double lo, double hi) {
  const double rounding = 1e-14 * std::max(std::abs(lo), std::abs(hi));
  return {lo - rounding, hi + rounding};
}
Range around(std::initializer_list<double> values) {
  return widened(std::min(values), std::max(values));
}
Range symmetric(double x) { return {-x, x}; }
Range hull(const Range& a, const Range& b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Range operator-(const Range& a) { return {-a.hi, -a.lo}; }
Range operator+(const Range& a, const Range& b) {
  // The rounding is that of the operands, which may cancel.
  const double rounding = 1e-14 * (a.largest() + b.largest());
  return {a.lo + b.lo - rounding, a.hi + b.hi + rounding};
}
Range operator*(const Range& a, const Range& b) {
  return around({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
}

/// Bounds of a function of time and of its first two derivatives.
struct Bounds {
  Range value, rate, acceleration;
  bool constant() const { return rate.is(0) && acceleration.is(0); }
  /// Far from where any operation overflows.
  bool usable() const {
    constexpr double most = 1e90;
    return value.largest() < most && rate.largest() < most && acceleration.largest() < most;
  }
};
using Maybe = std::optional<Bounds>;

Bounds operator-(const Bounds& x) { return {-x.value, -x.rate, -x.acceleration}; }
Bounds operator+(const Bounds& x, const Bounds& y) {
  return {x.value + y.value, x.rate + y.rate, x.acceleration + y.acceleration};
}
Bounds operator*(const Bounds& x, const Bounds& y) {
  const Range twice{2, 2};
  return {x.value * y.value, x.rate * y.value + x.value * y.rate,
          x.acceleration * y.value + twice * (x.rate * y.rate) + x.value * y.acceleration};
}
Bounds hull(const Bounds& x, const Bounds& y) {
  return {hull(x.value, y.value), hull(x.rate, y.rate), hull(x.acceleration, y.acceleration)};
}

/// f(x) from f and its derivatives by x.
Bounds through(const Range& f, const Range& f1, const Range& f2, const Bounds& x) {
  if (x.constant()) return {f, {}, {}};
  return {f, f1 * x.rate, f2 * (x.rate * x.rate) + f1 * x.acceleration};
}

constexpr double smallest = 1e-30;  ///< what is divided by, or has a logarithm

/// x^p for x above zero.
Range power_range(const Range& x, double p) {
  return around({std::pow(x.lo, p), std::pow(x.hi, p)});
}
/// x^n for any x.
Range whole_power_range(const Range& x, int n) {
  if (n == 0) return {1, 1};
  const Range ends = around({std::pow(x.lo, n), std::pow(x.hi, n)});
  return n % 2 == 0 && x.lo < 0 && x.hi > 0 ? hull({0, 0}, ends) : ends;
}

Maybe power_bounds(const Bounds& x, const Bounds& exponent) {
  if (!exponent.constant() || exponent.value.lo != exponent.value.hi) return {};
  const double p = exponent.value.lo;
  const auto times = [](double factor, const Range& r) { return Range{factor, factor} * r; };
  if (p >= 0 && p <= 64 && p == std::floor(p)) {
    const int n = static_cast<int>(p);
    return through(whole_power_range(x.value, n),
                   n < 1 ? Range{} : times(p, whole_power_range(x.value, n - 1)),
                   n < 2 ? Range{} : times(p * (p - 1), whole_power_range(x.value, n - 2)), x);
  }
  if (!(x.value.lo > smallest) || std::abs(p) > 64) return {};
  return through(power_range(x.value, p), times(p, power_range(x.value, p - 1)),
                 times(p * (p - 1), power_range(x.value, p - 2)), x);
}

Maybe quotient(const Bounds& x, const Bounds& y) {
  if (y.value.lo <= smallest && y.value.hi >= -smallest) return {};
  const Range r = around({1 / y.value.lo, 1 / y.value.hi});
  return x * through(r, -(r * r), Range{2, 2} * (r * r * r), y);
}

/// A function that has bounds of its own, whatever its argument: its least and largest value and
/// the largest first and second derivative, in thousandths.
template <int least, int most, int slope, int bend>
Maybe bounded(const Bounds& x, const Bounds&) {
  constexpr double unit = 1e-3;
  return through(widened(unit * least, unit * most), symmetric(unit * slope),
                 symmetric(unit * bend), x);
}
Maybe exponential(const Bounds& x, const Bounds&) {
  if (x.value.largest() > 200) return {};
  const Range f = around({std::exp(x.value.lo), std::exp(x.value.hi)});
  return through(f, f, f, x);
}
Maybe logarithm(const Bounds& x, const Bounds&) {
  if (!(x.value.lo > smallest)) return {};
  const Range r = around({1 / x.value.lo, 1 / x.value.hi});
  return through(around({std::log(x.value.lo), std::log(x.value.hi)}), r, -(r * r), x);
}
Maybe square_root(const Bounds& x, const Bounds&) {
  const Range half{0.5, 0.5};
  return power_bounds(x, {half, {}, {}});
}
Maybe absolute(const Bounds& x, const Bounds&) { return hull(x, -x); }
Maybe sign(const Bounds&, const Bounds&) { return Bounds{{-1, 1}, {}, {}}; }
Maybe step(const Bounds&, const Bounds&) { return Bounds{{0, 1}, {}, {}}; }
Maybe either(const Bounds& x, const Bounds& y) { return hull(x, y); }

/// Null for functions that are not bounded here: tan, asin, acos, atan2, sinh, cosh.
using Function = Maybe (*)(const Bounds& x, const Bounds& y);
Function function_named(std::string_view name) {
  static const std::map<std::string_view, Function> all = {
      {"sin", bounded<-1000, 1000, 1000, 1000>},
      {"cos", bounded<-1000, 1000, 1000, 1000>},
      {"atan", bounded<-1571, 1571, 1000, 650>},
      {"tanh", bounded<-1000, 1000, 1000, 770>},
      {"exp", exponential},
      {"log", logarithm},
      {"sqrt", square_root},
      {"abs", absolute},
      {"sign", sign},
      {"step", step},
      {"min", either},
      {"max", either},
      {"cycloid", bounded<0, 1000, 2000, 6284>},
      {"harmonic", bounded<0, 1000, 1571, 4935>},
      {"poly345", bounded<0, 1000, 1875, 5774>},
      {"poly4567", bounded<0, 1000, 2188, 7514>},
      {"parabolic", bounded<0, 1000, 2000, 4000>}};
  const auto at = all.find(name);
  return at == all.end() ? nullptr : at->second;
}

Maybe applied(int code, const Bounds& x, const Bounds& y) {
  switch (code) {
    case formula::negate:
      return -x;
    case formula::add:
      return x + y;
    case formula::subtract:
      return x + -y;
    case formula::multiply:
      return x * y;
    case formula::divide:
      return quotient(x, y);
    case formula::power:
      return power_bounds(x, y);
    default:
      break;
  }
  const auto index = static_cast<std::size_t>(code - formula::first_function);
  const Function function = function_named(formula::functions()[index].name);
  return function ? function(x, y) : Maybe();
}

}  // namespace

std::optional<MotionRange> formula_range(const std::string& text, const FormulaConstants& constants,
                                         double end) {
  if (!(end > 0) || !std::isfinite(end)) return {};
  const Bounds time{{0, end * (1 + 1e-12)}, {1, 1}, {}};
  std::vector<Bounds> stack;
  for (const Formula::Operation& one : formula::read(text, constants)) {
    if (one.code == formula::push_number) {
      stack.push_back({{one.number, one.number}, {}, {}});
    } else if (one.code == formula::push_time) {
      stack.push_back(time);
    } else {
      const Bounds y = one.operands == 2 ? stack.back() : Bounds{};
      if (one.operands == 2) stack.pop_back();
      const Maybe made = applied(one.code, stack.back(), y);
      if (!made) return {};
      stack.back() = *made;
    }
    if (!stack.back().usable()) return {};
  }
  return MotionRange{stack.back().value.lo, stack.back().value.hi};
}

}  // namespace ulna
