#include "ulna/kinematics/parts/speed_map.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/kinematics/kernels/speed_rows.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

Eigen::MatrixXd square_part(const SpeedMap& map) {
  return map.loops() ? Eigen::MatrixXd(map.Y * map.G) : map.Y;
}

}  // namespace

Eigen::VectorXd SpeedMap::speeds(const Eigen::VectorXd& v) const {
  Eigen::VectorXd u = Y * v;
  if (y.size() > 0) u += y;
  return u;
}

Eigen::VectorXd SpeedMap::drift(const Eigen::VectorXd& v) const {
  Eigen::VectorXd rest = Y_dot * v;
  if (y_dot.size() > 0) rest += y_dot;
  return rest;
}

Eigen::VectorXd SpeedMap::accelerations(const Eigen::VectorXd& v, const Eigen::VectorXd& a) const {
  return Y * a + drift(v);
}

SpeedMap joint_rate_speeds(const Model& model) {
  SpeedMap map{"joint-rates", Eigen::MatrixXd::Identity(model.speeds(), model.speeds()),
               Eigen::MatrixXd::Zero(model.speeds(), model.speeds())};
  map.names = model.speed_names();
  return map;
}

SpeedMap map_of_rows(const Model& model, const SpeedRows& rows, const VectorRef& q,
                     const VectorRef& v, double t) {
  using D = Dual<1>;
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  // Coordinates and time carry their rates: Y and y come with theirs.
  const Parameters<D> parameters = converted<D>(model.parameters());
  const TreeView<D> tree = view<D>(model.topology(), parameters);
  const std::vector<D> moving = moving_coordinates(model, q, v);
  Scratch<D> scratch(model.topology());
  joint_angles(tree, scratch.view(), moving.data());
  const int n = rows.size(), speeds = model.speeds();
  std::vector<D> Y(static_cast<std::size_t>(n) * speeds), y(static_cast<std::size_t>(n));
  speed_rows<D>(model, rows, tree, scratch.view(), moving.data(), D::variable(t, 0), Y.data(),
                y.data());
  SpeedMap map{rows.name, Eigen::MatrixXd(n, speeds), Eigen::MatrixXd(n, speeds)};
  map.names = rows.names;
  for (std::size_t k = 0; k < Y.size(); ++k) {
    map.Y.data()[k] = Y[k].value;
    map.Y_dot.data()[k] = Y[k].d[0];
  }
  if (!rows.moves_with_time()) return map;
  map.y.resize(n);
  map.y_dot.resize(n);
  for (int k = 0; k < n; ++k) {
    map.y(k) = y[k].value;
    map.y_dot(k) = y[k].d[0];
  }
  if (!map.Y.allFinite() || !map.y.allFinite())
    throw ComputationError(fmt::format(
        "the formulas of the generalized speeds '{}' have no finite values at this state",
        rows.name));
  return map;
}

SpeedMap speed_map(const Model& model, const GeneralizedSpeeds& speeds, const VectorRef& q,
                   const VectorRef& v, double t) {
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  Workspace work(model);
  LoopClosure closure(model);
  closure.update_rates(work, q, v);
  const SpeedSplit split = split_speeds(closure);
  if (split.dependent.empty())
    return speeds.joint_rates() ? joint_rate_speeds(model)
                                : map_of_rows(model, resolve_speeds(model, speeds, q), q, v, t);
  const CoordinateMap loops = independent_map(closure, split);
  SpeedMap map =
      map_of_rows(model, resolve_speeds(model, speeds, q, loops.G, split.independent), q, v, t);
  map.G = loops.G;
  map.gamma = loops.gamma;
  map.independent = split.independent;
  return map;
}

SpeedMap speeds_named(const Model& model, const VectorRef& q, const VectorRef& v,
                      const std::string& name) {
  model.require_tree("generalized speeds by name");
  return speed_map(model, GeneralizedSpeeds{name}, q, v);
}

SpeedMap body_speeds(const Model& model, const VectorRef& q, const VectorRef& v, int body) {
  return speeds_named(model, q, v, "body:" + model.bodies()[body].name);
}

SpeedSolver::SpeedSolver(const SpeedMap& map) : G_(map.G), loops_(map.loops()) {
  const Eigen::MatrixXd Y = square_part(map);
  factor_.compute(Y);
  if (Y.rows() == 0) return;
  // Not factor_.rcond(): that estimate says nothing where a pivot is zero. NaN comes of those.
  reciprocal_condition_ = 1 / (Y.norm() * factor_.inverse().norm());
  if (reciprocal_condition_ > 1e-9) return;
  if (std::isnan(reciprocal_condition_)) reciprocal_condition_ = 0;
  throw ComputationError(
      fmt::format("the generalized speeds '{}' are singular at this posture (reciprocal condition "
                  "{:.2g}): they do not determine the joint rates; try joint-rates",
                  map.name, reciprocal_condition_),
      reciprocal_condition_);
}

Eigen::MatrixXd inverse_of(const SpeedMap& map) {
  return SpeedSolver(map).rates(Eigen::MatrixXd::Identity(map.Y.rows(), map.Y.rows()));
}

}  // namespace ulna
