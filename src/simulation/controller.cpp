#include "ulna/simulation/controller.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/inverse_dynamics.hpp"

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
  switch (law) {
    case FeedbackLaw::computed_torque:
      base = &inverse_dynamics(s.model, s.work, s.q, s.v, u);
      break;
    case FeedbackLaw::feed_forward:
      base = &inverse_dynamics(s.model, s.work, s.q_ref, s.v_ref, s.a_ref);
      break;
    case FeedbackLaw::pd:
      if (gravity) base = &gravity_efforts(s.model, s.work, s.q);
  }
  for_each_speed(s.model, joints, [&](int i, int k) {
    const double wanted =
        (base ? (*base)(k) : 0.0) + (law == FeedbackLaw::computed_torque ? 0.0 : u(k));
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
