// Masses, centres, inertias and lengths as symbols, and what depends on them alone moved out.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>

#include "trace/tracing.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/symbolic/internal/rebuild.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

/// A symbol for each number that is not zero.
class Symbols {
 public:
  explicit Symbols(SymbolicParameters& to) : to_(to) {}

  E operator()(double value, std::string name) {
    if (value == 0) return 0.0;
    const E symbol = Graph::current().input(fmt::format("p[{}]", to_.values.size()));
    to_.names.push_back(std::move(name));
    to_.values.push_back(value);
    return symbol;
  }

 private:
  SymbolicParameters& to_;
};

/// Integrals of 1, x and x x' over the mass of a body.
struct Moments {
  E mass;
  Vector3<E> first;
  Matrix3<E> second;
};

Moments moments_of(const E& mass, const Vector3<E>& centre, const Matrix3<E>& inertia) {
  const E half_trace = (inertia(0, 0) + inertia(1, 1) + inertia(2, 2)) * E(0.5);
  Moments out{mass, Vector3<E>(), Matrix3<E>()};
  for (int i = 0; i < 3; ++i) {
    out.first(i) = mass * centre(i);
    for (int j = 0; j < 3; ++j)
      out.second(i, j) =
          (i == j ? half_trace : E(0.0)) - inertia(i, j) + mass * centre(i) * centre(j);
  }
  return out;
}

/// Rounding of a turn, such as 6e-17 for the cosine of a right angle, would stand before a symbol
/// and never be lost in a sum.
double cleaned(double x) {
  constexpr double rounding = 1e-15;
  if (std::abs(x) < rounding) return 0;
  return std::abs(std::abs(x) - 1) < rounding ? std::copysign(1.0, x) : x;
}

/// The same seen from the node that the body's frame is placed on.
void add_to_node(const Pose<double>& X, const Moments& body, NodeParameters<E>& node) {
  const Matrix3<E> R = X.rotation.unaryExpr(&cleaned).cast<E>();
  const Vector3<E> p = X.position.unaryExpr(&cleaned).cast<E>();
  const Vector3<E> h = R * body.first;
  const Matrix3<E> turned = R * body.second * R.transpose();
  const auto second = [&](int i, int j) {
    return turned(i, j) + h(i) * p(j) + p(i) * h(j) + body.mass * p(i) * p(j);
  };
  node.mass += body.mass;
  for (int k = 0; k < 3; ++k) {
    node.first_moment[k] += h(k) + body.mass * p(k);
    node.second_moment[k] += second(k, k);
  }
  node.second_moment[3] += second(0, 1);
  node.second_moment[4] += second(0, 2);
  node.second_moment[5] += second(1, 2);
}

/// An earlier moment of inertia that equals this one: bodies of revolution stay such.
int equal_moment(const Eigen::Matrix3d& inertia, int i, int j) {
  for (int k = 0; i == j && k < i; ++k)
    if (inertia(k, k) == inertia(i, i)) return k;
  return -1;
}

Moments symbolic_moments(const BodyData& body, Symbols& symbol) {
  constexpr const char* axes = "xyz";
  const Inertial data = inertial_of(body);
  const E mass = symbol(data.mass, fmt::format("mass of {} (kg)", body.name));
  Vector3<E> centre;
  Matrix3<E> inertia;
  for (int i = 0; i < 3; ++i)
    centre(i) = symbol(data.centre(i), fmt::format("centre {} of {} (m)", axes[i], body.name));
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      const int twin = equal_moment(data.inertia, i, j);
      if (twin >= 0) {
        inertia(i, i) = inertia(twin, twin);
        continue;
      }
      std::string name = fmt::format("I{}{}", axes[i], axes[j]);
      for (int k = i + 1; i == j && k < 3; ++k)
        if (equal_moment(data.inertia, k, k) == i) name += fmt::format(" = I{0}{0}", axes[k]);
      inertia(i, j) = inertia(j, i) = symbol(
          data.inertia(i, j), fmt::format("{} of {} about its centre (kg m^2)", name, body.name));
    }
  return moments_of(mass, centre, inertia);
}

Moments numeric_moments(const Inertial& data) {
  return moments_of(data.mass, data.centre.cast<E>(), data.inertia.cast<E>());
}

void make_inertias(const Model& model, const TraceOptions& options, Symbols& symbol,
                   Parameters<E>& parameters) {
  for (NodeParameters<E>& node : parameters.nodes) {
    NodeParameters<E> empty;
    std::copy(std::begin(node.position), std::end(node.position), empty.position);
    node = empty;
  }
  const Robot& robot = model.robot();
  for (std::size_t b = 0; b < robot.bodies.size(); ++b) {
    const Body& body = model.bodies()[b + 1];
    add_to_node(body.X_NB,
                options.symbolic_inertias ? symbolic_moments(robot.bodies[b], symbol)
                                          : numeric_moments(inertial_of(robot.bodies[b])),
                parameters.nodes[body.node]);
  }
  for (const PayloadData& load : robot.payloads) {
    const Body& body = model.bodies()[model.body(load.body)];
    const Inertial& data = load.inertial;
    Moments moments = numeric_moments(data);
    if (options.symbolic_payloads)
      moments = moments_of(symbol(data.mass, fmt::format("mass of payload {} (kg)", load.name)),
                           data.centre.cast<E>(), data.inertia.cast<E>());
    add_to_node(body.X_NB * load.X_BL, moments, parameters.nodes[body.node]);
  }
}

void make_lengths(const Model& model, Symbols& symbol, Parameters<E>& parameters) {
  std::vector<std::string> joint_of(parameters.nodes.size());
  for (const Joint& joint : model.joints())
    for (int k = 0; k < joint.node_count; ++k) joint_of[joint.first_node + k] = joint.name;
  for (std::size_t i = 1; i < parameters.nodes.size(); ++i)
    for (int k = 0; k < 3; ++k)
      parameters.nodes[i].position[k] =
          symbol(cleaned(model.parameters().nodes[i].position[k]),
                 fmt::format("length {} before {} (m)", "xyz"[k], joint_of[i]));
}

/// Which nodes depend on the inputs first, ..., last - 1 and on nothing else.
std::vector<char> depending_on(const Graph& graph, std::size_t first, std::size_t last) {
  std::vector<char> alone(graph.size(), 0);
  for (std::size_t i = 1; i < graph.size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (node.kind == Kind::input) {
      alone[i] = node.link >= first && node.link < last;
      continue;
    }
    bool all = node.kind != Kind::select || alone[node.link];
    for (int k = 0; k < operand_count(node.kind); ++k)
      all &= node.operands[k].is_constant() || alone[node.operands[k].id()];
    alone[i] = all;
  }
  return alone;
}

/// Rebuilds expressions with symbols for what depends on parameters alone. A number before a
/// product with such a symbol goes into the symbol: 2 (c x) = (2 c) x.
class Hoisting {
 public:
  Hoisting(const Graph& graph, const std::vector<char>& alone, std::function<E(const E&)> symbol)
      : graph_(graph), alone_(alone), symbol_(std::move(symbol)), made_(graph.size()) {}

  Expressions run(const Expressions& outputs) {
    std::vector<char> needed(graph_.size(), 0);
    for (const E& e : outputs) needed[e.id()] = 1;
    for (std::size_t i = graph_.size(); i-- > 1;) {
      if (!needed[i] || alone_[i]) continue;
      const Node& node = graph_.nodes()[i];
      if (node.kind == Kind::select) needed[node.link] = 1;
      for (int k = 0; k < operand_count(node.kind); ++k) needed[node.operands[k].id()] = 1;
    }
    for (std::uint32_t i = 1; i < graph_.size(); ++i)
      if (needed[i] && !alone_[i]) made_[i] = make(graph_.nodes()[i]);
    Expressions out;
    for (const E& e : outputs) out.push_back(operand(e));
    return out;
  }

 private:
  E operand(const E& e) const {
    if (e.is_constant()) return e;
    if (alone_[e.id()]) return symbol_(e);
    const Node& node = graph_.nodes()[e.id()];
    if (node.kind == Kind::product && std::abs(e.factor()) != 1)
      for (int k = 0; k < 2; ++k)
        if (alone_[node.operands[k].id()])
          return symbol_(E::of_node(e.factor(), node.operands[k].id())) *
                 operand(node.operands[1 - k]);
    return made_[e.id()] * E(e.factor());
  }

  E make(const Node& node) const {
    const auto a = [&] { return operand(node.a()); };
    const auto b = [&] { return operand(node.b()); };
    switch (node.kind) {
      case Kind::input:
        return Graph::current().input(graph_.input_names()[node.link]);
      case Kind::sum:
        return a() + b();
      case Kind::product:
        return a() * b();
      case Kind::quotient:
        return a() / b();
      case Kind::sqrt:
        return sqrt(a());
      case Kind::sin:
        return sin(a());
      case Kind::cos:
        return cos(a());
      case Kind::select: {
        const Node& condition = graph_.nodes()[node.link];
        return select(less(operand(condition.a()), operand(condition.b())), a(), b());
      }
      default:
        return 0.0;
    }
  }

  const Graph& graph_;
  const std::vector<char>& alone_;
  std::function<E(const E&)> symbol_;
  Expressions made_;
};

}  // namespace

SymbolicParameters symbolic_parameters(const Model& model, const TraceOptions& options) {
  SymbolicParameters out;
  out.parameters = converted<E>(model.parameters());
  Symbols symbol(out);
  if (options.symbolic_inertias || options.symbolic_payloads)
    make_inertias(model, options, symbol, out.parameters);
  if (options.symbolic_lengths) make_lengths(model, symbol, out.parameters);
  if (out.values.empty())
    throw InputError(
        fmt::format("robot '{}' has no parameter that can remain symbolic", model.name()),
        "a mass, inertia or length that is not zero, or a payload");
  return out;
}

void hoist_parameters(TracedFunction& f) {
  std::size_t last = 0;
  for (const Argument& argument : f.inputs) last += argument.size();
  const Argument p = f.inputs.back();
  const std::shared_ptr<Graph> whole = f.graph;
  const std::vector<char> alone = depending_on(*whole, last - p.size(), last);

  // Every multiple of such a node that states meet is a constant of its own: c[k].
  std::map<std::pair<double, std::uint32_t>, int> place;
  Expressions constants;
  const auto constant_of = [&](const E& e) {
    const double size = std::abs(e.factor());
    const auto [entry, is_new] = place.try_emplace({size, e.id()}, constants.size());
    if (is_new) constants.push_back(E::of_node(size, e.id()));
    return entry->second;
  };
  f.graph = std::make_shared<Graph>();
  {
    const Graph::Scope scope(*f.graph);
    for (const Argument& argument : f.inputs)
      for (int k = 0; &argument != &f.inputs.back() && k < argument.size(); ++k)
        f.graph->input(fmt::format("{}[{}]", argument.name, k));
    const auto symbol = [&](const E& e) {
      const E made = f.graph->input(fmt::format("c[{}]", constant_of(e)));
      return e.factor() < 0 ? -made : made;
    };
    f.expressions = Hoisting(*whole, alone, symbol).run(f.expressions);
  }
  const int count = static_cast<int>(constants.size());
  f.prepare = std::make_shared<TracedFunction>();
  TracedFunction& start = *f.prepare;
  start.robot = f.robot;
  start.name = f.name + "-prepare";
  start.method = "what depends on the parameters alone";
  start.inputs = {p};
  start.outputs = {{"c", count, 1, "constants made of the parameters", {}, {}}};
  start.graph = std::make_shared<Graph>();
  const Graph::Scope scope(*start.graph);
  for (int k = 0; k < p.size(); ++k) start.graph->input(fmt::format("p[{}]", k));
  start.expressions = rebuild(constants, *whole, [](const E&) { return std::nullopt; });
  f.inputs.back() = {"c", count, 1, "constants made of the parameters", {}, {}};
}

}  // namespace ulna::generate
