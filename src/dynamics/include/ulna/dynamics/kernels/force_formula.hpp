#pragma once
// A formula of a force (model/force_formula.hpp) on any scalar. Expressions, which become code,
// have no exponential and no arcus tangent; all else is the same text. docs/theory/elements.md,
// eq. 19.

#include <cmath>

#include "ulna/model/parts/force_formula.hpp"
#include "ulna/scalar/parts/scalar.hpp"

namespace ulna {

/// x to a constant power: whole and half powers by products and roots.
template <class S>
S formula_power(const S& x, double exponent) {
  constexpr double largest = 64;
  const double size = exponent < 0 ? -exponent : exponent;
  if (size <= largest && 2 * size == std::floor(2 * size)) {
    S out(1.0), square = x;
    for (int left = static_cast<int>(size); left > 0; left /= 2) {
      if (left % 2 == 1) out = out * square;
      if (left > 1) square = square * square;
    }
    if (size != std::floor(size)) out = out * sqrt(x);
    return exponent < 0 ? S(S(1.0) / out) : out;
  }
  if constexpr (Numeric<S>) {
    using std::pow;
    return pow(x, exponent);
  } else {
    throw InputError("the force of an actuator has a power that is not a whole or half number",
                     "powers that generated code can compute, such as 2 or 0.5");
  }
}

/// What only numbers have; y is the second operand.
template <class S>
S formula_function(ForceFormula::Code code, const S& x, const S& y) {
  using Code = ForceFormula::Code;
  if constexpr (Numeric<S>) {
    using std::atan2;
    using std::exp;
    using std::log;
    switch (code) {
      case Code::exponential:
        return exp(x);
      case Code::logarithm:
        return log(x);
      case Code::hyperbolic_tangent: {          // of |x|, so that the exponential does not overflow
        const auto negative = less(x, S(0.0));  // |x| and its sign keep the slope at zero
        const S small = exp(S(-2.0 * select(negative, S(-x), x)));
        return select(negative, S(-1.0), S(1.0)) * (1.0 - small) / (1.0 + small);
      }
      case Code::arc_tangent:
        return atan2(x, S(1.0));
      default:
        return atan2(x, y);
    }
  } else {
    throw InputError("the force of an actuator has exp, log, tanh, atan or atan2",
                     "functions that generated code can compute: sin, cos, tan, sqrt, abs, sign, "
                     "step, min, max",
                     "make it an input of the generated code: force: input");
  }
}

template <class S>
S apply_operation(const ForceFormula::Operation& one, const S& x, const S& y) {
  using Code = ForceFormula::Code;
  S sine(0.0), cosine(0.0);
  switch (one.code) {
    case Code::negate:
      return -x;
    case Code::add:
      return x + y;
    case Code::subtract:
      return x - y;
    case Code::multiply:
      return x * y;
    case Code::divide:
      return x / y;
    case Code::power:
      return formula_power(x, one.number);
    case Code::sine:
      sincos(x, sine, cosine);
      return sine;
    case Code::cosine:
      sincos(x, sine, cosine);
      return cosine;
    case Code::tangent:
      sincos(x, sine, cosine);
      return sine / cosine;
    case Code::square_root:
      return sqrt(x);
    case Code::absolute:
      return abs_value(x);
    case Code::sign:
      return sign(x);
    case Code::step:
      return select(less(x, S(0.0)), S(0.0), S(1.0));
    case Code::minimum:
      return select(less(x, y), x, y);
    case Code::maximum:
      return select(less(x, y), y, x);
    default:
      return formula_function(one.code, x, y);
  }
}

/// eq. 19
template <class S>
S formula_value(const ForceFormula& formula, const S& time, const S& length, const S& rate,
                const S* q, const S* v) {
  using Code = ForceFormula::Code;
  S waiting[ForceFormula::deepest + 1];
  int top = 0;  // one past the last
  for (const ForceFormula::Operation& one : formula.operations()) {
    switch (one.code) {
      case Code::number:
        waiting[top++] = S(one.number);
        break;
      case Code::time:
        waiting[top++] = time;
        break;
      case Code::length:
        waiting[top++] = length;
        break;
      case Code::rate:
        waiting[top++] = rate;
        break;
      case Code::coordinate:
        waiting[top++] = q[one.index];
        break;
      case Code::speed:
        waiting[top++] = v[one.index];
        break;
      default: {
        const bool two = operands(one.code) == 2;
        if (two) --top;
        waiting[top - 1] =
            apply_operation(one, waiting[top - 1], two ? waiting[top] : waiting[top - 1]);
      }
    }
  }
  return waiting[0];
}

}  // namespace ulna
