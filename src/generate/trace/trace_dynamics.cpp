// Inverse and forward dynamics and their parts, traced.

#include <fmt/format.h>

#include "trace/formulation_route.hpp"
#include "ulna/dynamics/kernels/articulated_body.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/dynamics/kernels/inverse_derivatives.hpp"
#include "ulna/dynamics/kernels/passive_efforts.hpp"
#include "ulna/generate/internal/shortest_inverse_dynamics.hpp"
#include "ulna/generate/internal/thorough_search.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/scalar/kernels/ldlt.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

/// For the header comment; InputError where the formulation does not answer the question.
std::string formulation_text(const Tracing& t, Question question) {
  const Formulation& f = chosen_formulation(t, question);
  return t.options.speeds.joint_rates()
             ? std::string(f.name)
             : fmt::format("{} in the speeds {}", f.name, t.options.speeds.name);
}

Expressions by_factorised_matrix(const Tracing& t) {
  Expressions a = t.tau;
  const Expressions bias = traced_inverse(t, t.v, zeros(t.speeds()));
  for (int k = 0; k < t.speeds(); ++k) a[k] -= bias[k];
  MassFactor(traced_mass_matrix(t), t.speeds()).solve(a.data());
  return a;
}

Expressions quick(const Tracing& t, const ParameterMaker& parameters, const Expressions& v,
                  const Expressions& a) {
  return shortest_inverse_dynamics(t.model.topology(), parameters, Graph::current(), t.q, v, a).tau;
}

Expressions thorough(const Tracing& t, const ParameterMaker& parameters, const Expressions& v,
                     const Expressions& a) {
  ThoroughOptions options;
  options.seconds = t.options.thorough_seconds;
  options.rounds = t.options.thorough_rounds;
  options.at_most = t.options.at_most;
  if (t.options.progress)
    options.progress = [&t](const ThoroughProgress& now) {
      t.options.progress(fmt::format("{:.0f} s: round {}, {} multiplications + {} additions",
                                     now.seconds, now.round, now.best.multiplications,
                                     now.best.additions));
    };
  return thorough_inverse_dynamics(t.model.topology(), parameters, Graph::current(), t.q, v, a,
                                   options)
      .tau;
}

// Trees with ball joints have no compact form.
Traced shortest_efforts(const Tracing& t, const Expressions& v, const Expressions& a) {
  Traced plain{traced_inverse(t, v, a), "Newton-Euler, inertial parameters grouped"};
  if (!has_compact_form(t.model.topology())) return plain;
  const ParameterMaker parameters = [&t](Graph& graph) {
    Graph::Scope scope(graph);
    const bool symbolic = t.options.symbolic();
    return symbolic ? symbolic_parameters(t.model, t.options).parameters
                    : converted<E>(t.model.parameters());
  };
  Expressions tau =
      t.options.thorough_seconds > 0 ? thorough(t, parameters, v, a) : quick(t, parameters, v, a);
  traced_passive_efforts(t, v, 1, tau);
  const auto at_run_time = [](const Expressions& efforts) {
    const OperationCount n = operations_at_run_time(efforts, Graph::current());
    return n.multiplications + n.additions;
  };
  if (at_run_time(plain.expressions) <= at_run_time(tau)) return plain;
  return {std::move(tau), "Newton-Euler in its compact form, factored"};
}

}  // namespace

Expressions newton_euler_efforts(const Tracing& t, const Expressions& v, const Expressions& a) {
  const Parameters<E> parameters = t.grouped(true);
  Scratch<E> scratch(t.model.topology());
  Expressions tau = zeros(t.speeds());
  newton_euler<E>(view<E>(t.model.topology(), parameters), scratch.view(), t.q.data(), v.data(),
                  a.data(), nullptr, tau.data());
  return tau;
}

Expressions articulated_accelerations(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  Expressions left = t.tau, a = zeros(t.speeds());
  traced_passive_efforts(t, t.v, -1, left);
  articulated_body<E>(t.tree(), scratch.view(), t.q.data(), t.v.data(), left.data(), nullptr,
                      a.data());
  return a;
}

Expressions composite_mass(const Tracing& t) { return cheapest(mass_matrix_ways(t)).expressions; }

void traced_passive_efforts(const Tracing& t, const Expressions& v, double sense,
                            Expressions& tau) {
  add_passive_efforts<E>(t.model.degree_terms(), t.q.data(), v.data(), sense, tau.data());
  std::vector<ElementDrive<E>> drives;
  std::size_t inputs = 0;
  for (const Element& e : t.model.elements()) {
    drives.push_back(drive_of<E>(e));
    if (e.input) drives.back().force = t.u[inputs++];
    if (t.model.has_timed_elements()) drives.back().time = t.u.back();
  }
  add_element_efforts<E>(t.model.elements(), t.tree(), t.q.data(), v.data(), sense, tau.data(),
                         drives.data());
}

Expressions traced_inverse(const Tracing& t, const Expressions& v, const Expressions& a) {
  Expressions tau = route_efforts(t, v, a);
  traced_passive_efforts(t, v, 1, tau);
  return tau;
}

std::vector<Traced> mass_matrix_ways(const Tracing& t) {
  const Parameters<E> parameters = t.grouped(false);
  const TreeView<E> tree = view<E>(t.model.topology(), parameters);
  const std::size_t entries = static_cast<std::size_t>(t.speeds()) * t.speeds();
  Scratch<E> scratch(t.model.topology());
  ColumnScratch<E> columns(t.model.topology());
  Expressions own_axes = zeros(entries), world_axes = zeros(entries);
  composite_body<E>(tree, scratch.view(), t.q.data(), own_axes.data());
  world_mass_matrix<E>(tree, scratch.view(), columns.view(), t.q.data(), world_axes.data());
  return {{own_axes, "composite bodies in their own axes, inertial parameters grouped"},
          {world_axes, "composite bodies in world axes, inertial parameters grouped"}};
}

Traced trace_mass(const Tracing& t) {
  if (t.options.method.empty()) return cheapest(mass_matrix_ways(t));
  const std::string text = formulation_text(t, Question::mass);
  return {route_mass(t), text};
}

Expressions traced_mass_matrix(const Tracing& t) { return trace_mass(t).expressions; }

MassFactor::MassFactor(Expressions M, int speeds) : n_(speeds), factor_(std::move(M)) {
  // Reversed in both directions the last speed comes first.
  std::reverse(factor_.begin(), factor_.end());
  ldlt_factor(factor_.data(), n_, n_);
}

void MassFactor::solve(E* x) const {
  std::reverse(x, x + n_);
  ldlt_solve(factor_.data(), n_, n_, x);
  std::reverse(x, x + n_);
}

Traced trace_inverse(const Tracing& t) {
  if (t.options.method.empty()) return shortest_efforts(t, t.v, t.a);
  const std::string text = formulation_text(t, Question::inverse);
  return {traced_inverse(t, t.v, t.a), text};
}

Traced trace_bias(const Tracing& t) {
  if (t.options.method.empty()) return shortest_efforts(t, t.v, zeros(t.speeds()));
  const std::string text = formulation_text(t, Question::inverse);
  return {traced_inverse(t, t.v, zeros(t.speeds())), text};
}

Traced trace_gravity(const Tracing& t) {
  return {newton_euler_efforts(t, zeros(t.speeds()), zeros(t.speeds())),
          "Newton-Euler, inertial parameters grouped"};
}

Traced trace_forward(const Tracing& t) {
  if (!t.options.method.empty()) {
    const std::string text = formulation_text(t, Question::forward);
    return {route_accelerations(t), text};
  }
  std::vector<Traced> ways = {{by_factorised_matrix(t), "factorised mass matrix"}};
  if (!t.model.topology().shared_speeds)
    ways.push_back({articulated_accelerations(t), "articulated bodies"});
  return cheapest(std::move(ways));
}

}  // namespace ulna::generate
