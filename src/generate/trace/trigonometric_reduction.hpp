#pragma once
// Expressions written as sums of products of sines, cosines and other values, with sin^2 + cos^2 =
// 1 used and what stands above and below a line cancelled. For the small matrices that generalized
// speeds need inverted; the graph itself knows no such identities.

#include <map>

#include "ulna/symbolic/graph.hpp"

namespace ulna::generate {

/// For expressions of one graph, which must be current; remembers what it has read.
class TrigonometricReducer {
 public:
  /// The same value; the expression itself where nothing is gained.
  Expression operator()(const Expression& expression);

  /// Nodes of the graph with their powers, which may be negative.
  using Monomial = std::map<std::uint32_t, int>;
  using Sum = std::map<Monomial, double>;

 private:
  Sum read(const Expression& e);
  const Sum& of_node(std::uint32_t id);

  std::map<std::uint32_t, Sum> known_;
};

}  // namespace ulna::generate
