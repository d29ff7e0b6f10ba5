// Adaptive control of Slotine and Li. docs/theory/control.md, eq. 9-13.

#include <fmt/format.h>

#include <cmath>

#include "control/model_efforts.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "ulna/simulation/control_laws.hpp"

namespace ulna {

Adaptive::Adaptive() = default;
Adaptive::~Adaptive() = default;

std::string Adaptive::refusal(const Model& robot) const {
  if (std::string reason = why_no_tree(robot, "adaptive control", true); !reason.empty())
    return reason;
  if (robot.coordinates() != robot.speeds())
    return "adaptive control is for joints whose coordinates are angles and lengths";
  int driven = 0;
  for_each_speed(robot, joints, [&](int, int) { ++driven; });
  if (driven != robot.speeds())
    return fmt::format("it drives {} of {} speeds, and adaptive control needs all", driven,
                       robot.speeds());
  return {};
}

TorqueRegressor& Adaptive::regressor_of(const Model& robot) const {
  if (!regressor_ || &regressor_->model() != &robot) {
    RegressorTerms terms;
    terms.rotors = true;
    regressor_ = std::make_unique<TorqueRegressor>(robot, terms);
  }
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

void Adaptive::control(const ControlState& s, const double* z, Eigen::VectorXd& tau,
                       double* dz) const {
  const Eigen::VectorXd rate_error = s.v_ref - s.v;
  const Eigen::VectorXd v_r = s.v_ref + lambda * s.error, a_r = s.a_ref + lambda * rate_error;
  const Eigen::VectorXd off = v_r - s.v;  // s
  const Eigen::MatrixXd Y = regressor(s.model, s.work, s.q, s.v, v_r, a_r);
  const Eigen::Map<const Eigen::VectorXd> learnt(z, Y.cols());
  Eigen::VectorXd start;
  {
    const std::lock_guard guard(lock_);
    start = regressor_of(s.model).parameters();
  }
  Eigen::VectorXd wanted = Y * (start + learnt) + kd.cwiseProduct(off);
  wanted += passive_efforts(s.model, s.work, s.q, s.v);
  Eigen::Map<Eigen::VectorXd>(dz, Y.cols()) =
      learning_rates(s.model).cwiseProduct(Y.transpose() * off);
  add_within(s, joints, wanted, limit, tau);
}

}  // namespace ulna
