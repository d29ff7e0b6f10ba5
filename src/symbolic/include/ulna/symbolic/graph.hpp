// The hash-consed graph behind Expression: equal nodes are made once, so every common
// subexpression is shared by construction.
//
//     Graph graph;
//     Graph::Scope scope(graph);                    // current for this thread until the scope ends
//     const Expression q = graph.input("q");
//
// Operands of a node always have smaller ids than the node: id order is an order of evaluation.
// Finding or making a node takes constant time and no allocation of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <ulna/scalar/parts/export.hpp>
#include <ulna/symbolic/expression.hpp>
#include <unordered_map>
#include <vector>

namespace ulna {

enum class Kind : std::uint8_t {
  one,       // node 0, the number one
  input,     // a named variable
  sum,       // a + b; a comes first by id (a constant last), a's factor is positive, and when
             // the two factors have one magnitude it is carried outside: 3x - 3y = 3 (x - y)
  product,   // a * b, both with factor 1, the smaller id first
  quotient,  // a / b, both with factor 1; a may be the number one
  sqrt,      // sqrt(a)
  sin,       // sin(a), a's factor positive
  cos,       // cos(a), a's factor positive
  less,      // a < b: a condition, only used by select
  select     // a if the condition holds, else b
};

struct Node {
  Kind kind = Kind::one;
  bool affine = false;     // an input, or a sum of inputs and constants
  std::uint32_t link = 0;  // input: its position among the inputs; select: id of the condition
  std::array<Expression, 2> operands = {};

  const Expression& a() const { return operands[0]; }
  const Expression& b() const { return operands[1]; }
};

// How many of the operands a kind uses: 0, 1 or 2.
constexpr int operand_count(Kind kind) {
  if (kind == Kind::one || kind == Kind::input) return 0;
  return kind == Kind::sqrt || kind == Kind::sin || kind == Kind::cos ? 1 : 2;
}

class ULNA_API Graph {
 public:
  // Makes a graph current for this thread; the one before is current again afterwards.
  class ULNA_API Scope {
   public:
    explicit Scope(Graph& graph);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Graph* previous_;
  };

  Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // The graph of the innermost scope of this thread; std::logic_error outside any scope.
  static Graph& current();

  // The variable of that name, made when it is first asked for.
  Expression input(std::string_view name);

  // Number of nodes, the number one (node 0) included.
  std::size_t size() const { return nodes_.size(); }
  const Node& node(std::uint32_t id) const {
    if (id >= nodes_.size()) throw_foreign();
    return nodes_[id];
  }
  std::span<const Node> nodes() const { return nodes_; }
  // All nodes up to the last that one of the outputs stands on.
  std::span<const Node> nodes_up_to(std::span<const Expression> outputs) const;

  // Input names in order of creation, which is the order in which evaluation takes their values.
  std::span<const std::string> input_names() const { return names_; }
  const std::string& name(std::uint32_t id) const { return names_[node(id).link]; }

  // Finds or makes a node already in the canonical form its kind asks for.
  std::uint32_t intern(const Node& node);

 private:
  // Open addressing with linear probing; id 0 marks an empty slot. The hash is kept beside the id
  // to spare most looks at the nodes and to grow without hashing again.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = 0;
  };

  // An id past the end belongs to another graph.
  [[noreturn]] static void throw_foreign();
  void grow();

  std::vector<Node> nodes_;
  std::vector<Slot> slots_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> ids_by_name_;
};

}  // namespace ulna
