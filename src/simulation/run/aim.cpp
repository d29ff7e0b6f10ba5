#include "ulna/simulation/internal/aim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/motion/internal/switch_times.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

/// The switched efforts of an experiment, in the order of its drives.
class Switches {
 public:
  explicit Switches(Experiment& experiment) {
    for (Drive& drive : experiment.drives)
      for (ScalarMotionPtr& effort : drive.effort)
        if (const auto* signal = dynamic_cast<const SwitchedSignal*>(effort.get())) {
          places_.push_back(&effort);
          levels_.push_back(signal->level());
          times.push_back(signal->switches());
        }
  }
  void set(const std::vector<std::vector<double>>& to, double duration) {
    for (std::size_t k = 0; k < places_.size(); ++k)
      *places_[k] = std::make_shared<SwitchedSignal>(levels_[k], to[k], duration);
  }
  std::vector<std::vector<double>> times;

 private:
  std::vector<ScalarMotionPtr*> places_;
  std::vector<double> levels_;
};

void check_goal(const Experiment& e) {
  const Model& model = *e.model;
  if (!e.goal) throw InputError("the experiment has no goal", "a goal");
  if (e.goal->q.size() != model.coordinates() || e.goal->v.size() != model.speeds())
    throw InputError(
        Problem{{e.source},
                "goal",
                fmt::format("{} coordinates and {} speeds", e.goal->q.size(), e.goal->v.size()),
                fmt::format("{} and {}", model.coordinates(), model.speeds()),
                {}});
  for (const TangentBlock& block : model.blocks())
    if (block.kind != TangentBlock::Kind::line &&
        !e.goal->q.segment(block.q, block.speeds + 1).array().isNaN().all())
      throw InputError(
          Problem{{e.source},
                  "goal",
                  fmt::format("joint '{}' has a quaternion", model.joints()[block.joint].name),
                  "coordinates of joints with one for each speed",
                  {}});
}

/// Wishes and what the run left of them.
Eigen::VectorXd left(const Goal& goal, const RunSummary& run) {
  std::vector<double> rows;
  for (long k = 0; k < goal.q.size(); ++k)
    if (!std::isnan(goal.q(k))) rows.push_back(run.q(k) - goal.q(k));
  for (long k = 0; k < goal.v.size(); ++k)
    if (!std::isnan(goal.v(k))) rows.push_back(run.v(k) - goal.v(k));
  return Eigen::Map<const Eigen::VectorXd>(rows.data(), static_cast<long>(rows.size()));
}

/// Replaces the first guess by what rough runs lead to.
void begin_nearer(SwitchProblem& problem, const std::function<void(double)>& with_tolerance) {
  SwitchProblem rough = problem;
  rough.difference = 1e-4;
  rough.tolerance = std::max(1e-5, problem.tolerance);
  with_tolerance(1e-8);
  try {
    const SwitchTimes found = find_switch_times(rough);
    problem.start = found.switches;
    problem.start_duration = found.duration;
    problem.runs -= found.evaluations;
  } catch (const ComputationError& error) {
    if (std::string(error.what()).starts_with("interrupted")) throw;
    problem.runs /= 3;  // of the first guess, with what is left of patience
  }
}

}  // namespace

AimResult aim(Experiment& experiment, const AimOptions& options) {
  check_goal(experiment);
  Experiment trial = experiment;
  trial.events.clear();
  trial.record = {};
  trial.record.channels = {"energy.kinetic"};
  Switches switches(trial), found_in(experiment);
  if (switches.times.empty())
    throw InputError(Problem{{experiment.source},
                             "goal",
                             "no effort is switched",
                             "an effort {switched: LEVEL, at: [...]}",
                             {}});
  SwitchProblem problem;
  problem.start = switches.times;
  problem.start_duration = experiment.end;
  problem.tolerance = experiment.goal->tolerance;
  problem.minimise = experiment.goal->shortest;
  int count = 0;
  problem.miss = [&](const std::vector<std::vector<double>>& times, double duration) {
    if (options.stop.stop_requested()) throw ComputationError("interrupted");
    if (options.progress) options.progress(count);
    ++count;
    switches.set(times, duration);
    trial.end = duration;
    trial.record.interval = duration;
    return left(*experiment.goal, simulate(trial, RunOptions{}));
  };
  // The search differentiates numerically: the runs must be smoother than its steps. Fast modes
  // make such runs slow, and the way to the goal is found with rougher ones.
  const auto with_tolerance = [&](double relative) {
    Tolerances& t = trial.integrator.tolerances;
    t.relative = std::min(relative, experiment.integrator.tolerances.relative);
    t.absolute = 1e-2 * t.relative;
  };
  // Such runs are shorter by the method of the higher order.
  if (trial.integrator.method == IntegratorMethod::automatic)
    trial.integrator.method = IntegratorMethod::dop853;
  begin_nearer(problem, with_tolerance);
  with_tolerance(1e-11);
  const SwitchTimes found = find_switch_times(problem);
  found_in.set(found.switches, found.duration);
  experiment.end = found.duration;
  TimingResult timing;
  timing.duration = found.duration;
  for (const auto& joint : found.switches)
    timing.switches.insert(timing.switches.end(), joint.begin(), joint.end());
  timing.limit = fmt::format("switched efforts; {:.3g} left to the goal", found.miss);
  experiment.timing = timing;
  return {found.duration, found.miss, found.evaluations};
}

}  // namespace ulna
