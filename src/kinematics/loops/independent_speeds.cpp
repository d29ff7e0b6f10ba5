#include "ulna/kinematics/independent_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "loops/loop_components.hpp"
#include "ulna/kinematics/internal/speeds_around.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

std::vector<int> others(int n, const std::vector<int>& some) {
  std::vector<bool> in(n, false);
  for (int k : some) in[k] = true;
  std::vector<int> rest;
  for (int k = 0; k < n; ++k)
    if (!in[k]) rest.push_back(k);
  return rest;
}

/// The least change, in scaled coordinates, that brings x to A x = b.
Eigen::VectorXd nearest(const LoopClosure& closure, const VectorRef& x, const Eigen::VectorXd& b) {
  if (closure.rows() == 0) return x;
  const dense::LeastNorm solver(closure.scaled_jacobian(), loop_rank_tolerance_of(closure.model()));
  const Eigen::VectorXd miss = closure.row_scale().cwiseProduct(b - closure.times(x));
  return x + closure.column_scale().cwiseProduct(solver.solve(miss));
}

std::string names_of(const Model& model, const std::vector<int>& speeds) {
  std::string text;
  for (int k : speeds) text += (text.empty() ? "'" : ", '") + model.speed_names()[k] + "'";
  return text;
}

}  // namespace

std::vector<int> leading_columns(const Eigen::MatrixXd& A, const std::vector<int>& preferred,
                                 int rank, double tolerance) {
  std::vector<int> columns;
  for (const int k : rank_by_qr(A(Eigen::all, preferred).transpose(), tolerance).independent_rows)
    columns.push_back(preferred[k]);
  const int left = rank - static_cast<int>(columns.size());
  if (left <= 0) return columns;
  const std::vector<int> other = others(static_cast<int>(A.cols()), preferred);
  Eigen::MatrixXd rest = A(Eigen::all, other);
  if (!columns.empty()) {
    const Eigen::MatrixXd Q = dense::Qr(A(Eigen::all, columns)).thin_Q();
    rest -= Q * (Q.transpose() * rest);
  }
  const std::vector<int> order = dense::PivotedQr(rest).column_order();
  for (int k = 0; k < std::min(left, static_cast<int>(order.size())); ++k)
    columns.push_back(other[order[k]]);
  return columns;
}

double quality_of(const LoopClosure& closure, const SpeedSplit& split) {
  double smallest = 1, largest = 0;
  bool any = false;
  for (const LoopComponent& part : loop_components(closure)) {
    std::vector<int> columns;
    for (std::size_t c = 0; c < part.columns.size(); ++c)
      if (std::binary_search(split.dependent.begin(), split.dependent.end(), part.columns[c]))
        columns.push_back(static_cast<int>(c));
    const Eigen::MatrixXd A = scaled_jacobian(closure, part)(Eigen::all, columns);
    if (A.size() == 0) continue;
    const Eigen::VectorXd values = dense::singular_values(A);
    smallest = any ? std::min(smallest, values(values.size() - 1)) : values(values.size() - 1);
    largest = std::max(largest, values(0));
    any = true;
  }
  if (!any) return 1;
  return largest > 0 ? smallest / largest : 0;
}

SpeedSplit split_speeds(const LoopClosure& closure) {
  const int n = closure.model().speeds();
  SpeedSplit split;
  if (closure.rows() == 0) {
    split.independent = others(n, {});
    return split;
  }
  // rank_by_qr of A' pivots on the rows of A', the columns of A.
  const double tolerance = loop_rank_tolerance_of(closure.model());
  for (const LoopComponent& part : loop_components(closure)) {
    const Eigen::MatrixXd A = scaled_jacobian(closure, part);
    const RankDecision decision = rank_by_qr(A.transpose(), tolerance);
    split.rank += decision.rank;
    // Modal speeds are left for the last: a flexible mechanism is moved by its joints, and its
    // modes are freedoms of their own wherever the joints close the loops.
    std::vector<int> joints;
    for (int k = 0; k < std::ssize(part.columns); ++k)
      if (part.columns[k] < closure.model().joint_speeds()) joints.push_back(k);
    const std::vector<int> chosen = std::ssize(joints) < std::ssize(part.columns)
                                        ? leading_columns(A, joints, decision.rank, tolerance)
                                        : decision.independent_rows;
    for (const int k : chosen) split.dependent.push_back(part.columns[k]);
  }
  std::sort(split.dependent.begin(), split.dependent.end());
  split.independent = others(n, split.dependent);
  split.quality = quality_of(closure, split);
  return split;
}

SpeedSplit split_speeds(const LoopClosure& closure, const std::vector<int>& independent) {
  const Model& model = closure.model();
  SpeedSplit split = split_speeds(closure);
  std::vector<int> chosen = independent;
  std::sort(chosen.begin(), chosen.end());
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k] < 0 || chosen[k] >= model.speeds() || (k > 0 && chosen[k] == chosen[k - 1]))
      throw InputError(fmt::format("speed number {} among the independent ones", chosen[k]),
                       fmt::format("different numbers 0 .. {}", model.speeds() - 1));
  const std::size_t needed = split.independent.size();
  if (chosen.size() != needed)
    throw InputError(
        fmt::format("{} independent speeds ({}) for robot '{}'", chosen.size(),
                    names_of(model, chosen), model.name()),
        fmt::format("{}, as many as it has degrees of freedom here", needed),
        needed == 0 ? "" : fmt::format("for example {}", names_of(model, split.independent)));
  const std::vector<int> best = split.independent;  // ascending, too
  split.independent = chosen;
  split.dependent = others(model.speeds(), chosen);
  const Eigen::MatrixXd A = closure.scaled_jacobian();
  split.quality = dense::reciprocal_condition(A(Eigen::all, split.dependent));
  if (split.rank == 0 || split.quality > loop_rank_tolerance_of(closure.model())) return split;
  if (chosen == best)
    throw ComputationError(
        fmt::format("the loops of robot '{}' are at a singular posture here ({:.2g}): no {} of its "
                    "speeds determine the others",
                    model.name(), split.quality, needed),
        split.quality);
  throw ComputationError(
      fmt::format("{} do not determine the other speeds of robot '{}' here (singular: {:.2g}); "
                  "for example {} do",
                  names_of(model, chosen), model.name(), split.quality, names_of(model, best)),
      split.quality);
}

SpeedSplit split_speeds_around(const LoopClosure& closure, const std::vector<int>& chosen) {
  const Model& model = closure.model();
  const int rank = split_speeds(closure).rank;
  const std::vector<int> open = others(model.speeds(), chosen);
  std::vector<int> joints, independent = chosen;
  for (int k = 0; k < std::ssize(open); ++k)
    if (open[k] < model.joint_speeds()) joints.push_back(k);
  const double tolerance = loop_rank_tolerance_of(model);
  const Eigen::MatrixXd rest = closure.scaled_jacobian()(Eigen::all, open);
  if (rank_by_qr(rest.transpose(), tolerance).rank < rank)
    throw ComputationError(
        chosen.size() == 1
            ? fmt::format("the loops of robot '{}' do not let {} move at this posture",
                          model.name(), names_of(model, chosen))
            : fmt::format("the loops of robot '{}' bind {} to each other at this posture",
                          model.name(), names_of(model, chosen)));
  std::vector<int> dependent = leading_columns(rest, joints, rank, tolerance);
  std::sort(dependent.begin(), dependent.end());
  for (int k = 0; k < std::ssize(open); ++k)
    if (!std::binary_search(dependent.begin(), dependent.end(), k)) independent.push_back(open[k]);
  return split_speeds(closure, independent);
}

CoordinateMap independent_map(const LoopClosure& closure, const SpeedSplit& split) {
  const int n = closure.model().speeds();
  const auto free = static_cast<Eigen::Index>(split.independent.size());
  CoordinateMap map;
  map.G.setZero(n, free);
  map.gamma.setZero(n);
  for (Eigen::Index k = 0; k < free; ++k) map.G(split.independent[k], k) = 1;
  if (split.rank == 0) return map;
  // eq. 11: the dependent columns have full rank, redundant rows agree with the others.
  const Eigen::MatrixXd A = closure.scaled_jacobian();
  const dense::PivotedQr qr(A(Eigen::all, split.dependent));
  const Eigen::VectorXd b = closure.row_scale().cwiseProduct(closure.bias());
  const Eigen::MatrixXd G = -qr.solve(A(Eigen::all, split.independent));
  const Eigen::VectorXd gamma = qr.solve(b);
  const Eigen::VectorXd& scale = closure.column_scale();
  for (std::size_t r = 0; r < split.dependent.size(); ++r) {
    const int k = split.dependent[r];
    const auto row = static_cast<Eigen::Index>(r);
    map.gamma(k) = scale(k) * gamma(row);
    for (Eigen::Index c = 0; c < free; ++c)
      map.G(k, c) = scale(k) * G(row, c) / scale(split.independent[c]);
  }
  return map;
}

Eigen::VectorXd compatible_speeds(const LoopClosure& closure, const VectorRef& v) {
  check_size(closure.model(), v, closure.model().speeds(), "v");
  return nearest(closure, v, Eigen::VectorXd::Zero(closure.rows()));
}

Eigen::VectorXd compatible_accelerations(const LoopClosure& closure, const VectorRef& a) {
  check_size(closure.model(), a, closure.model().speeds(), "a");
  return nearest(closure, a, closure.bias());
}

std::vector<int> speeds_by_name(const Model& model, const std::vector<std::string>& names) {
  std::vector<int> speeds;
  const std::vector<std::string>& known = model.speed_names();
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      throw InputError(fmt::format("robot '{}' has no speed '{}'", model.name(), name), {},
                       nearest_name_hint(name, known));
    speeds.push_back(static_cast<int>(found - known.begin()));
  }
  return speeds;
}

}  // namespace ulna
