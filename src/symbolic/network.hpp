// Sums of any length over shared products: the form in which factoring and refining look for
// savings (docs/theory/generation.md, eq. 3-6). Private to this module.
//
// The network always knows what it costs and who uses what: changing a sum takes time in
// proportion to what changes. Every change is noted and can be taken back, so that a step may be
// tried, counted and undone.
#pragma once

#include <cstdint>
#include <span>
#include <ulna/symbolic/expression.hpp>
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
  Kind kind = Kind::one;     // product, sum (a row) or any other kind of node
  std::uint32_t link = 0;    // of the node: input number
  Term a, b;                 // operands; products have factors 1
  int condition = 0;         // select
  Terms sum;                 // kind sum
  bool known = false;        // made of numbers and of inputs known beforehand
  std::vector<int> parents;  // what refers to it, once per reference; output k is -1 - k
  std::vector<std::pair<double, int>> multiples = {};  // magnitudes other than one, and their uses

  // Atoms that no output needs any more stay in the network and cost nothing.
  bool live() const { return !parents.empty(); }
};

// Two terms of a sum but for a common factor.
struct Pair {
  int x, y;
  std::int64_t ratio;
  bool operator==(const Pair&) const = default;
};

struct NetworkCost {
  int multiplications = 0, additions = 0;
};

class Network {
 public:
  Network(std::span<const Expression> outputs, const Graph& graph, bool open_shared, char known);

  const Atom& atom(int id) const { return atoms_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(atoms_.size()); }
  bool is_row(int id) const { return atom(id).kind == Kind::sum && atom(id).live(); }
  // What depends on something not known beforehand; divisions, roots and sines not counted.
  const NetworkCost& cost() const { return cost_; }

  // An atom for a product or a sum, found again when there already is one. The result has a factor
  // when a multiple of the sum is there.
  int product(int a, int b);
  Term sum(const Terms& terms);
  Term find_sum(const Terms& terms) const;  // factor 0 when there is none

  // Writes a sum in other words. One that becomes a single term, or a multiple of another sum, is
  // replaced by that wherever it is used.
  void replace_sum(int row, Terms terms);
  // The sum becomes c times what it was, and what uses it 1/c times.
  void scale_sum(int row, double c);

  // How many sums use magnitude * atom, for magnitudes other than one.
  int uses(double magnitude, int atom) const;
  double factor_of(int row, int atom) const;  // 0 when it is no term of the sum

  // The sums that have both terms in this ratio.
  const std::vector<int>& rows_with(const Pair& pair) const;
  static Pair pair_of(const Term& x, const Term& y);

  // Sums made or changed, or whose products lost their other users, since the last call.
  std::vector<int> take_changed() { return std::exchange(changed_, {}); }

  // Changes since `mark()` are taken back by `undo(mark)`.
  std::size_t mark() const { return journal_.size(); }
  void undo(std::size_t mark);
  void forget_changes() { journal_.clear(); }

  std::vector<Expression> write(Graph& graph) const;

 private:
  using Key = std::vector<std::pair<int, std::int64_t>>;
  struct Hash {
    std::size_t operator()(const Key& key) const;
    std::size_t operator()(const std::pair<int, int>& key) const;
    std::size_t operator()(const Pair& pair) const;
  };
  struct Change {  // what a sum, or the operands of another atom or output, were
    int id;
    Terms before;
  };

  static Key key_of(const Terms& terms);
  int intern(Atom atom);
  Terms operands(const Atom& atom) const;
  int additions(const Atom& row) const;
  void refer(const Term& term, int parent);
  void release(const Term& term, int parent);
  void wake(int id, int direction);
  void note_pairs(int row, bool there);
  Term snapped(Term term) const;
  void put_sum(int row, Terms terms);
  void put_operands(int id, const Terms& operands);
  void change(int id, Terms to);
  void substitute(int id, const Term& by);
  Term substituted(const Atom& product, int id, const Term& by);

  std::vector<Atom> atoms_;
  Terms outputs_;
  NetworkCost cost_;
  std::vector<Change> journal_;
  std::vector<int> changed_;
  std::unordered_map<std::pair<int, int>, int, Hash> products_;
  std::unordered_map<Key, int, Hash> sums_;
  std::unordered_map<Pair, std::vector<int>, Hash> pairs_;
};

Terms merged(const Terms& a, double fa, const Terms& b, double fb);

}  // namespace ulna::symbolic_detail
