#include "run/planned_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/led_joints.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

/// The motions and the start of the joints, on the robot with rigid links.
Experiment on_joints(const Experiment& experiment, const std::shared_ptr<const Model>& model) {
  Experiment joints(model);
  joints.drives = experiment.drives;
  joints.drives.resize(model->joints().size());
  if (experiment.q.size() > 0) joints.q = experiment.q.head(model->coordinates());
  return joints;
}

/// Rows of the loops and of the speeds that are held.
Eigen::MatrixXd rows_of(const LoopClosure& closure, const std::vector<char>& held) {
  const Eigen::Index n = closure.model().speeds();
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(closure.rows() + n, n);
  rows.topRows(closure.rows()) = closure.scaled_jacobian();
  for (Eigen::Index k = 0; k < n; ++k)
    if (held[static_cast<std::size_t>(k)]) rows(closure.rows() + k, k) = 1;
  return rows;
}

}  // namespace

PlannedMotion::PlannedMotion(const Experiment& experiment,
                             const std::shared_ptr<const Model>& model, double end)
    : model_(*model), reference_(on_joints(experiment, model)), dynamics_(*model), end_(end) {
  const LedJoints led = led_joints(experiment, model_);
  led_ = led.coordinates, held_ = led.speeds;
  reference_.update(0);
  if (!dynamics_.loops()) return;
  close_start(experiment);
  // Small steps from the start keep to the branch on which the robot stands.
  constexpr int steps = 200;
  for (int k = 1; k <= steps; ++k) at(end_ * k / steps);
}

void PlannedMotion::close_start(const Experiment& experiment) {
  AssemblyOptions options;
  options.start = reference_.q;
  std::vector<char> given = experiment.keep_q;
  given.resize(led_.size(), 0);
  for (std::size_t j = 0; j < experiment.drives.size(); ++j) {
    const Joint& joint = model_.joints()[j];
    if (!experiment.drives[j].motion.empty())
      std::fill_n(given.begin() + joint.q, joint.coordinates, 1);
  }
  for (std::size_t k = 0; k < given.size(); ++k)
    if (given[k]) options.held.push_back(static_cast<int>(k));
  options.tolerance = 1e-11;
  reference_.q = assembled(model_, options);
  require_determined(experiment);
  State start{reference_.q, reference_.v, reference_.a};
  if (!follow(0, start, 0, start))
    throw ComputationError(
        fmt::format("the loops of robot '{}' do not close where its motions start", model_.name()));
  states_.emplace(0, std::move(start));
}

/// Joints outside of the loops rest without a motion, as in a tree, and so do those of the loops
/// that a controller holds. What is still free would move by its dynamics, at any speed
/// differently.
void PlannedMotion::require_determined(const Experiment& experiment) {
  dynamics_.loops()->update_closure(dynamics_.work(), reference_.q);
  const LoopClosure& closure = dynamics_.loops()->closure();
  std::vector<char> in_loops(held_.size(), 0);
  for (const LoopClosure::Block& block : closure.blocks())
    for (const int k : block.columns) in_loops[static_cast<std::size_t>(k)] = 1;
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (!in_loops[k]) held_[k] = 1;
  const auto free = [&] {
    const dense::LeastNorm solver(rows_of(closure, held_), loop_rank_tolerance);
    return model_.speeds() - solver.rank();
  };
  const int idle = static_cast<int>(std::ssize(idle_spins(model_.robot())));
  int left = free() - idle;
  for (std::size_t j = 0; j < experiment.drives.size() && left > 0; ++j) {
    if (experiment.drives[j].kind != DriveKind::controller) continue;
    const std::vector<char> before = held_;
    std::fill_n(held_.begin() + model_.joints()[j].v, model_.joints()[j].speeds, 1);
    const int now = free() - idle;
    if (now == left) held_ = before;
    left = now;
  }
  if (left > 0)
    throw InputError(fmt::format("the motions leave {} freedom{} of robot '{}' open", left,
                                 left == 1 ? "" : "s", model_.name()),
                     "motions of as many joints as the loops leave free, or a path of a frame");
  dynamics_.hold(held_);
}

/// The state at t from a neighbouring one; false where the loops do not follow.
bool PlannedMotion::follow(double t, const State& from, double from_t, State& state) {
  reference_.update(t);
  const Eigen::VectorXd rates = reference_.v;
  Eigen::VectorXd q = model_.integrate(from.q, (t - from_t) * from.v), v = from.v;
  for (std::size_t k = 0; k < led_.size(); ++k)
    if (led_[k]) q(static_cast<Eigen::Index>(k)) = reference_.q(static_cast<Eigen::Index>(k));
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (held_[k]) v(static_cast<Eigen::Index>(k)) = rates(static_cast<Eigen::Index>(k));
  if (!dynamics_.close_positions(q, 1e-12) || !dynamics_.close_speeds(q, v)) return false;
  // A long way from the state before is another branch.
  const Eigen::VectorXd way = model_.difference(from.q, q);
  const double expected = std::abs(t - from_t) * std::max(from.v.norm(), v.norm());
  if (way.norm() > 2 * expected + 1e-3) return false;
  state = {std::move(q), std::move(v), reference_.a};
  return true;
}

const PlannedMotion::State& PlannedMotion::at(double t) {
  if (!dynamics_.loops()) {
    reference_.update(t);
    state_ = {reference_.q, reference_.v, reference_.a};
    return state_;
  }
  const auto after = states_.lower_bound(t);
  if (after != states_.end() && after->first == t) return after->second;
  auto near = after == states_.begin() ? after : std::prev(after);
  if (after != states_.end() && after->first - t < t - near->first) near = after;
  State state = near->second;
  double reached = near->first, step = t - reached;
  while (reached != t) {
    interruption_point();
    const double next = std::abs(step) >= std::abs(t - reached) ? t : reached + step;
    if (follow(next, state, reached, state)) {
      reached = next;
      continue;
    }
    step /= 2;
    if (std::abs(step) < 1e-9 * end_)
      throw ComputationError(
          fmt::format("the loops of robot '{}' cannot follow its motions beyond t = {:.6g} s",
                      model_.name(), reached),
          reached);
  }
  constexpr std::size_t most = 20000;
  if (states_.size() < most) return states_.emplace(t, std::move(state)).first->second;
  return state_ = std::move(state);
}

Eigen::VectorXd PlannedMotion::efforts(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                       const Eigen::VectorXd& a) {
  if (!dynamics_.loops()) return dynamics_.inverse(q, v, a).tau;
  Eigen::VectorXd accelerations = a, tau = Eigen::VectorXd::Zero(v.size());
  if (!dynamics_.mixed(q, v, accelerations, tau))
    throw ComputationError(
        fmt::format("masses and loops of robot '{}' do not determine the efforts of its motions",
                    model_.name()));
  return tau;
}

EffortTerms PlannedMotion::terms(double t) {
  const State s = at(t);
  const Eigen::VectorXd t1 = efforts(s.q, s.v, s.a), t2 = efforts(s.q, 2 * s.v, 4 * s.a),
                        t3 = efforts(s.q, 3 * s.v, 9 * s.a);
  EffortTerms terms;
  terms.inertial = (t3 - 2 * t2 + t1) / 2;
  terms.viscous = t2 - t1 - 3 * terms.inertial;
  terms.constant = t1 - terms.inertial - terms.viscous;
  return terms;
}

Eigen::VectorXd PlannedMotion::starting_efforts(double t) {
  const State s = at(t);
  return efforts(s.q, 0 * s.v, s.v);
}

Eigen::VectorXd PlannedMotion::resting_efforts(double t) {
  const State s = at(t);
  return efforts(s.q, 0 * s.v, 0 * s.a);
}

}  // namespace ulna
