#include "ulna/simulation/controller.hpp"

#include <algorithm>
#include <cmath>

#include "control/model_efforts.hpp"

namespace ulna {

Controller::~Controller() = default;

const char* name_of(FeedbackLaw law) {
  constexpr const char* names[] = {"pd", "computed-torque", "feed-forward"};
  return names[static_cast<int>(law)];
}

int Feedback::states(const Model& robot) const {
  int count = 0;
  for_each_speed(robot, joints, [&](int, int) { ++count; });
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
  Eigen::VectorXd room;
  const Eigen::VectorXd* base = nullptr;  // what the model says
  const bool computed = law == FeedbackLaw::computed_torque;
  if (computed)
    base = &driving_efforts(s, joints, u, false, room);
  else if (law == FeedbackLaw::feed_forward)
    base = &driving_efforts(s, joints, s.a_ref, true, room);
  else if (gravity)
    base = &holding_efforts(s, joints, room);
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
