#include <cmath>
#include <ulna/symbolic/expression.hpp>
#include <ulna/symbolic/graph.hpp>
#include <utility>

#include "factors.hpp"

namespace ulna {
namespace {

using namespace symbolic_detail;

constexpr std::uint32_t one = 0;  // the node of all constants

std::uint32_t intern(Kind kind, const Expression& a, const Expression& b = {},
                     std::uint32_t link = 0) {
  Node node;
  node.kind = kind;
  node.link = link;
  node.operands = {a, b};
  return Graph::current().intern(node);
}

// An expression as one or two terms: the two of a sum with its factor multiplied in, or itself.
struct OneOrTwoTerms {
  int count = 1;
  Expression term[2];

  explicit OneOrTwoTerms(const Expression& e) : term{e, {}} {
    if (e.is_constant()) return;
    const Node& node = Graph::current().node(e.id());
    if (node.kind != Kind::sum) return;
    count = 2;
    for (int i = 0; i < 2; ++i) {
      const Expression& t = node.operands[static_cast<std::size_t>(i)];
      term[i] = scaled_node(e.factor() * t.factor(), t.id());
    }
  }
};

// Rewrites a + b when a term of one meets a like term of the other, one level deep, in the cases
// that cost no operation even if the sums involved are used elsewhere too:
//   (x + y) - y = x     (x + y) - (x + z) = y - z     (x + 2y) + 3y = x + 5y     (x + 1) + 1 = x +
//   2
// but not (x + y) + y, which would trade an addition for a multiplication.
bool merge_like_terms(Expression& a, Expression& b) {
  const OneOrTwoTerms in_a(a), in_b(b);
  if (in_a.count + in_b.count == 2) return false;
  for (int i = 0; i < in_a.count; ++i) {
    for (int j = 0; j < in_b.count; ++j) {
      const Expression &s = in_a.term[i], &t = in_b.term[j];
      if (s.id() != t.id()) continue;
      const double merged = add_factors(s.factor(), t.factor());
      const bool cancels = merged == 0.0;
      const bool a_is_sum = in_a.count == 2;
      const bool one_sum = in_a.count + in_b.count == 3;
      const bool plain_sum = is_unit(a_is_sum ? a.factor() : b.factor());
      const double single = a_is_sum ? b.factor() : a.factor();
      const bool no_loss = s.id() == one || !is_unit(single) || is_unit(merged);
      if (!cancels && !(one_sum && plain_sum && no_loss)) continue;
      // The rest of a and the rest of b (nothing, for a single term), and the merged term.
      const Expression rest_a = a_is_sum ? in_a.term[1 - i] : Expression();
      const Expression rest_b = in_b.count == 2 ? in_b.term[1 - j] : Expression();
      a = cancels ? rest_a : (a_is_sum ? rest_a : rest_b);
      b = cancels ? rest_b : scaled_node(merged, s.id());
      return true;
    }
  }
  return false;
}

// Order of the terms of a sum: by id, the constant last.
bool precedes(const Expression& a, const Expression& b) { return a.id() - 1u < b.id() - 1u; }

Expression add(Expression a, Expression b) {
  // Each round replaces sums by terms with smaller ids, so this ends.
  do {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    if (a.id() == b.id()) return scaled_node(add_factors(a.factor(), b.factor()), a.id());
  } while (merge_like_terms(a, b));

  if (!precedes(a, b)) std::swap(a, b);
  // Carry the sign of the leading term outside, and the magnitude if both have it.
  const bool common = nearly_equal(std::abs(a.factor()), std::abs(b.factor()));
  const double outside = std::copysign(common ? a.factor() : 1.0, a.factor());
  const auto inside = [&](const Expression& e) {
    const double factor = common ? std::copysign(1.0, e.factor() * outside) : e.factor() * outside;
    return Expression::of_node(factor, e.id());
  };
  Graph& graph = Graph::current();
  Node node;
  node.kind = Kind::sum;
  node.operands = {inside(a), inside(b)};
  node.affine = graph.node(a.id()).affine && (b.is_constant() || graph.node(b.id()).affine);
  return Expression::of_node(outside, graph.intern(node));
}

// The node product x * y as an expression, for two nodes that are not constants.
Expression multiply_nodes(std::uint32_t x, std::uint32_t y) {
  const Graph& graph = Graph::current();
  if (x > y) std::swap(x, y);
  const Node& last = graph.node(y);
  if (x == y && last.kind == Kind::sqrt) return last.a();
  if (last.kind == Kind::quotient && last.b().id() == x) return last.a();
  return Expression::of_node(
      1.0, intern(Kind::product, Expression::of_node(1.0, x), Expression::of_node(1.0, y)));
}

Expression scale(const Expression& e, double k) {
  return scaled_node(checked(e.factor() * k, "product", e.factor(), k), e.id());
}

Expression multiply(const Expression& a, const Expression& b) {
  if (b.is_constant()) return scale(a, b.factor());
  if (a.is_constant()) return scale(b, a.factor());
  const double factor = checked(a.factor() * b.factor(), "product", a.factor(), b.factor());
  return scale(multiply_nodes(a.id(), b.id()), factor);
}

// The node quotient x / y, for y not constant and different from x.
Expression divide_nodes(std::uint32_t x, std::uint32_t y) {
  const Graph& graph = Graph::current();
  const Node& above = graph.node(x);
  if (above.kind == Kind::product) {  // (u v) / v = u
    if (above.b().id() == y) return above.a();
    if (above.a().id() == y) return above.b();
  }
  const Node& below = graph.node(y);
  if (below.kind == Kind::quotient && below.a().id() == one) {  // x / (1 / v) = x v
    const std::uint32_t v = below.b().id();
    return x == one ? Expression::of_node(1.0, v) : multiply_nodes(x, v);
  }
  return Expression::of_node(
      1.0, intern(Kind::quotient, Expression::of_node(1.0, x), Expression::of_node(1.0, y)));
}

Expression divide(const Expression& a, const Expression& b) {
  const double factor = checked(a.factor() / b.factor(), "quotient", a.factor(), b.factor());
  if (factor == 0.0) return 0.0;
  if (a.id() == b.id()) return factor;
  if (b.is_constant()) return scaled_node(factor, a.id());
  return scale(divide_nodes(a.id(), b.id()), factor);
}

}  // namespace

Expression& Expression::operator+=(const Expression& b) { return *this = add(*this, b); }
Expression& Expression::operator-=(const Expression& b) { return *this = add(*this, -b); }
Expression& Expression::operator*=(const Expression& b) { return *this = multiply(*this, b); }
Expression& Expression::operator/=(const Expression& b) { return *this = divide(*this, b); }

Expression sqrt(const Expression& x) {
  if (x.is_constant()) {
    const double root = std::sqrt(x.factor());
    if (!std::isfinite(root)) {
      throw std::domain_error(fmt::format(
          "symbolic square root of the constant {} gives no finite number", x.factor()));
    }
    return root;
  }
  return Expression::of_node(1.0, intern(Kind::sqrt, x));
}

Condition less(const Expression& a, const Expression& b) {
  if (a.is_constant() && b.is_constant()) return {a.factor() < b.factor(), 0};
  if (identical(a, b)) return {false, 0};
  return {false, intern(Kind::less, a, b)};
}

Expression select(const Condition& condition, const Expression& if_true,
                  const Expression& if_false) {
  if (condition.id == 0) return condition.value ? if_true : if_false;
  if (identical(if_true, if_false)) return if_true;
  // A factor that both sides share goes outside; a shared sign as well.
  double outside = 1.0;
  if (if_true.factor() == if_false.factor() && !if_true.is_zero()) {
    outside = if_true.factor();
  } else if (if_true.factor() <= 0.0 && if_false.factor() <= 0.0) {
    outside = -1.0;
  }
  const auto inside = [&](const Expression& e) {
    return Expression::of_node(e.factor() / outside, e.id());
  };
  return Expression::of_node(outside,
                             intern(Kind::select, inside(if_true), inside(if_false), condition.id));
}

}  // namespace ulna
