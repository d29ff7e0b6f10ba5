#include "control/model_efforts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/loops.hpp"

namespace ulna {
namespace {

[[noreturn]] void refuse(const ControlState& s) {
  throw ComputationError(fmt::format(
      "at t = {:.9g} s the controlled joints and the loops of robot '{}' do not determine the "
      "efforts of its controller",
      s.t, s.model.name()));
}

/// Robots with loops: the efforts of the controlled joints that give them these accelerations while
/// all others are passive, which is the mixed problem with the controlled joints held.
void loop_efforts(const ControlState& s, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                  Eigen::VectorXd a, Eigen::VectorXd& tau) {
  tau = Eigen::VectorXd::Zero(s.model.speeds());
  if (!s.loops->mixed(s.work, q, v, a, tau)) refuse(s);
}

void hold_controlled(const ControlState& s, const std::vector<int>& joints) {
  std::vector<char> held(static_cast<std::size_t>(s.model.speeds()), 0);
  for_each_speed(s.model, joints, [&](int, int k) { held[static_cast<std::size_t>(k)] = 1; });
  s.loops->hold(held);
}

}  // namespace

const Eigen::VectorXd& holding_efforts(const ControlState& s, const std::vector<int>& joints,
                                       Eigen::VectorXd& room) {
  if (!s.loops) return gravity_efforts(s.model, s.work, s.q);
  hold_controlled(s, joints);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(s.model.speeds());
  loop_efforts(s, s.q, zero, zero, room);
  return room;
}

const Eigen::VectorXd& driving_efforts(const ControlState& s, const std::vector<int>& joints,
                                       const Eigen::VectorXd& a, bool at_reference,
                                       Eigen::VectorXd& room) {
  if (!s.loops)
    return at_reference ? inverse_dynamics(s.model, s.work, s.q_ref, s.v_ref, a)
                        : inverse_dynamics(s.model, s.work, s.q, s.v, a);
  hold_controlled(s, joints);
  if (!at_reference) {
    loop_efforts(s, s.q, s.v, a, room);
    return room;
  }
  const ClosedReference at = closed_reference(s, joints);
  loop_efforts(s, at.q, at.v, a, room);
  return room;
}

ClosedReference closed_reference(const ControlState& s, const std::vector<int>& joints) {
  if (!s.loops) return {s.q_ref, s.v_ref, s.a_ref};
  hold_controlled(s, joints);
  ClosedReference at{s.q, s.v, Eigen::VectorXd::Zero(s.model.speeds())};
  // The posture that closes the loops with the controlled joints at theirs.
  for (const int j : joints) {
    const Joint& joint = s.model.joints()[static_cast<std::size_t>(j)];
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
  s.loops->update_closure(s.work, s.q);
  std::vector<int> speeds;
  for_each_speed(s.model, joints, [&](int, int k) { speeds.push_back(k); });
  std::sort(speeds.begin(), speeds.end());
  const CoordinateMap map =
      independent_map(s.loops->closure(), split_speeds(s.loops->closure(), speeds));
  const Eigen::VectorXd reduced = map.G.transpose() * forces;
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(s.model.speeds());
  for (std::size_t i = 0; i < speeds.size(); ++i) tau(speeds[i]) = reduced(static_cast<long>(i));
  return tau;
}

std::string why_no_tree(const Model& model, const char* law, bool rigid) {
  try {
    model.require_tree(law);
    if (rigid) model.require_rigid(law);
  } catch (const InputError& error) {
    return error.problems().front().message;
  }
  return {};
}

void add_within(const ControlState& s, const std::vector<int>& joints,
                const Eigen::VectorXd& wanted, const Eigen::VectorXd& limit, Eigen::VectorXd& tau) {
  for_each_speed(s.model, joints, [&](int, int k) {
    const double bound = limit.size() > 0 ? limit(k) : INFINITY;
    tau(k) += std::clamp(wanted(k), -bound, bound);
  });
}

}  // namespace ulna
