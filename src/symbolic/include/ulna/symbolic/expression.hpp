// The symbolic scalar: arithmetic on it is recorded in the current Graph instead of being done.
//
// An Expression is a number times a node of the graph, and node 0 is the number one:
//
//     factor * node(id)         constants have id 0, so zeroed memory is the number 0
//
// The factor is carried along the edge. Negation and multiplication by a number therefore make no
// node; products pass factors outwards, (2x)(3y) = 6 (xy), and sums collect like terms,
// 2x + 3x = 5x. Where a factor costs a multiplication is decided only when a Program is listed.
// An edge factor within 4 ulp of 1 is 1, and a sum of factors that cancels to 4 ulp is 0, so that
// the rounding of constants does not leave operations behind.
//
// There is no comparison and no conversion to bool: what depends on a value goes through
// select(less(a, b), x, y), with both sides finite.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <ulna/scalar/parts/export.hpp>

namespace ulna {

class ULNA_API Expression {
 public:
  constexpr Expression() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number>
  constexpr Expression(Number value)  // NOLINT(google-explicit-constructor): numbers mix freely
      : factor_(static_cast<double>(value) + 0.0) {}  // + 0.0 turns -0 into 0

  // factor * node(id) of the current graph; the factor must not be 0 unless id is.
  static constexpr Expression of_node(double factor, std::uint32_t id) {
    Expression e(factor);
    e.id_ = id;
    return e;
  }

  constexpr double factor() const { return factor_; }
  constexpr std::uint32_t id() const { return id_; }
  constexpr bool is_constant() const { return id_ == 0; }
  constexpr bool is_zero() const { return id_ == 0 && factor_ == 0.0; }

  constexpr Expression operator-() const { return of_node(-factor_, id_); }
  constexpr Expression operator+() const { return *this; }
  Expression& operator+=(const Expression& b);
  Expression& operator-=(const Expression& b);
  Expression& operator*=(const Expression& b);
  Expression& operator/=(const Expression& b);

  friend Expression operator+(Expression a, const Expression& b) { return a += b; }
  friend Expression operator-(Expression a, const Expression& b) { return a -= b; }
  friend Expression operator*(Expression a, const Expression& b) { return a *= b; }
  friend Expression operator/(Expression a, const Expression& b) { return a /= b; }

  // Friends, found by argument only: at namespace scope they would hide ::sin(double) in ulna.
  friend ULNA_API Expression sqrt(const Expression& x);

  // Angles are brought to canonical form first: a sorted linear combination of inputs plus a
  // constant in [-pi/4, pi/4], and a positive multiple of that. Whole quarter turns go into the
  // choice between sine and cosine and their signs, so sin(q + pi/2) is cos(q). The results may
  // overwrite the angle.
  friend ULNA_API void sincos(const Expression& angle, Expression& sine, Expression& cosine);
  friend ULNA_API Expression sin(const Expression& angle);
  friend ULNA_API Expression cos(const Expression& angle);

 private:
  double factor_ = 0.0;
  std::uint32_t id_ = 0;
};

// What less() gives and select() takes: a known truth value (id 0) or a node of kind `less`.
struct Condition {
  bool value = false;
  std::uint32_t id = 0;
};

// Whether two expressions are the same node with the same factor. Equal by construction, not by
// value: the graph does not know that sin^2 + cos^2 = 1.
constexpr bool identical(const Expression& a, const Expression& b) {
  return a.id() == b.id() && a.factor() == b.factor();
}

ULNA_API Condition less(const Expression& a, const Expression& b);
ULNA_API Expression select(const Condition& condition, const Expression& if_true,
                           const Expression& if_false);

}  // namespace ulna

// Eigen's fixed-size products, cross, maps and 3x3 inverse work on Expression; its decompositions,
// which compare, do not compile.
template <>
struct Eigen::NumTraits<ulna::Expression> {
  using Real = ulna::Expression;
  using NonInteger = ulna::Expression;
  using Nested = ulna::Expression;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
  static Real epsilon() { return std::numeric_limits<double>::epsilon(); }
  static Real dummy_precision() { return NumTraits<double>::dummy_precision(); }
  static Real highest() { return std::numeric_limits<double>::max(); }
  static Real lowest() { return std::numeric_limits<double>::lowest(); }
  static int digits10() { return std::numeric_limits<double>::digits10; }
};

template <class Operation>
struct Eigen::ScalarBinaryOpTraits<ulna::Expression, double, Operation> {
  using ReturnType = ulna::Expression;
};
template <class Operation>
struct Eigen::ScalarBinaryOpTraits<double, ulna::Expression, Operation> {
  using ReturnType = ulna::Expression;
};
