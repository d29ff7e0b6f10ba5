// Influence coefficients through loops: the speeds of the tree, and the rates of the joints that
// close it, from any that determine them. docs/theory/influence-coefficients.md, eq. 7-9.

#include <fmt/format.h>

#include <algorithm>

#include "loops/polarise.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/kinematics/internal/determination.hpp"
#include "ulna/model/parts/closing_names.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

int degrees_of(const Loop& loop) {
  return loop.kind == LoopKind::joint ? size_of(loop.type).speeds : 0;
}

std::string input_names(const Model& model, const std::vector<int>& inputs) {
  const std::vector<std::string> names = all_speed_names(model);
  std::string text;
  for (int k : inputs) text += (text.empty() ? "'" : ", '") + names[k] + "'";
  return text;
}

}  // namespace

double determination(const LoopClosure& closure, const SpeedSplit& split,
                     const std::vector<int>& places, Eigen::MatrixXd N) {
  if (N.size() == 0) return 1;
  const Model& model = closure.model();
  std::vector<double> scale(closure.column_scale().begin(), closure.column_scale().end());
  for (int k = 0; k < std::ssize(model.loops()); ++k)
    for (int d = 0; d < degrees_of(model.loops()[k]); ++d)
      scale.push_back(closing_scale(model, k, d));
  N *= closure.column_scale()(split.independent).asDiagonal();
  for (Eigen::Index r = 0; r < N.rows(); ++r)
    N.row(r) /= scale[static_cast<std::size_t>(places[static_cast<std::size_t>(r)])];
  const Eigen::VectorXd sigma = dense::singular_values(N);
  return sigma.minCoeff() / std::max(1.0, sigma.maxCoeff());
}

std::vector<Eigen::MatrixXd> polarised(
    Eigen::Index out, Eigen::Index in,
    const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& quadratic) {
  std::vector<Eigen::MatrixXd> planes(static_cast<std::size_t>(out), Eigen::MatrixXd::Zero(in, in));
  Eigen::MatrixXd alone(out, in);
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(in, in);
  for (Eigen::Index i = 0; i < in; ++i) alone.col(i) = quadratic(unit.col(i));
  for (Eigen::Index i = 0; i < in; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const Eigen::VectorXd value =
          i == j ? Eigen::VectorXd(alone.col(i))
                 : Eigen::VectorXd(
                       0.5 * (quadratic(unit.col(i) + unit.col(j)) - alone.col(i) - alone.col(j)));
      for (Eigen::Index k = 0; k < out; ++k)
        planes[static_cast<std::size_t>(k)](i, j) = planes[static_cast<std::size_t>(k)](j, i) =
            value(k);
    }
  return planes;
}

CoordinateMap closed_loop_map(LoopClosure& closure, Workspace& work, const VectorRef& q,
                              const SpeedSplit& split) {
  const Model& model = closure.model();
  closure.update_rates(work, q, Eigen::VectorXd::Zero(model.speeds()));
  CoordinateMap map = independent_map(closure, split);
  map.H.assign(static_cast<std::size_t>(map.out()), Eigen::MatrixXd::Zero(map.in(), map.in()));
  if (split.rank > 0)
    map.H = polarised(map.out(), map.in(), [&](const Eigen::VectorXd& u) -> Eigen::VectorXd {
      closure.update_rates(work, q, map.G * u);
      return independent_map(closure, split).gamma;
    });
  return map;
}

std::vector<std::string> all_speed_names(const Model& model) {
  std::vector<std::string> names = model.speed_names();
  for (const Loop& loop : model.loops())
    for (std::string& name : closing_speed_names(loop)) names.push_back(std::move(name));
  return names;
}

CoordinateMap all_speeds_map(LoopClosure& closure, Workspace& work, const VectorRef& q,
                             const SpeedSplit& split) {
  const Model& model = closure.model();
  const CoordinateMap tree = closed_loop_map(closure, work, q, split);
  const Eigen::Index n = tree.out(), in = tree.in();
  CoordinateMap map = tree;
  const auto total = static_cast<Eigen::Index>(all_speed_names(model).size());
  map.G.conservativeResize(total, Eigen::NoChange);
  map.gamma.setZero(total);
  Eigen::Index row = n;
  for (int k = 0; k < std::ssize(model.loops()); ++k) {
    const int degrees = degrees_of(model.loops()[k]);
    if (degrees == 0) continue;
    closure.update(work, q);
    const Eigen::MatrixXd K = closure.closing_jacobian(work, k);
    map.G.middleRows(row, degrees) = K * tree.G(closure.blocks()[k].columns, Eigen::all);
    for (const Eigen::MatrixXd& plane :
         polarised(degrees, in, [&](const Eigen::VectorXd& u) -> Eigen::VectorXd {
           return closure.closing_state(work, k, q, tree.G * u, tree.gamma_at(u)).a;
         }))
      map.H.push_back(plane);
    row += degrees;
  }
  return map;
}

CoordinateMap map_from_inputs(LoopClosure& closure, Workspace& work, const VectorRef& q,
                              const std::vector<int>& inputs) {
  const Model& model = closure.model();
  closure.update(work, q);
  const SpeedSplit split = split_speeds(closure);
  const std::size_t dof = split.independent.size();
  if (inputs.size() != dof)
    throw InputError(
        fmt::format("{} inputs ({}) for the {} degrees of freedom of robot '{}': {}", inputs.size(),
                    input_names(model, inputs), dof, model.name(),
                    inputs.size() > dof ? "a redundant choice" : "a deficient choice"),
        fmt::format("{} of them", dof),
        inputs.size() > dof ? "efforts of redundant motors: ulna inverse --actuated" : "");
  const CoordinateMap all = all_speeds_map(closure, work, q, split);
  const CoordinateMap chosen = rows_of(all, inputs);
  const double quality = determination(closure, split, inputs, chosen.G);
  if (!(quality > loop_rank_tolerance_of(model)))
    throw ComputationError(
        fmt::format("the inputs {} do not determine robot '{}' here (singular: {:.2g})",
                    input_names(model, inputs), model.name(), quality),
        quality);
  std::vector<int> tree(static_cast<std::size_t>(model.speeds()));
  for (int k = 0; k < model.speeds(); ++k) tree[k] = k;
  return compose(rows_of(all, tree), inverse(chosen));
}

}  // namespace ulna
