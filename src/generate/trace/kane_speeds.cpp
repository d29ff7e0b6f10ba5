#include "trace/kane_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "ulna/kinematics/parts/speed_map.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

Eigen::VectorXd some_posture(const Model& model) {
  std::mt19937_64 generator(1);
  return model.random(generator);
}

/// An entry and its value somewhere: symbols cannot say which pivot is large.
struct Entry {
  E symbol;
  double number = 0;
};

/// Gauss and Jordan with pivots chosen by the numbers; what trigonometry shortens is shortened.
Expressions eliminated(std::vector<Entry> S, int m, TrigonometricReducer& reduced) {
  std::vector<Entry> inverse(static_cast<std::size_t>(m) * m);
  for (int k = 0; k < m; ++k) inverse[k + m * k] = {E(1.0), 1};
  const auto change = [&](Entry& entry, const Entry& factor, const Entry& by) {
    entry.symbol = reduced(entry.symbol - factor.symbol * by.symbol);
    entry.number -= factor.number * by.number;
  };
  std::vector<int> row_of(static_cast<std::size_t>(m), -1);
  std::vector<char> used(static_cast<std::size_t>(m), 0);
  for (int k = 0; k < m; ++k) {
    int pivot = -1;
    for (int i = 0; i < m; ++i)
      if (!used[i] &&
          (pivot < 0 || std::abs(S[i + m * k].number) > std::abs(S[pivot + m * k].number)))
        pivot = i;
    used[pivot] = 1;
    row_of[k] = pivot;
    const Entry p = S[pivot + m * k];
    for (int j = 0; j < m; ++j)
      for (std::vector<Entry>* side : {&S, &inverse}) {
        Entry& entry = (*side)[pivot + m * j];
        entry = {reduced(entry.symbol / p.symbol), entry.number / p.number};
      }
    for (int i = 0; i < m; ++i) {
      if (i == pivot || S[i + m * k].symbol.is_zero()) continue;
      const Entry factor = S[i + m * k];
      for (int j = 0; j < m; ++j) {
        change(S[i + m * j], factor, S[pivot + m * j]);
        change(inverse[i + m * j], factor, inverse[pivot + m * j]);
      }
    }
  }
  Expressions out(static_cast<std::size_t>(m) * m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) out[i + m * j] = inverse[row_of[i] + m * j].symbol;
  return out;
}

/// Cofactors over the determinant, 2 x 2 and 3 x 3: both become short by trigonometry.
Expressions by_cofactors(const std::vector<Entry>& S, int m, TrigonometricReducer& reduced) {
  const auto at = [&](int i, int j) { return S[(i % m) + m * (j % m)].symbol; };
  const auto cofactor = [&](int i, int j) {
    if (m == 2) return (i + j) % 2 == 0 ? at(i + 1, j + 1) : -at(i + 1, j + 1);
    return reduced(at(i + 1, j + 1) * at(i + 2, j + 2) - at(i + 1, j + 2) * at(i + 2, j + 1));
  };
  E determinant(0.0);
  for (int j = 0; j < m; ++j) determinant += at(0, j) * cofactor(0, j);
  determinant = reduced(determinant);
  Expressions out(static_cast<std::size_t>(m) * m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) out[i + m * j] = reduced(cofactor(j, i) / determinant);
  return out;
}

Expressions inverted(const std::vector<Entry>& S, int m, TrigonometricReducer& reduced) {
  return m == 2 || m == 3 ? by_cofactors(S, m, reduced) : eliminated(S, m, reduced);
}

std::vector<int> rows_of_others(const SpeedRows& rows) {
  std::vector<int> others;
  for (int r = 0; r < rows.size(); ++r)
    if (rows.rate[r] < 0) others.push_back(r);
  return others;
}

}  // namespace

SpeedRows fixed_speeds(const Model& model, const GeneralizedSpeeds& speeds) {
  model.require_tree("generated code in generalized speeds");
  const Eigen::VectorXd q = some_posture(model), rest = Eigen::VectorXd::Zero(model.speeds());
  const SpeedRows rows = resolve_speeds(model, speeds, q);
  if (rows.formulas &&
      map_of_rows(model, rows, q, rest, 0.3).Y != map_of_rows(model, rows, q, rest, 1.7).Y)
    throw InputError(fmt::format("the rows of the speeds '{}' change with time, which generated "
                                 "functions do not take",
                                 speeds.name),
                     "formulas in which t stands alone");
  return rows;
}

TracedSpeeds traced_speeds(const Tracing& t, const ScratchView<E>& work) {
  TracedSpeeds out{fixed_speeds(t.model, t.options.speeds), {}, {}};
  const int n = t.speeds();
  out.Y = zeros(static_cast<std::size_t>(n) * n);
  out.B = zeros(static_cast<std::size_t>(n) * n);
  Expressions y = zeros(n);
  speed_rows<E>(t.model, out.rows, t.tree(), work, t.q.data(), E(0.3), out.Y.data(), y.data());
  const Eigen::MatrixXd numbers =
      map_of_rows(t.model, out.rows, some_posture(t.model), Eigen::VectorXd::Zero(n), 0.3).Y;
  const std::vector<int> others = rows_of_others(out.rows), &replaced = out.rows.replaced;
  const int m = static_cast<int>(others.size());
  std::vector<Entry> S;
  for (const int k : replaced)
    for (const int r : others) S.push_back({out.Y[r + n * k], numbers(r, k)});
  TrigonometricReducer reduced;
  const Expressions inverse = inverted(S, m, reduced);
  for (int r = 0; r < n; ++r)
    if (out.rows.rate[r] >= 0) out.B[out.rows.rate[r] + n * r] = E(1.0);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      const E& entry = inverse[i + m * j];
      out.B[replaced[i] + n * others[j]] = entry;
      // What other rates add to these speeds is no longer theirs.
      for (int r = 0; r < n; ++r)
        if (const int k = out.rows.rate[r]; k >= 0)
          out.B[replaced[i] + n * r] -= entry * out.Y[others[j] + n * k];
    }
  for (E& entry : out.B) entry = reduced(entry);
  return out;
}

SpeedPartials::SpeedPartials(const Tracing& t, const TracedSpeeds& speeds,
                             const ScratchView<E>& work) {
  KaneScratch<E> memory(t.model.topology());
  const KaneView<E> rates = memory.view();
  partial_velocities(t.tree(), work, rates, t.q.data());
  list_columns(t, speeds, rates);
  const int base = speeds.rows.body > 0 ? t.model.frames()[speeds.rows.body].node : -1;
  for (int i = 1; i < t.tree().size; ++i) {
    if (handed_on_[i]) {
      node_partials(t.tree(), work, view(), t.q.data(), i);
      continue;
    }
    by_product(t, speeds, rates, i);
    if (i == base) unit_turns(t, speeds, i);
  }
}

/// Which speeds u carry each node.
void SpeedPartials::list_columns(const Tracing& t, const TracedSpeeds& speeds,
                                 const KaneView<E>& rates) {
  const int n = t.speeds(),
            base = speeds.rows.body > 0 ? t.model.frames()[speeds.rows.body].node : -1;
  const std::vector<TreeNode>& nodes = t.model.topology().nodes;
  std::vector<int> row_of(static_cast<std::size_t>(n), -1);
  for (int r = 0; r < n; ++r)
    if (speeds.rows.rate[r] >= 0) row_of[speeds.rows.rate[r]] = r;
  std::vector<std::vector<int>> lists(nodes.size());
  handed_on_.assign(nodes.size(), 0);
  for (int i = 1; i < static_cast<int>(nodes.size()); ++i) {
    const TreeNode& node = nodes[i];
    std::vector<int> own;
    for (int k = 0; k < speeds_of(node.kind); ++k) own.push_back(row_of[node.v + k]);
    const bool kept = std::count(own.begin(), own.end(), -1) == 0;
    handed_on_[i] = kept && (node.parent == base || handed_on_[node.parent]);
    if (handed_on_[i]) {
      lists[i] = lists[node.parent];
      lists[i].insert(lists[i].end(), own.begin(), own.end());
      continue;
    }
    for (int r = 0; r < n; ++r)
      for (int c = rates.first[i]; c < rates.first[i + 1]; ++c)
        if (!speeds.B[rates.speed[rates.column[c]] + n * r].is_zero()) {
          lists[i].push_back(r);
          break;
        }
  }
  for (const std::vector<int>& list : lists) {
    first_.push_back(static_cast<int>(column_.size()));
    column_.insert(column_.end(), list.begin(), list.end());
  }
  first_.push_back(static_cast<int>(column_.size()));
  for (int r = 0; r < n; ++r) speed_.push_back(r);
  partial_.resize(column_.size());
}

void SpeedPartials::by_product(const Tracing& t, const TracedSpeeds& speeds,
                               const KaneView<E>& rates, int node) {
  const auto shorter = [&](const Vec3<E>& x) {
    return Vec3<E>{reduced_(x.x), reduced_(x.y), reduced_(x.z)};
  };
  for (int c = first_[node]; c < first_[node + 1]; ++c) {
    PartialVelocity<E> sum{Vec3<E>::zero(), Vec3<E>::zero()};
    for (int k = rates.first[node]; k < rates.first[node + 1]; ++k) {
      const E& share = speeds.B[rates.speed[rates.column[k]] + t.speeds() * column_[c]];
      if (share.is_zero()) continue;
      sum.w += scaled(share, rates.partial[k].w);
      sum.v += scaled(share, rates.partial[k].v);
    }
    partial_[c] = {shorter(sum.w), shorter(sum.v)};
  }
}

/// The components that are speeds have partial velocities one and zero.
void SpeedPartials::unit_turns(const Tracing& t, const TracedSpeeds& speeds, int node) {
  const Mat3<E> R = constant_rotation<E>(t.model.frames()[speeds.rows.body].X_NF.rotation);
  for (int c = first_[node]; c < first_[node + 1]; ++c) {
    Vec3<E> w = in_axes_of(R, partial_[c].w);
    E* const component[3] = {&w.x, &w.y, &w.z};
    for (int r = 0; r < speeds.rows.size(); ++r)
      if (const int k = speeds.rows.component[r]; k >= 0)
        *component[k] = E(r == column_[c] ? 1.0 : 0.0);
    partial_[c].w = R * w;
  }
}

}  // namespace ulna::generate
