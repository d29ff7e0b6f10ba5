#include "trace/trigonometric_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "trace/tracing.hpp"

namespace ulna::generate {
namespace {

/// Values that would be larger sums are taken as they are: the identities do not shorten those.
constexpr std::size_t most_terms = 60;

using Monomial = TrigonometricReducer::Monomial;
using Sum = TrigonometricReducer::Sum;

void add_term(Sum& sum, const Monomial& monomial, double factor) {
  constexpr double rounding = 1e-15;
  const auto [term, is_new] = sum.try_emplace(monomial, factor);
  if (is_new) return;
  const double largest = std::max(std::abs(term->second), std::abs(factor));
  term->second += factor;
  if (std::abs(term->second) <= rounding * largest) sum.erase(term);
}

Monomial product(Monomial a, const Monomial& b) {
  for (const auto& [id, power] : b)
    if ((a[id] += power) == 0) a.erase(id);
  return a;
}

Sum product(const Sum& a, const Sum& b) {
  Sum out;
  for (const auto& [x, f] : a)
    for (const auto& [y, g] : b) add_term(out, product(x, y), f * g);
  return out;
}

Monomial inverse(Monomial a) {
  for (auto& [id, power] : a) power = -power;
  return a;
}

/// One square of `from` replaced by 1 - to^2, again and again.
Sum with_identity(const Sum& sum, std::uint32_t from, std::uint32_t to) {
  Sum out = sum;
  while (true) {
    const auto found = std::find_if(out.begin(), out.end(), [&](const auto& term) {
      const auto atom = term.first.find(from);
      return atom != term.first.end() && atom->second >= 2;
    });
    if (found == out.end()) return out;
    const auto [monomial, factor] = *found;
    out.erase(found);
    const Monomial rest = product(monomial, Monomial{{from, -2}});
    add_term(out, rest, factor);
    add_term(out, product(rest, Monomial{{to, 2}}), -factor);
  }
}

/// Sines and cosines of one angle among the values of a sum.
std::vector<std::pair<std::uint32_t, std::uint32_t>> angles_of(const Sum& sum) {
  std::map<std::pair<std::uint32_t, double>, std::pair<std::uint32_t, std::uint32_t>> angles;
  for (const auto& [monomial, factor] : sum)
    for (const auto& [id, power] : monomial) {
      const Node& node = Graph::current().node(id);
      if (node.kind != Kind::sin && node.kind != Kind::cos) continue;
      auto& pair = angles[{node.a().id(), node.a().factor()}];
      (node.kind == Kind::sin ? pair.first : pair.second) = id;
    }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& [angle, pair] : angles)
    if (pair.first != 0 && pair.second != 0) pairs.push_back(pair);
  return pairs;
}

/// Values of outer joints, which come later, first: their products with what they are divided by
/// serve several results.
Expression written(const Sum& sum) {
  Expression total(0.0);
  for (const auto& [monomial, factor] : sum) {
    Expression below(1.0), term(1.0);
    for (const auto& [id, power] : monomial)
      for (int k = 0; k < -power; ++k) below *= Expression::of_node(1.0, id);
    if (!below.is_constant()) term = Expression(1.0) / below;
    for (auto atom = monomial.rbegin(); atom != monomial.rend(); ++atom)
      for (int k = 0; k < atom->second; ++k) term *= Expression::of_node(1.0, atom->first);
    total += term * Expression(factor);
  }
  return total;
}

}  // namespace

Sum TrigonometricReducer::read(const Expression& e) {
  if (e.is_constant()) return e.is_zero() ? Sum{} : Sum{{{}, e.factor()}};
  Sum sum = of_node(e.id());
  for (auto& [monomial, factor] : sum) factor *= e.factor();
  return sum;
}

const Sum& TrigonometricReducer::of_node(std::uint32_t id) {
  if (const auto found = known_.find(id); found != known_.end()) return found->second;
  const Node node = Graph::current().node(id);
  const Sum itself{{Monomial{{id, 1}}, 1.0}};
  Sum out = itself;
  if (node.kind == Kind::sum || node.kind == Kind::product || node.kind == Kind::quotient) {
    const Sum a = read(node.a()), b = read(node.b());
    if (node.kind == Kind::sum) {
      out = a;
      for (const auto& [monomial, factor] : b) add_term(out, monomial, factor);
    } else if (node.kind == Kind::product && a.size() * b.size() <= most_terms) {
      out = product(a, b);
    } else if (node.kind == Kind::quotient && b.size() == 1) {
      // Below the line only a single product can be cancelled; a sum stays what it is.
      const auto& [monomial, factor] = *b.begin();
      out = product(a, Sum{{inverse(monomial), 1 / factor}});
    }
    if (out.size() > most_terms) out = itself;
  }
  return known_[id] = out;
}

Expression TrigonometricReducer::operator()(const Expression& expression) {
  if (expression.is_constant()) return expression;
  const Sum sum = read(expression);
  Sum shortest = sum;
  for (const auto& [sine, cosine] : angles_of(sum)) {
    const Sum now = shortest;
    for (const Sum& other : {with_identity(now, cosine, sine), with_identity(now, sine, cosine)})
      if (other.size() < shortest.size()) shortest = other;
  }
  const Expression candidate = written(shortest);
  const Expression one[] = {expression}, other[] = {candidate};
  return cost(other) < cost(one) ? candidate : expression;
}

}  // namespace ulna::generate
