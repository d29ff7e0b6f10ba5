// What a number must be able to do to pass through Ulna's kernels.
//
// A kernel is one text, run on plain doubles, on dual numbers (derivatives), on packs (many states
// at once) and on symbolic expressions (code generation). The last two have no truth value, so a
// kernel never says `if (x < 0)`: it computes both sides and takes one,
//
//     select(less(x, y), a, b)        a where x < y, otherwise b
//
// and both sides must be finite. What cannot live without comparison (pivoting, rank, inverse
// kinematics) asks for Numeric instead of Scalar.
//
// Every function here is always inlined: kernels are compiled once per instruction set, and an
// out-of-line copy from one of them could be picked by the linker for all.
#pragma once

#include <concepts>

namespace ulna {

// Parameter: the type of masses and lengths while the states are of type S. Packs hold many states
// of one robot, so theirs is double.
template <class S>
struct ScalarTraits {
  using Parameter = S;
};

template <class S>
using Parameter = typename ScalarTraits<S>::Parameter;

[[gnu::always_inline]] inline void sincos(double x, double& s, double& c) {
  const double angle = x;  // x may be the same object as s
  s = __builtin_sin(angle);
  c = __builtin_cos(angle);
}
[[gnu::always_inline]] inline double sqrt(double x) { return __builtin_sqrt(x); }
[[gnu::always_inline]] inline bool less(double a, double b) { return a < b; }
[[gnu::always_inline]] inline double select(bool condition, double a, double b) {
  return condition ? a : b;
}
[[gnu::always_inline]] inline double abs_value(double x) { return __builtin_fabs(x); }
[[gnu::always_inline]] inline double value_of(double x) { return x; }

template <class S>
concept Scalar = std::convertible_to<double, S> && requires(const S x, const S y, S z, S s, S c) {
  { x + y } -> std::convertible_to<S>;
  { x - y } -> std::convertible_to<S>;
  { x* y } -> std::convertible_to<S>;
  { x / y } -> std::convertible_to<S>;
  { -x } -> std::convertible_to<S>;
  z += x;
  z -= x;
  z *= x;
  sincos(x, s, c);
  { sqrt(x) } -> std::convertible_to<S>;
  { select(less(x, y), x, y) } -> std::convertible_to<S>;
};

// A scalar that is one number: it can be compared and read.
template <class S>
concept Numeric = Scalar<S> && requires(const S x, const S y) {
  { x < y } -> std::same_as<bool>;
  { value_of(x) } -> std::same_as<double>;
};

template <Scalar S>
[[gnu::always_inline]] inline S abs_value(const S& x) {
  return select(less(x, S(0.0)), S(-x), x);
}

// -1, 0 or 1; 0 also for NaN.
template <Scalar S>
[[gnu::always_inline]] inline S sign(const S& x) {
  return select(less(x, S(0.0)), S(-1.0), select(less(S(0.0), x), S(1.0), S(0.0)));
}

}  // namespace ulna
