#include "ulna/kinematics/speed_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/model/internal/check_size.hpp"

namespace ulna {

SpeedMap joint_rate_speeds(const Model& model) {
  return {"joint-rates", Eigen::MatrixXd::Identity(model.speeds(), model.speeds()),
          Eigen::MatrixXd::Zero(model.speeds(), model.speeds())};
}

namespace {

JacobianQuery in_own_axes(int body) { return {body, Vector3<double>::Zero(), 0, body}; }

}  // namespace

std::array<int, 3> replaced_rates(const Model& model, const VectorRef& q, int body) {
  check_size(model, q, model.coordinates(), "q");
  Workspace work(model);
  const Eigen::MatrixXd turn = jacobian(model, work, q, in_own_axes(body)).topRows<3>();
  // The three columns a pivoted QR takes first are the best conditioned ones. Which columns can be
  // meant does not depend on the posture: those of turns that carry the body.
  std::vector<int> turns;
  for (int k = 0; k < model.speeds(); ++k)
    if (turn.col(k).norm() > 1e-12) turns.push_back(k);
  if (turns.size() < 3)
    throw InputError(fmt::format("only {} turning joints carry body '{}'", turns.size(),
                                 model.bodies()[body].name),
                     "a body carried by three turning joints", "use speeds joint-rates");
  Eigen::MatrixXd candidates(3, turns.size());
  for (std::size_t k = 0; k < turns.size(); ++k) candidates.col(k) = turn.col(turns[k]);
  const std::vector<int> order = dense::PivotedQr(candidates).column_order();
  std::array<int, 3> replaced;
  for (int r = 0; r < 3; ++r) replaced[r] = turns[order[r]];
  std::sort(replaced.begin(), replaced.end());
  return replaced;
}

SpeedMap body_speeds(const Model& model, const VectorRef& q, const VectorRef& v, int body,
                     const std::array<int, 3>& replaced) {
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  Workspace work(model);
  const Eigen::MatrixXd turn = jacobian(model, work, q, in_own_axes(body)).topRows<3>();
  const Eigen::MatrixXd turn_rate =
      jacobian_derivative(model, q, v, in_own_axes(body)).topRows<3>();
  SpeedMap map = joint_rate_speeds(model);
  map.name = "body:" + model.bodies()[body].name;
  for (int r = 0; r < 3; ++r) {
    map.Y.row(replaced[r]) = turn.row(r);
    map.Y_dot.row(replaced[r]) = turn_rate.row(r);
  }
  return map;
}

SpeedMap body_speeds(const Model& model, const VectorRef& q, const VectorRef& v, int body) {
  return body_speeds(model, q, v, body, replaced_rates(model, q, body));
}

int middle_body(const Model& model) {
  const std::vector<Joint>& joints = model.joints();
  std::vector<int> turning;
  for (const Joint& joint : joints)
    if (joint.type == JointType::revolute) turning.push_back(joint.child);
  if (turning.size() < 3) return -1;
  return turning[turning.size() <= 4 ? 1 : 2];
}

SpeedMap speeds_named(const Model& model, const VectorRef& q, const VectorRef& v,
                      const std::string& name) {
  if (name == "joint-rates") return joint_rate_speeds(model);
  if (name.rfind("body:", 0) == 0) return body_speeds(model, q, v, model.body(name.substr(5)));
  throw InputError(fmt::format("speeds '{}'", name), "joint-rates or body:NAME");
}

SpeedSolver::SpeedSolver(const SpeedMap& map) : factor_(map.Y) {
  if (map.Y.rows() == 0) return;
  // Not factor_.rcond(): that estimate says nothing where a pivot is zero. NaN comes of those.
  reciprocal_condition_ = 1 / (map.Y.norm() * factor_.inverse().norm());
  if (reciprocal_condition_ > 1e-9) return;
  if (std::isnan(reciprocal_condition_)) reciprocal_condition_ = 0;
  throw ComputationError(
      fmt::format("the generalized speeds '{}' are singular at this posture (reciprocal condition "
                  "{:.2g}): they do not determine the joint rates; try joint-rates",
                  map.name, reciprocal_condition_),
      reciprocal_condition_);
}

Eigen::MatrixXd inverse_of(const SpeedMap& map) {
  return SpeedSolver(map).rates(Eigen::MatrixXd::Identity(map.Y.rows(), map.Y.cols()));
}

}  // namespace ulna
