#include "ulna/simulation/controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/loops.hpp"

namespace ulna {

Controller::~Controller() = default;

const char* name_of(FeedbackLaw law) {
  constexpr const char* names[] = {"pd", "computed-torque", "feed-forward"};
  return names[static_cast<int>(law)];
}

namespace {

/// Calls visit(i, k) for the i-th speed k of these joints.
template <class Visit>
void for_each_speed(const Model& model, const std::vector<int>& joints, const Visit& visit) {
  int i = 0;
  for (const int j : joints) {
    const Joint& joint = model.joints()[j];
    for (int k = joint.v; k < joint.v + joint.speeds; ++k) visit(i++, k);
  }
}

/// Robots with loops: the efforts of the controlled joints that give them these accelerations while
/// all others are passive, which is the mixed problem with the controlled joints held. With
/// `reference` it is asked at the posture that closes the loops with these joints at theirs.
Eigen::VectorXd loop_efforts(const ControlState& s, const std::vector<int>& joints,
                             const Eigen::VectorXd& a_controlled, bool reference, bool at_rest) {
  std::vector<char> held(static_cast<std::size_t>(s.model.speeds()), 0);
  for_each_speed(s.model, joints, [&](int, int k) { held[k] = 1; });
  s.loops->hold(held);
  Eigen::VectorXd q = s.q, v = s.v, a = a_controlled, tau = Eigen::VectorXd::Zero(s.model.speeds());
  if (at_rest) v.setZero();
  bool solved = true;
  if (reference) {
    for (const int j : joints) {
      const Joint& joint = s.model.joints()[j];
      q.segment(joint.q, joint.coordinates) = s.q_ref.segment(joint.q, joint.coordinates);
      v.segment(joint.v, joint.speeds) = s.v_ref.segment(joint.v, joint.speeds);
    }
    solved = s.loops->close_positions(s.work, q) && s.loops->close_speeds(s.work, q, v);
  }
  if (!solved || !s.loops->mixed(s.work, q, v, a, tau))
    throw ComputationError(fmt::format(
        "at t = {:.9g} s the controlled joints and the loops of robot '{}' do not determine the "
        "efforts of its controller",
        s.t, s.model.name()));
  return tau;
}

}  // namespace

int Feedback::states(const Model& model) const {
  int count = 0;
  for_each_speed(model, joints, [&](int, int) { ++count; });
  return ki.size() > 0 ? count : 0;
}

void Feedback::control(const ControlState& s, const double* z, Eigen::VectorXd& tau,
                       double* dz) const {
  const bool integral = ki.size() > 0;
  const auto bounded_integral = [&](int i, int k) {
    const double bound = integral_limit.size() > 0 ? integral_limit(k) : INFINITY;
    return integral ? std::clamp(ki(k) * z[i], -bound, bound) : 0.0;
  };
  // The correction is an acceleration for computed torque, an effort otherwise (eq. 20).
  Eigen::VectorXd& u = s.scratch;
  u = s.a_ref;
  for_each_speed(s.model, joints, [&](int i, int k) {
    const double correction =
        kp(k) * s.error(k) + kd(k) * (s.v_ref(k) - s.v(k)) + bounded_integral(i, k);
    u(k) = law == FeedbackLaw::computed_torque ? s.a_ref(k) + correction : correction;
  });
  const Eigen::VectorXd* base = nullptr;  // what the model says
  Eigen::VectorXd of_loops;
  const bool computed = law == FeedbackLaw::computed_torque;
  if (s.loops && law == FeedbackLaw::pd) {
    if (gravity)
      of_loops = loop_efforts(s, joints, Eigen::VectorXd::Zero(s.model.speeds()), false, true);
  } else if (s.loops) {
    of_loops = loop_efforts(s, joints, computed ? u : s.a_ref, !computed, false);
  } else if (computed) {
    base = &inverse_dynamics(s.model, s.work, s.q, s.v, u);
  } else if (law == FeedbackLaw::feed_forward) {
    base = &inverse_dynamics(s.model, s.work, s.q_ref, s.v_ref, s.a_ref);
  } else if (gravity) {
    base = &gravity_efforts(s.model, s.work, s.q);
  }
  if (of_loops.size() > 0) base = &of_loops;
  for_each_speed(s.model, joints, [&](int i, int k) {
    const double wanted = (base ? (*base)(k) : 0.0) + (computed ? 0.0 : u(k));
    const double bound = limit.size() > 0 ? limit(k) : INFINITY;
    const double given = std::clamp(wanted, -bound, bound);
    tau(k) += given;
    if (!integral) return;
    // Anti-windup (eq. 24): no growth that would only push further into a bound.
    const double push = ki(k) * s.error(k);
    const double stop = integral_limit.size() > 0 ? integral_limit(k) : INFINITY;
    const bool stuck = (wanted != given && push * wanted > 0) ||
                       (std::abs(ki(k) * z[i]) >= stop && push * ki(k) * z[i] > 0);
    dz[i] = stuck ? 0.0 : s.error(k);
  });
}

}  // namespace ulna
