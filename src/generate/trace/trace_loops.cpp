// Loop residuals and the dynamics of closed loops, traced (docs/generation.md, "Loops"). The rows
// are those of kinematics/loop_rows.hpp; A and its rate are their derivatives along the speeds.

#include <fmt/format.h>

#include <algorithm>

#include "trace/closing_efforts.hpp"
#include "trace/formulation_route.hpp"
#include "trace/loop_choice.hpp"
#include "ulna/kinematics/kernels/forward_kinematics.hpp"
#include "ulna/kinematics/kernels/loop_rows.hpp"
#include "ulna/scalar/kernels/gram_schmidt.hpp"
#include "ulna/scalar/kernels/ldlt.hpp"
#include "ulna/symbolic/internal/differentiate.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

/// r(q), the rows of all loops in order.
Expressions residuals(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  node_poses(t.tree(), scratch.view(), t.q.data());
  Expressions r;
  for (const Loop& loop : t.model.loops()) {
    E rows[6];
    if (loop.kind == LoopKind::coupling) {
      rows[0] = E(-loop.offset);
      for (const CouplingTerm& term : loop.terms) rows[0] += term.value(t.q[term.q]);
    } else {
      loop_rows(loop, traced_loop_pose(scratch.view(), loop), rows);
    }
    r.insert(r.end(), rows, rows + loop.rows);
  }
  return r;
}

/// Residual, A by columns and b = -dA/dt v.
struct Closure {
  Expressions r, A, b;
  int rows = 0, speeds = 0;

  const E& at(int row, int speed) const { return A[row + rows * speed]; }
};

Closure closure(const Tracing& t) {
  Closure c;
  c.r = residuals(t);
  c.rows = static_cast<int>(c.r.size());
  c.speeds = t.speeds();
  // q moves along the sum of the directions, each times its speed; so does A v, with v held.
  Expressions speed_of_r = zeros(c.r.size());
  Expressions rates = zeros(t.q.size());
  for (int k = 0; const auto& direction : coordinate_directions(t)) {
    const Expressions column = derivatives_along(c.r, direction);
    for (std::size_t i = 0; i < column.size(); ++i) speed_of_r[i] += column[i] * t.v[k];
    for (const InputRate& rate : direction)
      for (std::size_t i = 0; i < t.q.size(); ++i)
        if (t.q[i].id() == rate.id) rates[i] += rate.rate * t.v[k];
    c.A.insert(c.A.end(), column.begin(), column.end());
    ++k;
  }
  std::vector<InputRate> along;
  for (std::size_t i = 0; i < t.q.size(); ++i) along.push_back({t.q[i].id(), rates[i]});
  for (const E& x : derivatives_along(speed_of_r, along)) c.b.push_back(-x);
  return c;
}

std::string row_text(const Model& model, const LoopChoice& choice) {
  std::string text;
  int first = 0;
  for (const Loop& loop : model.loops()) {
    int kept = 0;
    for (const int row : choice.rows) kept += row >= first && row < first + loop.rows;
    text += fmt::format("{}{} of the {} rows of {}", text.empty() ? "" : ", ", kept, loop.rows,
                        loop.joint);
    first += loop.rows;
  }
  return text;
}

/// How the open tree was described, where that was asked for.
std::string tree_text(const Tracing& t) {
  if (t.options.method.empty()) return {};
  return t.options.method + "; ";
}

/// M^-1 for several right sides, and S = A M^-1 A' of the rows kept.
class Equations {
 public:
  Equations(const Tracing& t, const LoopChoice& choice)
      : rows_(choice.rows), c_(closure(t)), M_(traced_mass_matrix(t), t.speeds()) {
    const int n = t.speeds(), m = static_cast<int>(rows_.size());
    for (const int row : rows_) {
      Expressions y = row_of_A(row);
      M_.solve(y.data());
      Y_.push_back(std::move(y));
    }
    S_ = zeros(static_cast<std::size_t>(m) * m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j <= i; ++j)
        for (int k = 0; k < n; ++k) S_[i * m + j] += c_.at(rows_[i], k) * Y_[j][k];
    ldlt_factor(S_.data(), m, m);
  }

  Expressions row_of_A(int row) const {
    Expressions out;
    for (int k = 0; k < c_.speeds; ++k) out.push_back(c_.at(row, k));
    return out;
  }

  /// right = tau - c becomes a; `loads` A' lambda.
  void solve(Expressions& right, Expressions& loads) const {
    const int n = c_.speeds, m = static_cast<int>(rows_.size());
    M_.solve(right.data());
    Expressions lambda;
    for (const int row : rows_) {
      E missing = c_.b[row];
      for (int k = 0; k < n; ++k) missing -= c_.at(row, k) * right[k];
      lambda.push_back(missing);
    }
    ldlt_solve(S_.data(), m, m, lambda.data());
    loads = zeros(n);
    for (int i = 0; i < m; ++i)
      for (int k = 0; k < n; ++k) {
        right[k] += Y_[i][k] * lambda[i];
        loads[k] += c_.at(rows_[i], k) * lambda[i];
      }
  }

 private:
  std::vector<int> rows_;
  Closure c_;
  MassFactor M_;
  std::vector<Expressions> Y_;  ///< M^-1 A', by rows of A
  Expressions S_;
};

/// What the open tree and the closing joints need at these accelerations.
Expressions needed_efforts(const Tracing& t, const Expressions& a) {
  Expressions efforts = traced_inverse(t, t.v, a);
  add_closing_efforts(t, efforts);
  return efforts;
}

}  // namespace

Traced trace_loop_residual(const Tracing& t) {
  const Closure c = closure(t);
  Expressions out = c.r;
  const Expressions A = by_rows(c.A, c.rows, c.speeds);
  out.insert(out.end(), A.begin(), A.end());
  out.insert(out.end(), c.b.begin(), c.b.end());
  return {std::move(out), "rows of the loops, differentiated along the speeds"};
}

Traced trace_loop_forward(const Tracing& t) {
  chosen_formulation(t, Question::forward);
  const LoopChoice choice = choose_for_loops(t.model, t.options);
  Expressions a = t.tau, loads;
  const Expressions bias = needed_efforts(t, zeros(t.speeds()));
  for (int k = 0; k < t.speeds(); ++k) a[k] -= bias[k];
  Equations(t, choice).solve(a, loads);
  a.insert(a.end(), loads.begin(), loads.end());
  return {std::move(a),
          fmt::format("{}multipliers by LDL' on {}, which must be independent", tree_text(t),
                      row_text(t.model, choice)),
          choice.rows};
}

Traced trace_loop_inverse(const Tracing& t) {
  chosen_formulation(t, Question::inverse);
  const LoopChoice choice = choose_for_loops(t.model, t.options);
  const Closure c = closure(t);
  const Expressions needed = needed_efforts(t, t.a);
  // The speeds without motors get all they need from the loops: a square system for lambda.
  std::vector<int> passive;
  for (int k = 0; k < t.speeds(); ++k)
    if (std::find(choice.actuated.begin(), choice.actuated.end(), k) == choice.actuated.end())
      passive.push_back(k);
  const int m = static_cast<int>(choice.rows.size());
  Expressions B, w, R = zeros(static_cast<std::size_t>(m) * m), lambda = zeros(m);
  for (const int row : choice.rows)
    for (const int k : passive) B.push_back(c.at(row, k));
  for (const int k : passive) w.push_back(needed[k]);
  if (m > 0) gram_schmidt_solve(B.data(), w.data(), m, R.data(), lambda.data());
  Expressions loads = zeros(t.speeds()), out = zeros(t.speeds());
  for (int i = 0; i < m; ++i)
    for (int k = 0; k < t.speeds(); ++k) loads[k] += c.at(choice.rows[i], k) * lambda[i];
  std::string motors;
  for (const int k : choice.actuated) {
    out[k] = needed[k] - loads[k];
    motors += (motors.empty() ? "" : ", ") + t.model.speed_names()[k];
  }
  out.insert(out.end(), loads.begin(), loads.end());
  return {std::move(out),
          fmt::format("{}motors at {}; {}, which must be independent", tree_text(t), motors,
                      row_text(t.model, choice)),
          choice.rows, choice.actuated};
}

}  // namespace ulna::generate
