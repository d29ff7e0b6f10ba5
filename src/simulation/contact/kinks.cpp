#include "contact/kinks.hpp"

#include <algorithm>

#include "contact/contacts.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

Kinks::Kinks(const Model& model, const std::vector<char>& driven)
    : actuators(model),
      joints_(model, driven),
      closing_(model),
      elements_(model),
      correction_(Eigen::VectorXd::Zero(model.speeds())) {}

const Eigen::VectorXd& Kinks::correction(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  correction_.setZero();
  joints_.add_correction(q, correction_);
  if (closing_.any()) closing_.add_correction(q, v, correction_);
  if (elements_.any()) elements_.add_correction(q, v, correction_);
  if (actuators.any()) actuators.add_correction(q, v, correction_);
  return correction_;
}

double Kinks::guard(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  return std::min(
      {joints_.guard(q), closing_.guard(q, v), elements_.guard(q, v), actuators.guard(q, v)});
}

bool Kinks::choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  bool changed = joints_.choose(q, v);
  changed |= closing_.choose(q, v);
  changed |= elements_.choose(q, v);
  actuators.choose(q, v);
  return changed;
}

/// Eq. 81: the shares of their thrust with which actuators stay at the ends of their strokes. The
/// accelerations are linear in them.
void Contacts::hold_strokes() {
  const int n = kinks_.actuators.held();
  if (n == 0) return;
  const auto lengths_with = [&](const Eigen::VectorXd& shares) {
    kinks_.actuators.set_shares(shares);
    solve_forces();
    return kinks_.actuators.accelerations(s_.q, s_.v, s_.a);
  };
  const Eigen::VectorXd none = lengths_with(Eigen::VectorXd::Zero(n));
  Eigen::MatrixXd answer(n, n);
  for (int k = 0; k < n; ++k) answer.col(k) = lengths_with(Eigen::VectorXd::Unit(n, k)) - none;
  if (!answer.allFinite() || !none.allFinite()) return;
  lengths_with(dense::PivotedQr(answer).solve(-none));
}

/// Actuators that come to the end of their stroke slowly stop there, and stay if they can.
void Contacts::rest_strokes(double time, double* y) {
  ActuatorKinks& actuators = kinks_.actuators;
  if (actuators.held() == 0) return;
  evaluate(time, y);
  SpeedResponse& response = constraints_.response();
  response.hold(held_);
  bool known = response.update(s_.work, s_.q), stopped = false;
  Eigen::VectorXd unit;
  for (int k = actuators.held() - 1; k >= 0; --k) {
    const double rate = actuators.rate_of_held(k, s_.q, s_.v, unit);
    known = known && response.respond(unit, moving_);
    const double answer = known ? unit.dot(moving_) : 0;
    if (!actuators.rests(k, rate, answer)) {
      actuators.let_go(k, rate);
      continue;
    }
    if (rate == 0) continue;
    s_.v -= moving_ * (rate / answer);
    y[s_.layout.first_work + 2] += 0.5 * rate * rate / answer;
    stopped = true;
  }
  if (!stopped) return;
  s_.layout.put_speeds(s_.v, y);
  evaluate(time, y);
  actuators.release();
}

}  // namespace ulna
