#include "run/event_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "run/check_control.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/motion/internal/boundary_polynomial.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using ActionKind = EventAction::Kind;

void change_drive(Experiment& e, const EventAction& action) {
  Drive& drive = e.drives[static_cast<std::size_t>(action.joint)];
  drive.kind = action.drive.kind;
  if (!action.drive.motion.empty()) drive.motion = action.drive.motion;
  drive.effort = action.drive.effort;
  drive.effort_formulas = action.drive.effort_formulas;
}

/// Roll, pitch and yaw of a rotation, about fixed axes x, y, z.
Vector3<double> roll_pitch_yaw(const Matrix3<double>& R) {
  const double across = std::hypot(R(0, 0), R(1, 0));
  const double yaw = across > 0 ? std::atan2(R(1, 0), R(0, 0)) : 0;
  const double s = std::sin(yaw), c = std::cos(yaw);
  return {std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1)),
          std::atan2(-R(2, 0), across), yaw};
}

/// Constant motions that lead a joint to where its reference is.
std::vector<ScalarMotionPtr> held_reference(const Model& model, std::size_t j,
                                            const Eigen::VectorXd& q) {
  const Joint& joint = model.joints()[j];
  std::vector<ScalarMotionPtr> motion(static_cast<std::size_t>(joint.speeds));
  const auto hold = [&](int k, double value) {
    motion[static_cast<std::size_t>(k)] = std::make_shared<ConstantMotion>(value);
  };
  for (int k = 0; k < joint.speeds; ++k)
    if (const int at = model.coordinate_of_speed()[joint.v + k]; at >= 0) hold(k, q(at));
  for (const TangentBlock& block : model.blocks()) {
    if (block.kind == TangentBlock::Kind::line || block.joint != static_cast<int>(j)) continue;
    const Quaternion<double> turn = q.segment<4>(block.q);
    const Vector3<double> angles = roll_pitch_yaw(rotation_from_quaternion(turn));
    for (int k = 0; k < 3; ++k) hold(block.v - joint.v + k, angles(k));
    if (block.kind == TangentBlock::Kind::free)
      for (int k = 0; k < 3; ++k) hold(block.v - joint.v + 3 + k, q(block.q + 4 + k));
  }
  return motion;
}

/// A controller goes on to hold what it held: an event changes references only where it says so.
/// Returns the joints that have a constant reference for that reason, with it.
std::map<std::size_t, std::vector<ScalarMotionPtr>> hold_references(Experiment& e,
                                                                    const PhaseLink& link) {
  std::map<std::size_t, std::vector<ScalarMotionPtr>> held;
  for (std::size_t j = 0; j < e.drives.size(); ++j) {
    Drive& drive = e.drives[j];
    if (drive.kind != DriveKind::controller || !drive.motion.empty()) continue;
    if (e.model->joints()[j].speeds == 0) continue;
    held[j] = drive.motion = held_reference(*e.model, j, link.q_ref);
  }
  return held;
}

/// From where the joint is with its rate, or from where its reference is, to rest at the goal.
void start_motion(Experiment& e, const EventAction& action, const PhaseLink& link) {
  const Joint& joint = e.model->joints()[static_cast<std::size_t>(action.joint)];
  Drive& drive = e.drives[static_cast<std::size_t>(action.joint)];
  const bool controlled = drive.kind == DriveKind::controller;
  const bool follows = controlled && !drive.motion.empty();
  const Eigen::VectorXd &q = follows ? link.q_ref : link.q, &v = follows ? link.v_ref : link.v;
  const double t = link.at.t;
  drive.motion.clear();
  for (int k = 0; k < joint.speeds; ++k) {
    const double from = q(e.model->coordinate_of_speed()[joint.v + k]);
    const double to = action.to[static_cast<std::size_t>(k)] + (action.relative ? from : 0);
    drive.motion.push_back(std::make_shared<BoundaryPolynomial>(
        std::vector<MotionCondition>{{t, 0, from},
                                     {t, 1, controlled && !follows ? 0.0 : v(joint.v + k)},
                                     {t, 2, 0.0},
                                     {t + action.time, 0, to},
                                     {t + action.time, 1, 0.0},
                                     {t + action.time, 2, 0.0}}));
  }
  if (!controlled) drive.kind = DriveKind::motion;
}

std::shared_ptr<const Model> carrying(const Model& model, const PayloadData& payload) {
  Robot robot = model.robot();
  robot.payloads.push_back(payload);
  return std::make_shared<const Model>(std::move(robot));
}

bool carries(const Model& model, const std::string& name) {
  const auto& payloads = model.robot().payloads;
  return std::any_of(payloads.begin(), payloads.end(),
                     [&](const PayloadData& p) { return p.name == name; });
}

std::shared_ptr<const Model> without(const Model& model, const std::string& name) {
  Robot robot = model.robot();
  std::erase_if(robot.payloads, [&](const PayloadData& p) { return p.name == name; });
  return std::make_shared<const Model>(std::move(robot));
}

[[noreturn]] void refuse(const PhaseLink& link, const std::string& what) {
  throw ComputationError(fmt::format("at t = {:.9g} s event '{}' {}", link.at.t, link.event, what));
}

void pick(Experiment& e, const EventAction& action, const PhaseLink& link) {
  if (carries(*e.model, action.payload.name))
    refuse(link, fmt::format("picks '{}' up, which is carried already", action.payload.name));
  const std::shared_ptr<const Model> before = e.known_model ? e.known_model : e.model;
  e.model = carrying(*e.model, action.payload);
  if (!action.known)
    e.known_model = before;
  else if (e.known_model)
    e.known_model = carrying(*e.known_model, action.payload);
}

void release(Experiment& e, const EventAction& action, const PhaseLink& link) {
  if (!carries(*e.model, action.name))
    refuse(link, fmt::format("releases '{}', which is not carried", action.name));
  e.model = without(*e.model, action.name);
  if (e.known_model && carries(*e.known_model, action.name))
    e.known_model = without(*e.known_model, action.name);
}

}  // namespace

double energy_of(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Workspace work(model);
  const Energy now = energy(model, work, q, v);
  return now.kinetic + now.potential;
}

bool changes_system(const EventAction& action) {
  return action.kind != ActionKind::stop && action.kind != ActionKind::record &&
         action.kind != ActionKind::call;
}

namespace {

/// What the function of an event asks for.
std::vector<EventAction> answer_of(const Experiment& experiment, const Event& event,
                                   const EventAction& action, double t, const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& v) {
  std::vector<EventAction> answer;
  std::vector<Problem> problems;
  try {
    answer = action.call(t, q, v);
    std::erase_if(answer, [](const EventAction& a) { return a.kind == ActionKind::call; });
    for (const EventAction& more : answer) check_action(experiment, event, more, problems);
    if (problems.empty()) return answer;
  } catch (const InputError& error) {
    problems = error.problems();
  }
  const std::string whose = fmt::format("function of event '{}' at t = {:.9g} s", event.name, t);
  for (Problem& p : problems)
    p.element = p.element.empty() ? whose : fmt::format("{}, {}", whose, p.element);
  throw InputError(std::move(problems));
}

}  // namespace

std::vector<EventAction> actions_of(const Experiment& experiment, const Event& event, double t,
                                    const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  std::vector<EventAction> actions;
  for (const EventAction& action : event.actions) {
    actions.push_back(action);
    if (action.kind == ActionKind::call)
      std::ranges::move(answer_of(experiment, event, action, t, q, v), std::back_inserter(actions));
  }
  return actions;
}

Experiment after_actions(const Experiment& experiment, PhaseLink& link) {
  Experiment next = experiment;
  const auto held = hold_references(next, link);
  for (const EventAction& action : link.actions) switch (action.kind) {
      case ActionKind::drive:
        change_drive(next, action);
        break;
      case ActionKind::move:
        start_motion(next, action, link);
        break;
      case ActionKind::control:
        next.controllers[action.index] = action.controller;
        break;
      case ActionKind::pick:
        pick(next, action, link);
        break;
      case ActionKind::release:
        release(next, action, link);
        break;
      case ActionKind::stop:
      case ActionKind::record:
      case ActionKind::call:
        break;
    }
  // A joint that leaves its controller is held where it is then, should it come back.
  for (const auto& [j, motion] : held)
    if (Drive& drive = next.drives[j];
        drive.kind != DriveKind::controller && drive.motion == motion)
      drive.motion.clear();
  next.q = link.q;
  next.v = link.v;
  next.keep_q.clear();
  next.keep_v.clear();
  link.energy = energy_of(*experiment.model, link.q, link.v);
  link.begins = true;
  link.actions.clear();
  return next;
}

Experiment experiment_at(const Experiment& experiment, const Checkpoint& from, PhaseLink& link) {
  const auto refuse_checkpoint = [](const std::string& why) {
    throw InputError("the checkpoint does not belong to this experiment: " + why,
                     "the experiment that the run was begun with", "begin it anew");
  };
  Experiment now = experiment;
  for (const PhaseStart& phase : from.phases) {
    const auto event = std::find_if(now.events.begin(), now.events.end(),
                                    [&](const Event& e) { return e.name == phase.event; });
    if (event == now.events.end())
      refuse_checkpoint(fmt::format("there is no event '{}'", phase.event));
    const Model& model = *now.model;
    for (const Eigen::VectorXd* x : {&phase.q, &phase.q_ref, &phase.v, &phase.v_ref}) {
      const int size = x == &phase.q || x == &phase.q_ref ? model.coordinates() : model.speeds();
      if (x->size() != size || !x->allFinite())
        refuse_checkpoint(fmt::format("the state at event '{}' is not one of robot '{}'",
                                      phase.event, model.name()));
    }
    link.at.t = phase.t;
    link.event = phase.event;
    link.q = phase.q;
    link.v = phase.v;
    link.q_ref = phase.q_ref;
    link.v_ref = phase.v_ref;
    link.actions.clear();
    for (EventAction& action : actions_of(now, *event, phase.t, model.normalized(phase.q), phase.v))
      if (changes_system(action)) link.actions.push_back(std::move(action));
    now = after_actions(now, link);
  }
  return now;
}

}  // namespace ulna
