// First derivatives of inverse and forward dynamics: the closed form of docs/theory/derivatives.md,
// or the derivatives of the traced efforts, whichever is cheaper.

#include "trace/tracing.hpp"
#include "ulna/dynamics/kernels/inverse_derivatives.hpp"
#include "ulna/model/kernels/spring.hpp"
#include "ulna/spatial/rotation.hpp"
#include "ulna/symbolic/internal/differentiate.hpp"
#include "ulna/symbolic/internal/rebuild.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

/// dq/dt for a unit speed: 1 of one coordinate, but for quaternions.
std::vector<InputRate> unit_rates(const Tracing& t, const TangentBlock& block, int degree) {
  if (block.kind == TangentBlock::Kind::line) return {{t.q[block.q + degree].id(), 1.0}};
  Quaternion<E> turn;
  for (int k = 0; k < 4; ++k) turn(k) = t.q[block.q + k];
  Vector3<E> unit;
  for (int k = 0; k < 3; ++k) unit(k) = degree % 3 == k ? 1.0 : 0.0;
  std::vector<InputRate> rates;
  if (degree < 3) {
    const Quaternion<E> rate = quaternion_rate<E>(turn, unit);
    for (int k = 0; k < 4; ++k) rates.push_back({t.q[block.q + k].id(), rate(k)});
  } else {
    const Matrix3<E> R = rotation_from_quaternion<E>(turn);
    for (int k = 0; k < 3; ++k) rates.push_back({t.q[block.q + 4 + k].id(), R(k, degree - 3)});
  }
  return rates;
}

/// dtau/dq and dtau/dv, by rows, one after the other.
Expressions by_directions(const Tracing& t, const Expressions& tau) {
  const int n = t.speeds();
  Expressions dq, dv;
  const auto append = [&](Expressions& to, const std::vector<InputRate>& direction) {
    const Expressions column = derivatives_along(tau, direction);
    to.insert(to.end(), column.begin(), column.end());
  };
  for (const auto& direction : coordinate_directions(t)) append(dq, direction);
  for (int k = 0; k < n; ++k) append(dv, {{t.v[k].id(), 1.0}});
  Expressions out = by_rows(dq, n, n);
  const Expressions rows = by_rows(dv, n, n);
  out.insert(out.end(), rows.begin(), rows.end());
  return out;
}

Expressions by_gradients(const Tracing& t, const Expressions& tau) {
  const std::vector<std::vector<InputRate>> ways = coordinate_directions(t);
  Expressions inputs = t.q;
  inputs.insert(inputs.end(), t.v.begin(), t.v.end());
  std::vector<std::size_t> place(Graph::current().size());
  for (std::size_t k = 0; k < t.q.size(); ++k) place[t.q[k].id()] = k;
  Expressions dq, dv;
  for (const E& effort : tau) {
    const Expressions slope = gradient(effort, inputs);
    for (const auto& direction : ways) {
      E sum(0.0);
      for (const InputRate& rate : direction) sum += slope[place[rate.id]] * rate.rate;
      dq.push_back(sum);
    }
    dv.insert(dv.end(), slope.begin() + static_cast<long>(t.q.size()), slope.end());
  }
  dq.insert(dq.end(), dv.begin(), dv.end());
  return dq;
}

/// The closed form with any accelerations.
Expressions by_closed_form(const Tracing& t) {
  const std::size_t n = t.speeds();
  const Parameters<E> parameters = t.grouped(true);
  Scratch<E> scratch(t.model.topology());
  ColumnScratch<E> columns(t.model.topology());
  Expressions dq = zeros(n * n), dv = zeros(n * n);
  inverse_derivatives<E>(view<E>(t.model.topology(), parameters), scratch.view(), columns.view(),
                         t.q.data(), t.v.data(), t.a.data(), dq.data(), dv.data(), nullptr);
  for (const DegreeTerms& terms : t.model.degree_terms()) {
    const double square = terms.multiplier * terms.multiplier;
    if (terms.has_spring())
      dq[terms.v * (n + 1)] += square * spring_tangent(terms, spring_stretch(terms, t.q.data()));
    dv[terms.v * (n + 1)] += square * terms.damping;
  }
  Expressions out = by_rows(dq, t.speeds(), t.speeds());
  const Expressions rows = by_rows(dv, t.speeds(), t.speeds());
  out.insert(out.end(), rows.begin(), rows.end());
  return out;
}

std::vector<Traced> derivatives_of_efforts(const Tracing& t) {
  const Expressions tau = traced_inverse(t, t.v, t.a);
  std::vector<Traced> ways = {{by_directions(t, tau), "efforts differentiated forward"},
                              {by_gradients(t, tau), "efforts differentiated backward"}};
  // The closed form knows springs along joints, not those between bodies.
  if (t.model.elements().empty()) ways.insert(ways.begin(), {by_closed_form(t), "closed form"});
  return ways;
}

}  // namespace

std::vector<std::vector<InputRate>> coordinate_directions(const Tracing& t) {
  std::vector<std::vector<InputRate>> out(t.speeds());
  for (const TangentBlock& block : t.model.blocks())
    for (int k = 0; k < block.speeds; ++k) out[block.v + k] = unit_rates(t, block, k);
  return out;
}

Traced trace_inverse_derivatives(const Tracing& t) {
  // The derivatives and the mass matrix may share work: every pair is weighed.
  std::vector<Traced> pairs;
  const std::vector<Traced> matrices = mass_matrix_ways(t);
  for (const Traced& way : derivatives_of_efforts(t))
    for (const Traced& M : matrices) {
      pairs.push_back({way.expressions, way.method + "; mass matrix by " + M.method});
      Expressions& all = pairs.back().expressions;
      all.insert(all.end(), M.expressions.begin(), M.expressions.end());
    }
  return cheapest(std::move(pairs));
}

Traced trace_forward_derivatives(const Tracing& t) {
  const int n = t.speeds();
  const MassFactor factor(traced_mass_matrix(t), n);
  Expressions a = t.tau;
  const Expressions bias = traced_inverse(t, t.v, zeros(n));
  for (int k = 0; k < n; ++k) a[k] -= bias[k];
  factor.solve(a.data());
  // The derivatives of the efforts with symbols for the accelerations, which are put in afterwards.
  Tracing with_symbols = t;
  for (int k = 0; k < n; ++k)
    with_symbols.a[k] = Graph::current().input("acceleration" + std::to_string(k));
  Traced efforts = cheapest(derivatives_of_efforts(with_symbols));
  const std::uint32_t first = with_symbols.a.front().id();
  efforts.expressions =
      rebuild(efforts.expressions, Graph::current(), [&](const E& e) -> std::optional<E> {
        for (int k = 0; e.id() >= first && k < n; ++k)
          if (with_symbols.a[k].id() == e.id()) return a[k] * E(e.factor());
        return std::nullopt;
      });
  // da/dx = -M^-1 dtau/dx
  Expressions out = a;
  const auto solve_columns = [&](auto column_entry) {
    Expressions columns;
    for (int j = 0; j < n; ++j) {
      Expressions x(n);
      for (int i = 0; i < n; ++i) x[i] = column_entry(i, j);
      factor.solve(x.data());
      columns.insert(columns.end(), x.begin(), x.end());
    }
    const Expressions rows = by_rows(columns, n, n);
    out.insert(out.end(), rows.begin(), rows.end());
  };
  for (int part = 0; part < 2; ++part)
    solve_columns([&](int i, int j) { return -efforts.expressions[(part * n + i) * n + j]; });
  solve_columns([&](int i, int j) { return E(i == j ? 1.0 : 0.0); });
  // The inverse of M is symmetric: half of it is enough.
  E* const inverse = out.data() + out.size() - static_cast<std::size_t>(n) * n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) inverse[j * n + i] = inverse[i * n + j];
  return {std::move(out), "factorised mass matrix; derivatives of efforts: " + efforts.method};
}

}  // namespace ulna::generate
