#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <ulna/symbolic/internal/evaluate.hpp>
#include <ulna/symbolic/program.hpp>
#include <unordered_map>
#include <utility>

#include "factors.hpp"

namespace ulna {
namespace {

using symbolic_detail::is_unit;
using symbolic_detail::scaled_node;

// magnitude * node, a value that the program may have to compute.
struct Multiple {
  double magnitude = 1.0;
  std::uint32_t id = 0;
  bool operator==(const Multiple&) const = default;
};

struct MultipleHash {
  std::size_t operator()(const Multiple& m) const {
    const std::uint64_t h =
        std::bit_cast<std::uint64_t>(m.magnitude) * 0x9e3779b97f4a7c15ULL + m.id;
    return (h ^ (h >> 32)) * 0xff51afd7ed558ccdULL;
  }
};

// Which multiples of each node are needed, and by how many users.
class Demands {
 public:
  explicit Demands(std::size_t nodes) : per_node_(nodes) {}

  void add(const Expression& e) {
    if (e.is_constant()) return;
    PerNode& of = per_node_[e.id()];
    const Multiple m{std::abs(e.factor()), e.id()};
    if (m.magnitude == 1.0) {
      of.bare = true;
    } else if (++users_[m] == 1) {
      ++of.magnitudes;
      of.last_magnitude = m.magnitude;
      multiples_.push_back(m);
    }
  }
  void add_condition(std::uint32_t id) { per_node_[id].bare = true; }

  bool any(std::uint32_t id) const { return per_node_[id].bare || per_node_[id].magnitudes > 0; }
  // The magnitude c when c * node is all that is needed of the node, else 1.
  double sole_magnitude(std::uint32_t id) const {
    const PerNode& of = per_node_[id];
    return !of.bare && of.magnitudes == 1 ? of.last_magnitude : 1.0;
  }
  int users(double factor, std::uint32_t id) const {
    const auto entry = users_.find({std::abs(factor), id});
    return entry == users_.end() ? 0 : entry->second;
  }
  std::span<Multiple> multiples() { return multiples_; }

 private:
  struct PerNode {
    double last_magnitude = 1.0;
    int magnitudes = 0;  // other than 1
    bool bare = false;
  };
  std::vector<PerNode> per_node_;
  std::unordered_map<Multiple, int, MultipleHash> users_;  // magnitudes other than 1
  std::vector<Multiple> multiples_;                        // the keys of users_
};

class Listing {
 public:
  Listing(std::span<const Expression> outputs, const Graph& graph)
      : outputs_(outputs),
        input_count_(graph.input_names().size()),
        nodes_(copy(graph.nodes_up_to(outputs))),
        defined_magnitude_(nodes_.size(), 1.0),
        as_recorded_(nodes_.size()),
        placed_(nodes_.size()),
        wishes_(nodes_.size()) {
    for (const Expression& e : outputs) as_recorded_.add(e), placed_.add(e);
  }

  void place_factors() {
    for (std::size_t i = nodes_.size(); i-- > 1;) {
      const auto id = static_cast<std::uint32_t>(i);
      if (as_recorded_.any(id)) {
        demand_operands(nodes_[i], as_recorded_);
        wish(id);
      }
    }
    for (std::size_t i = nodes_.size(); i-- > 1;) {
      const auto id = static_cast<std::uint32_t>(i);
      if (!placed_.any(id)) continue;
      const double c = placed_.sole_magnitude(id);
      if (c != 1.0 && absorb(nodes_[i], c)) defined_magnitude_[i] = c;
      demand_operands(nodes_[i], placed_);
    }
  }

  void write(std::vector<Node>& statements, std::vector<Expression>& outputs) {
    statements_ = &statements;
    write_inputs();
    const std::span<Multiple> multiples = placed_.multiples();
    std::stable_sort(multiples.begin(), multiples.end(),
                     [](const Multiple& a, const Multiple& b) { return a.id < b.id; });
    auto multiple = multiples.begin();
    for (std::uint32_t id = 1; id < nodes_.size(); ++id) {
      if (!placed_.any(id)) continue;
      if (nodes_[id].kind != Kind::input) write_node(id);
      for (; multiple != multiples.end() && multiple->id == id; ++multiple) {
        if (multiple->magnitude != defined_magnitude_[id]) write_multiple(*multiple);
      }
    }
    for (const Expression& e : outputs_) outputs.push_back(statement_of(e));
  }

 private:
  static std::vector<Node> copy(std::span<const Node> nodes) {
    return {nodes.begin(), nodes.end()};
  }

  static void demand_operands(const Node& node, Demands& demands) {
    for (int k = 0; k < operand_count(node.kind); ++k) demands.add(node.operands[k]);
    if (node.kind == Kind::select) demands.add_condition(node.link);
  }

  // c (x y) could be (c x) y or x (c y): note who would like to have c x and c y.
  void wish(std::uint32_t id) {
    const double c = as_recorded_.sole_magnitude(id);
    if (nodes_[id].kind != Kind::product || c == 1.0) return;
    for (const Expression& e : nodes_[id].operands) wishes_.add(Expression::of_node(c, e.id()));
  }

  // Rewrites a node to give c times its value, if that saves the multiplication by c.
  bool absorb(Node& node, double c) {
    auto& [a, b] = node.operands;
    const auto times_c = [c](const Expression& e) { return scaled_node(c * e.factor(), e.id()); };
    if (node.kind == Kind::quotient) {
      a = times_c(a);
      return true;
    }
    if (node.kind == Kind::product) {
      const int gain_a = gain(c, a.id()), gain_b = gain(c, b.id());
      if (std::max(gain_a, gain_b) == 0) return false;
      Expression& carrier = gain_a >= gain_b ? a : b;
      carrier = times_c(carrier);
      return true;
    }
    if (node.kind == Kind::sum && carries_free(a, c) && carries_free(b, c)) {
      a = times_c(a), b = times_c(b);
      return true;
    }
    return false;
  }

  // How good it is to have c x for a product: best if it is there already, then if others want it
  // too, then if x can in turn absorb c.
  int gain(double c, std::uint32_t x) const {
    if (placed_.users(c, x) > 0) return 1 << 30;
    const int others = wishes_.users(c, x) - 1;
    if (others > 0) return 1 + others;
    const Kind kind = nodes_[x].kind;
    if (placed_.any(x)) return 0;
    if (kind == Kind::sum)
      return carries_free(nodes_[x].a(), c) && carries_free(nodes_[x].b(), c) ? 1 : 0;
    return kind == Kind::product || kind == Kind::quotient ? 1 : 0;
  }

  // Whether the term of a sum can be multiplied by c without a further multiplication.
  bool carries_free(const Expression& term, double c) const {
    if (term.is_constant()) return true;
    if (placed_.users(c * term.factor(), term.id()) > 0) return true;
    return !is_unit(term.factor()) && as_recorded_.users(term.factor(), term.id()) == 1;
  }

  void write_inputs() {
    statements_->assign(1 + input_count_, Node());
    for (std::uint32_t k = 0; k < input_count_; ++k) {
      Node& input = (*statements_)[1 + k];
      input.kind = Kind::input;
      input.link = k;
      input.affine = true;
    }
    defined_as_.assign(nodes_.size(), 0);
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (nodes_[i].kind == Kind::input) defined_as_[i] = 1 + nodes_[i].link;
    }
  }

  std::uint32_t append(const Node& statement) {
    statements_->push_back(statement);
    return static_cast<std::uint32_t>(statements_->size() - 1);
  }

  void write_node(std::uint32_t id) {
    Node statement = nodes_[id];
    for (int k = 0; k < operand_count(statement.kind); ++k) {
      statement.operands[k] = statement_of(statement.operands[k]);
    }
    if (statement.kind == Kind::select) statement.link = defined_as_[statement.link];
    defined_as_[id] = append(statement);
  }

  void write_multiple(const Multiple& m) {
    Node statement;
    statement.kind = Kind::product;
    statement.operands = {m.magnitude, Expression::of_node(1.0, defined_as_[m.id])};
    multiple_as_[m] = append(statement);
  }

  // A literal, or plus or minus the statement that holds this multiple.
  Expression statement_of(const Expression& e) const {
    if (e.is_constant()) return e;
    const double magnitude = std::abs(e.factor());
    const std::uint32_t statement = magnitude == defined_magnitude_[e.id()]
                                        ? defined_as_[e.id()]
                                        : multiple_as_.at({magnitude, e.id()});
    return Expression::of_node(std::copysign(1.0, e.factor()), statement);
  }

  std::span<const Expression> outputs_;
  std::size_t input_count_;
  std::vector<Node> nodes_;                // rewritten where a node absorbs a factor
  std::vector<double> defined_magnitude_;  // what multiple of the node its statement gives
  Demands as_recorded_, placed_, wishes_;
  std::vector<Node>* statements_ = nullptr;
  std::vector<std::uint32_t> defined_as_;
  std::unordered_map<Multiple, std::uint32_t, MultipleHash> multiple_as_;
};

}  // namespace

Program::Program(std::span<const Expression> outputs, const Graph& graph)
    : input_count_(graph.input_names().size()) {
  Listing listing(outputs, graph);
  listing.place_factors();
  listing.write(statements_, outputs_);
}

OperationCount Program::operations() const {
  OperationCount count;
  std::vector<char> is_angle(statements_.size(), 0);
  for (const Node& statement : statements_) {
    switch (statement.kind) {
      case Kind::product:
        ++count.multiplications;
        break;
      case Kind::sum:
        ++count.additions;
        break;
      case Kind::quotient:
        ++count.divisions;
        break;
      case Kind::sqrt:
        ++count.square_roots;
        break;
      case Kind::sin:
      case Kind::cos:
        if (!std::exchange(is_angle[statement.a().id()], 1)) ++count.sincos_pairs;
        break;
      default:
        break;
    }
  }
  return count;
}

std::vector<double> Program::evaluate(std::span<const double> inputs) const {
  if (inputs.size() != input_count_) {
    throw std::invalid_argument(
        fmt::format("evaluate: {} values for {} inputs", inputs.size(), input_count_));
  }
  const std::vector<double> values = evaluate_nodes(statements_, inputs);
  std::vector<double> results;
  results.reserve(outputs_.size());
  for (const Expression& e : outputs_) results.push_back(e.factor() * values[e.id()]);
  return results;
}

OperationCount count_operations(std::span<const Expression> outputs, const Graph& graph) {
  return Program(outputs, graph).operations();
}

}  // namespace ulna
