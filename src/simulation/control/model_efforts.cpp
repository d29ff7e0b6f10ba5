#include "control/model_efforts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/kinematics/internal/speeds_around.hpp"

namespace ulna {
namespace {

[[noreturn]] void refuse(const ControlState& s) {
  throw ComputationError(fmt::format(
      "at t = {:.9g} s the controlled joints and the loops of robot '{}' do not determine the "
      "efforts of its controller",
      s.t, s.model.name()));
}

/// Which accelerations are given: those of speeds that something leads. Without that knowledge all
/// of a tree, and with loops those of the controller.
std::vector<char> given_speeds(const ControlState& s, const std::vector<int>& joints) {
  if (s.led) return *s.led;
  std::vector<char> given(static_cast<std::size_t>(s.model.speeds()), s.loops ? 0 : 1);
  for_each_speed(s.model, joints, [&](int, int k) { given[static_cast<std::size_t>(k)] = 1; });
  return given;
}

bool all_given(const ControlState& s) { return !s.loops && (!s.led || s.determined); }

/// The mixed problem: passive joints and modes have no effort and move as they must.
void mixed_efforts(const ControlState& s, const std::vector<char>& given, const Eigen::VectorXd& q,
                   const Eigen::VectorXd& v, Eigen::VectorXd& a, Eigen::VectorXd& tau) {
  tau.setZero(s.model.speeds());
  if (s.dynamics) {
    s.dynamics->hold(given);
    if (!s.dynamics->mixed(q, v, a, tau)) refuse(s);
    return;
  }
  if (!s.loops) {
    tau = inverse_dynamics(s.model, s.work, q, v, a);
    return;
  }
  s.loops->hold(given);
  if (!s.loops->mixed(s.work, q, v, a, tau)) refuse(s);
}

/// Speeds that can be chosen while the loops stay closed, those of the controller among them; modes
/// rather than other joints.
SpeedSplit speeds_around(const ControlState& s, const std::vector<int>& joints) {
  s.loops->update_closure(s.work, s.q);
  return split_speeds_around(s.loops->closure(), speeds_of(s.model, joints));
}

std::vector<char> marked(const Model& model, const std::vector<int>& speeds) {
  std::vector<char> marks(static_cast<std::size_t>(model.speeds()), 0);
  for (const int k : speeds) marks[static_cast<std::size_t>(k)] = 1;
  return marks;
}

}  // namespace

std::vector<int> speeds_of(const Model& model, const std::vector<int>& joints) {
  std::vector<int> speeds;
  for_each_speed(model, joints, [&](int, int k) { speeds.push_back(k); });
  std::sort(speeds.begin(), speeds.end());
  return speeds;
}

/// With all independent speeds kept the other joints and the modes carry their own share.
const Eigen::VectorXd& holding_efforts(const ControlState& s, const std::vector<int>& joints,
                                       Eigen::VectorXd& room) {
  if (!s.loops) return gravity_efforts(s.model, s.work, s.q);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(s.model.speeds());
  Eigen::VectorXd a = zero;
  mixed_efforts(s,
                s.determined ? given_speeds(s, joints)
                             : marked(s.model, speeds_around(s, joints).independent),
                s.q, zero, a, room);
  return room;
}

const Eigen::VectorXd& driving_efforts(const ControlState& s, const std::vector<int>& joints,
                                       const Eigen::VectorXd& a, bool at_reference,
                                       Eigen::VectorXd& room) {
  if (!s.loops && at_reference) return inverse_dynamics(s.model, s.work, s.q_ref, s.v_ref, a);
  if (all_given(s)) return inverse_dynamics(s.model, s.work, s.q, s.v, a);
  if (!at_reference) {
    thread_local Eigen::VectorXd all, efforts;  // nothing allocates after the first call
    all = a;
    if (s.led)
      mixed_efforts(s, *s.led, s.q, s.v, all, efforts);
    else
      mixed_efforts(s, given_speeds(s, joints), s.q, s.v, all, efforts);
    return efforts;
  }
  Eigen::VectorXd accelerations = a;
  const ClosedReference at = closed_reference(s, joints);
  mixed_efforts(s, given_speeds(s, joints), at.q, at.v, accelerations, room);
  return room;
}

DrivenMotion driven_motion(const ControlState& s, const std::vector<int>& joints) {
  DrivenMotion motion;
  motion.speeds = speeds_of(s.model, joints);
  const auto n = static_cast<long>(s.model.speeds()), m = static_cast<long>(motion.speeds.size());
  const std::vector<char> given = given_speeds(s, joints);
  Eigen::VectorXd a = s.a_ref, tau;
  a(motion.speeds).setZero();
  mixed_efforts(s, given, s.q, s.v, a, tau);
  motion.drift = a;
  motion.load = tau(motion.speeds);
  motion.G.resize(n, m);
  motion.mass.resize(m, m);
  for (long k = 0; k < m; ++k) {
    a = s.a_ref;
    a(motion.speeds).setZero();
    a(motion.speeds[static_cast<std::size_t>(k)]) = 1;
    mixed_efforts(s, given, s.q, s.v, a, tau);
    motion.G.col(k) = a - motion.drift;
    motion.mass.col(k) = tau(motion.speeds) - motion.load;
  }
  return motion;
}

ClosedReference closed_reference(const ControlState& s, const std::vector<int>& joints) {
  if (!s.loops) return {s.q_ref, s.v_ref, s.a_ref};
  ClosedReference at{s.q, s.v, Eigen::VectorXd::Zero(s.model.speeds())};
  std::vector<char> given = given_speeds(s, joints);
  // Modes have their reference, too, where the joints alone can close the loops.
  if (s.model.modes() > 0) {
    std::vector<int> led;
    for (int k = 0; k < s.model.speeds(); ++k)
      if (given[static_cast<std::size_t>(k)]) led.push_back(k);
    s.loops->update_closure(s.work, s.q);
    const SpeedSplit split = split_speeds_around(s.loops->closure(), led);
    for (const int k : split.independent)
      if (k >= s.model.joint_speeds()) given[static_cast<std::size_t>(k)] = 1;
    for (int k = 0; k < s.model.modes(); ++k) {
      const int speed = s.model.joint_speeds() + k;
      if (!given[static_cast<std::size_t>(speed)]) continue;
      const int coordinate = s.model.coordinate_of_speed()[static_cast<std::size_t>(speed)];
      at.q(coordinate) = s.q_ref(coordinate);
      at.v(speed) = s.v_ref(speed);
      at.a(speed) = s.a_ref(speed);
    }
  }
  s.loops->hold(given);
  // The posture that closes the loops with the joints that are led at theirs.
  for (const Joint& joint : s.model.joints()) {
    if (joint.speeds == 0 || !given[static_cast<std::size_t>(joint.v)]) continue;
    at.q.segment(joint.q, joint.coordinates) = s.q_ref.segment(joint.q, joint.coordinates);
    at.v.segment(joint.v, joint.speeds) = s.v_ref.segment(joint.v, joint.speeds);
    at.a.segment(joint.v, joint.speeds) = s.a_ref.segment(joint.v, joint.speeds);
  }
  if (!s.loops->close_positions(s.work, at.q) || !s.loops->close_speeds(s.work, at.q, at.v))
    refuse(s);
  Eigen::VectorXd efforts = Eigen::VectorXd::Zero(s.model.speeds());
  if (!s.loops->mixed(s.work, at.q, at.v, at.a, efforts)) refuse(s);
  return at;
}

Eigen::VectorXd carried_by(const ControlState& s, const std::vector<int>& joints,
                           const Eigen::VectorXd& forces) {
  if (!s.loops) return forces;
  const SpeedSplit split = speeds_around(s, joints);
  const CoordinateMap map = independent_map(s.loops->closure(), split);
  const Eigen::VectorXd reduced = map.G.transpose() * forces;
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(s.model.speeds());
  for (std::size_t i = 0; i < split.independent.size(); ++i)
    tau(split.independent[i]) = reduced(static_cast<long>(i));
  return tau;
}

void add_within(const ControlState& s, const std::vector<int>& joints,
                const Eigen::VectorXd& wanted, const Eigen::VectorXd& limit, Eigen::VectorXd& tau) {
  for_each_speed(s.model, joints, [&](int, int k) {
    const double bound = limit.size() > 0 ? limit(k) : INFINITY;
    tau(k) += std::clamp(wanted(k), -bound, bound);
  });
}

}  // namespace ulna
