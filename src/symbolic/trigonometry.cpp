#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <ulna/symbolic/expression.hpp>
#include <ulna/symbolic/graph.hpp>

#include "factors.hpp"

namespace ulna {
namespace {

using namespace symbolic_detail;

// An angle as `rest` plus whole quarter turns.
struct Angle {
  Expression rest;
  int quarter_turns = 0;  // 0 to 3
};

// The quarter turns in a constant; what is left is in [-pi/4, pi/4] and 0 when it is rounding.
Angle split_constant(double constant) {
  if (!std::isfinite(constant)) {
    throw std::domain_error(
        fmt::format("symbolic sine and cosine of the constant {} give no finite number", constant));
  }
  int quotient = 0;  // remquo promises the sign and the last three bits
  const double rest = std::remquo(constant, std::numbers::pi / 2, &quotient);
  const bool is_rounding = std::abs(rest) <= rounding * std::abs(constant) && quotient != 0;
  return {is_rounding ? 0.0 : rest, ((quotient % 4) + 4) % 4};
}

// An affine expression rebuilt from its coefficients in the order of its inputs, so that all ways
// of adding up the same angle meet in one node, and q3 + q4 + q5 shares q3 + q4.
Angle canonical_angle(const Expression& angle) {
  const Graph& graph = Graph::current();
  std::map<std::uint32_t, double, std::greater<>> open;  // users before operands
  std::map<std::uint32_t, double> inputs;
  double constant = 0.0;
  open[angle.id()] = angle.factor();
  while (!open.empty()) {
    const auto [id, factor] = *open.begin();
    open.erase(open.begin());
    const Node& node = graph.node(id);
    if (node.kind == Kind::one) {
      constant = factor;
    } else if (node.kind == Kind::input) {
      inputs[id] = factor;
    } else {
      for (const Expression& term : node.operands) {
        double& sum = open[term.id()];
        sum = add_factors(sum, factor * term.factor());
      }
    }
  }
  Angle result = split_constant(constant);
  Expression sum;
  for (const auto& [id, factor] : inputs) sum += scaled_node(factor, id);
  result.rest = sum + result.rest;
  return result;
}

}  // namespace

void sincos(const Expression& angle, Expression& sine, Expression& cosine) {
  Angle a{angle, 0};
  if (angle.is_constant()) {
    a = split_constant(angle.factor());
  } else if (Graph::current().node(angle.id()).affine) {
    a = canonical_angle(angle);
  }

  Expression s, c;
  if (a.rest.is_constant()) {
    s = std::sin(a.rest.factor());
    c = std::cos(a.rest.factor());
  } else {
    // sin(-x) = -sin(x), cos(-x) = cos(x): nodes are made of positive multiples only.
    Node node;
    node.operands[0] = Expression::of_node(std::abs(a.rest.factor()), a.rest.id());
    node.kind = Kind::sin;
    s = Expression::of_node(std::copysign(1.0, a.rest.factor()), Graph::current().intern(node));
    node.kind = Kind::cos;
    c = Expression::of_node(1.0, Graph::current().intern(node));
  }

  switch (a.quarter_turns) {
    case 0:
      sine = s, cosine = c;
      break;
    case 1:
      sine = c, cosine = -s;
      break;
    case 2:
      sine = -s, cosine = -c;
      break;
    default:
      sine = -c, cosine = s;
      break;
  }
}

Expression sin(const Expression& angle) {
  Expression s, c;
  sincos(angle, s, c);
  return s;
}

Expression cos(const Expression& angle) {
  Expression s, c;
  sincos(angle, s, c);
  return c;
}

}  // namespace ulna
