// Adaptive control of Slotine and Li. docs/theory/control.md, eq. 9-13.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "control/model_efforts.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/simulation/control_laws.hpp"

namespace ulna {
namespace {

std::string beside_passive_joints(std::size_t driven, long freedoms) {
  return fmt::format(
      "it drives {} of {} degrees of freedom, and with passive joints the efforts of the others "
      "are not linear in the parameters that adaptive control estimates",
      driven, freedoms);
}

/// The robot without the joints and constraints that close its loops: the same coordinates and
/// bodies.
std::shared_ptr<const Model> open_tree(const Model& robot) {
  Robot open = robot.robot();
  const auto closes = [&](const JointData& joint) {
    return std::any_of(robot.loops().begin(), robot.loops().end(),
                       [&](const Loop& loop) { return loop.joint == joint.name; });
  };
  std::erase_if(open.joints, closes);
  open.constraints.clear();
  auto model = std::make_shared<const Model>(std::move(open));
  if (model->speed_names() != robot.speed_names())
    throw ComputationError(fmt::format(
        "the open tree of robot '{}' has other speeds than the robot itself", robot.name()));
  return model;
}

/// All speeds by those that it drives.
CoordinateMap map_of(const ControlState& s, const std::vector<int>& driven,
                     const SourceMark& mark) {
  LoopClosure closure(s.model);
  closure.update(s.work, s.q);
  const long freedoms = std::ssize(split_speeds(closure).independent);
  if (freedoms != std::ssize(driven))
    throw InputError(Problem{mark,
                             "controller adaptive",
                             beside_passive_joints(driven.size(), freedoms),
                             "another law",
                             {}});
  return closed_loop_map(closure, s.work, s.q, split_speeds(closure, driven));
}

}  // namespace

Adaptive::Adaptive() = default;
Adaptive::~Adaptive() = default;

std::string Adaptive::refusal(const Model& robot) const {
  if (robot.modes() > 0)
    return fmt::format(
        "robot '{}' is flexible, and adaptive control learns the parameters of rigid bodies; give "
        "the controller a rigid model by `model: {{rigid: true}}`",
        robot.name());
  const std::vector<int> driven = speeds_of(robot, joints);
  for (const int k : driven)
    if (robot.coordinate_of_speed()[static_cast<std::size_t>(k)] < 0)
      return "adaptive control is for joints whose coordinates are angles and lengths";
  if (robot.is_tree() && static_cast<int>(driven.size()) != robot.speeds())
    return beside_passive_joints(driven.size(), robot.speeds());
  return {};
}

TorqueRegressor& Adaptive::regressor_of(const Model& robot) const {
  if (regressor_ && robot_ == &robot) return *regressor_;
  open_ = robot.is_tree() ? nullptr : open_tree(robot);
  RegressorTerms terms;
  terms.rotors = true;
  regressor_ = std::make_unique<TorqueRegressor>(open_ ? *open_ : robot, terms);
  robot_ = &robot;
  return *regressor_;
}

int Adaptive::states(const Model& robot) const {
  const std::lock_guard guard(lock_);
  return regressor_of(robot).columns();
}

Eigen::VectorXd Adaptive::learning_rates(const Model& robot) const {
  const std::lock_guard guard(lock_);
  const TorqueRegressor& Y = regressor_of(robot);
  const Eigen::VectorXd& p = Y.parameters();
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(p.size());
  const auto bodies = static_cast<long>(Y.places().size());
  double size[3] = {0, 0, 0};
  const auto kind = [](long k) { return k == 0 ? 0 : k < 4 ? 1 : 2; };
  for (long b = 0; b < bodies; ++b)
    for (long k = 0; k < 10; ++k) size[kind(k)] = std::max(size[kind(k)], std::abs(p(10 * b + k)));
  for (long b = 0; b < bodies; ++b)
    for (long k = 0; k < 10; ++k) rates(10 * b + k) = rate * size[kind(k)] * size[kind(k)];
  return rates;  // rotors stay as they are
}

Eigen::MatrixXd Adaptive::regressor(const Model& robot, Workspace& work, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& v, const Eigen::VectorXd& v_r,
                                    const Eigen::VectorXd& a_r) const {
  const std::lock_guard guard(lock_);
  TorqueRegressor& Y = regressor_of(robot);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(v.size());
  // Centrifugal terms are quadratic in the speeds: their bilinear form by polarisation (eq. 11).
  Eigen::MatrixXd sum = Y(work, q, v + v_r, zero);
  sum -= Y(work, q, v, zero);
  sum -= Y(work, q, v_r, zero);
  sum += Y(work, q, zero, zero);
  sum *= 0.5;
  sum += Y(work, q, zero, a_r);
  return sum;
}

/// Eq. 20: G' Y, and the centrifugal terms of the independent speeds by polarisation.
Eigen::MatrixXd Adaptive::regressor_of_loops(const ControlState& s, const CoordinateMap& map,
                                             const Eigen::VectorXd& v_r,
                                             const Eigen::VectorXd& a_r) const {
  const std::lock_guard guard(lock_);
  TorqueRegressor& Y = regressor_of(s.model);
  Workspace work(Y.model());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(s.model.speeds());
  const auto at = [&](const Eigen::VectorXd& v) -> Eigen::MatrixXd {
    return Y(work, s.q, map.G * v, map.gamma_at(v));
  };
  const Eigen::VectorXd v = s.v(speeds_of(s.model, joints));
  Eigen::MatrixXd sum = at(v + v_r);
  sum -= at(v);
  sum -= at(v_r);
  sum += Y(work, s.q, zero, zero);
  sum *= 0.5;
  sum += Y(work, s.q, zero, map.G * a_r);
  return map.G.transpose() * sum;
}

void Adaptive::control(const ControlState& s, const double* z, Eigen::VectorXd& tau,
                       double* dz) const {
  const std::vector<int> driven = speeds_of(s.model, joints);
  const Eigen::VectorXd rate_error = (s.v_ref - s.v)(driven);
  const Eigen::VectorXd v_r = s.v_ref(driven) + lambda * s.error(driven),
                        a_r = s.a_ref(driven) + lambda * rate_error;
  const Eigen::VectorXd off = v_r - s.v(driven);  // s
  Eigen::MatrixXd Y;
  Eigen::VectorXd passive = passive_efforts(s.model, s.work, s.q, s.v);
  if (s.loops) {
    s.loops->add_closing_passive(s.work, s.q, s.v, passive);
    const CoordinateMap map = map_of(s, driven, mark);
    Y = regressor_of_loops(s, map, v_r, a_r);
    passive = Eigen::VectorXd(map.G.transpose() * passive);
  } else {
    Y = regressor(s.model, s.work, s.q, s.v, v_r, a_r);
  }
  const Eigen::Map<const Eigen::VectorXd> learnt(z, Y.cols());
  Eigen::VectorXd start;
  {
    const std::lock_guard guard(lock_);
    start = regressor_of(s.model).parameters();
  }
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(s.model.speeds());
  wanted(driven) = Y * (start + learnt) + kd(driven).cwiseProduct(off) + passive;
  Eigen::Map<Eigen::VectorXd>(dz, Y.cols()) =
      learning_rates(s.model).cwiseProduct(Y.transpose() * off);
  add_within(s, joints, wanted, limit, tau);
}

}  // namespace ulna
