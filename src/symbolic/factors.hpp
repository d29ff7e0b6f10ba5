// Arithmetic of edge factors, private to this module: the rules of rounding and of finite numbers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <ulna/symbolic/expression.hpp>

namespace ulna::symbolic_detail {

// Differences up to here, relative, are taken for the rounding of constants.
inline constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();

[[noreturn]] inline void throw_not_finite(const char* operation, double a, double b) {
  throw std::domain_error(fmt::format(
      "symbolic {} of the constants {} and {} gives no finite number", operation, a, b));
}

inline double checked(double result, const char* operation, double a, double b) {
  if (!std::isfinite(result)) throw_not_finite(operation, a, b);
  return result;
}

// a + b, with a cancellation to rounding taken as exact.
inline double add_factors(double a, double b) {
  const double sum = checked(a + b, "sum", a, b);
  return std::abs(sum) <= rounding * std::max(std::abs(a), std::abs(b)) ? 0.0 : sum;
}

inline bool nearly_equal(double a, double b) {
  return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

inline bool is_unit(double factor) { return std::abs(factor) == 1.0; }

// factor * node(id), canonical: zero has no node, and an edge factor that is 1 to rounding is 1.
inline Expression scaled_node(double factor, std::uint32_t id) {
  if (factor == 0.0) return 0.0;
  if (id != 0 && nearly_equal(std::abs(factor), 1.0)) factor = std::copysign(1.0, factor);
  return Expression::of_node(factor, id);
}

}  // namespace ulna::symbolic_detail
