// Sums of any length over shared products: the form in which `factored` looks for savings. Private
// to this module.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <ulna/symbolic/expression.hpp>
#include <ulna/symbolic/factoring.hpp>
#include <ulna/symbolic/graph.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ulna::symbolic_detail {

// factor * atom; atom 0 is the number one.
struct Term {
  double factor = 0;
  int atom = 0;
};
using Terms = std::vector<Term>;  // sorted by atom, no factor 0

// What a value is made of, other than by adding.
struct Atom {
  Kind kind = Kind::one;   // product, sum (a row) or any other kind of node
  std::uint32_t link = 0;  // of the node: input number
  Term a, b;               // operands; products have factors 1
  int condition = 0;       // select
  Terms sum;               // kind sum
  bool known = false;      // made of inputs known beforehand alone
  int users = 0;           // rows, products and others that refer to it, outputs included
  std::vector<std::pair<double, int>> multiples = {};  // magnitudes other than one, and their uses
};

class Network {
 public:
  Network(std::span<const Expression> outputs, const Graph& graph, bool open_shared, char known);

  std::vector<Atom>& atoms() { return atoms_; }
  const std::vector<Term>& outputs() const { return outputs_; }

  // An atom for a product or a sum, found again when there already is one. The result has a factor
  // when a multiple of the sum is there.
  int product(int a, int b);
  Term sum(const Terms& terms);
  Term find_sum(const Terms& terms) const;  // factor 0 when there is none
  void replace_sum(int row, Terms terms);

  // How many sums use magnitude * atom, for magnitudes other than one.
  int uses(double magnitude, int atom) const;
  std::vector<double> magnitudes(int atom) const;  // other than one, in use
  // The sum becomes c times what it was, and what uses it 1/c times.
  void scale_sum(int row, double c);
  void add_term_use(const Term& t, int count);
  void count_users();

  // Sums made or changed since the last call.
  std::vector<int> take_changed() { return std::exchange(changed_, {}); }

  std::vector<Expression> write(Graph& graph) const;

 private:
  using Key = std::vector<std::pair<int, std::int64_t>>;
  static Key key_of(const Terms& terms);
  int intern(const Atom& atom);

  std::vector<Atom> atoms_;
  std::vector<Term> outputs_;
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
    std::size_t operator()(const std::pair<int, int>& key) const;
  };
  std::unordered_map<std::pair<int, int>, int, KeyHash> products_;
  std::unordered_map<Key, int, KeyHash> sums_;
  std::vector<int> changed_;
};

// The steps of factoring.cpp, as long as one saves something.
void take_steps(Network& network, const FactoringOptions& options);

Terms merged(const Terms& a, double fa, const Terms& b, double fb);
// Equal for ratios that differ by rounding only.
std::int64_t ratio_key(double ratio);

}  // namespace ulna::symbolic_detail
