#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stop_token>

#include "study/study_results.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/posture.hpp"
#include "ulna/model/model.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/internal/read_records.hpp"
#include "ulna/simulation/internal/reference.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/simulate.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
/// Its own values, then those of the parameters; the rest as the motions have it at its time.
State state_of(const SampleTask& task, const StudyRunKind& run) {
  const auto joined = [&](NamedValues own, const char* part) {
    for (const NamedValue& value : task.parts.named(task.values, part)) {
      std::erase_if(own, [&](const NamedValue& one) { return one.name == value.name; });
      own.push_back(value);
    }
    return own;
  };
  StateRequest request;
  const NamedValues q = joined(run.q, "q"), v = joined(run.v, "v");
  if (!run.posture.empty()) request.near = posture(*task.model, run.posture);
  if (run.time) {
    Experiment experiment = task.experiment ? *task.experiment : *task.parts.unchanged;
    experiment.model = task.model;
    if (*run.time > experiment.end)
      throw InputError(fmt::format("time: {} s", *run.time),
                       fmt::format("a time from 0 to {} s", experiment.end));
    Reference reference(experiment);
    reference.update(*run.time);
    request.near = reference.q, request.v = reference.v, request.a = reference.a;
  }
  if (!q.empty())
    request.q = q;
  else if (request.near.size() > 0)
    request.q = request.near;
  if (!v.empty()) request.v = v;
  return complete_state(*task.model, request);
}

int frame_of(const Model& model, const StudyRunKind& run) {
  return run.frame.empty() ? model.tip_frame() : model.frame(run.frame);
}

bool SampleTask::late() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return parts.seconds > 0 && spent.count() > parts.seconds;
}

void SampleTask::check_time() const {
  if (stop && stop()) throw SampleStopped{};
  if (late()) throw ComputationError(fmt::format("time limit of {:g} s passed", parts.seconds));
}

namespace {

/// Every coordinate is a function of time: only works are integrated.
bool all_led(const Experiment& e) {
  if (e.model->flexible() || !e.model->loops().empty() || !e.controllers.empty() ||
      !e.contacts.empty() || !e.events.empty() || e.drives.size() != e.model->joints().size())
    return false;
  for (std::size_t j = 0; j < e.drives.size(); ++j) {
    const DriveKind kind = e.drives[j].kind;
    const bool led = kind == DriveKind::motion || kind == DriveKind::locked;
    if (e.model->joints()[j].speeds > 0 && !led) return false;
  }
  return true;
}

void keep_summary(const Experiment& experiment, const RunSummary& summary, const StudyRunKind& run,
                  StudyResults& results) {
  auto& n = results.numbers;
  n[run.result("run.t")] = summary.t;
  n[run.result("run.steps")] = double(summary.statistics.steps);
  n[run.result("run.balance")] = summary.energy_balance;
  for (const MotorDuty& motor : summary.motors) {
    const std::string head = run.result("motor." + motor.name);
    n[head + ".peak"] = motor.effort.value;
    n[head + ".rms"] = motor.rms_effort;
    n[head + ".speed"] = motor.speed.value;
    n[head + ".power"] = motor.power.value;
  }
  for (const EventNote& event : summary.events)
    n.try_emplace(run.result("event." + event.name), event.t);
  for (const Event& event : experiment.events)
    n.try_emplace(run.result("event." + event.name), NAN);
}

}  // namespace

Experiment prepared_for(const StudyRunKind& run, const Experiment& experiment) {
  const bool inverse = run.kind == StudyRunKind::Kind::inverse;
  Experiment made = inverse ? inverse_of(experiment) : experiment;
  made.record.channels = run.channels;
  // Where nobody asks for works one evaluation at each record is enough.
  if (inverse && run.records_alone && all_led(made)) {
    made.integrator.method = IntegratorMethod::semi_implicit;
    made.integrator.step = made.record.interval > 0 ? made.record.interval : made.end / 100;
  }
  return made;
}

std::vector<std::string> recorded_names(const StudyRunKind& run, const Experiment& prepared) {
  std::vector<std::string> names;
  for (const Channel& channel : channels_of(prepared)) names.push_back(run.result(channel.name));
  return names;
}

/// No name of its channels stands for several, whose number may depend on the experiment.
static bool records_single_channels(const StudyRunKind& run) {
  return std::ranges::equal(
      run.channels, run.recorded,
      [&](const std::string& asked, const std::string& name) { return run.result(asked) == name; });
}

void run_experiment_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  Experiment experiment = task.experiment ? prepared_for(run, *task.experiment) : *run.prepared;
  experiment.model = task.model;
  const std::vector<std::string> names = task.experiment && !records_single_channels(run)
                                             ? recorded_names(run, experiment)
                                             : run.recorded;
  std::vector<std::vector<double>> columns(names.size());
  auto t = std::make_shared<std::vector<double>>();
  const auto keep = [&](double now, std::span<const double> row) {
    t->push_back(now);
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k].push_back(row[k]);
  };
  const CheckedExperiment checked = CheckedExperiment::after_event(std::move(experiment));
  RunOptions options;
  options.record = keep;
  std::optional<RunSummary> summary;
  if (!run.channels_alone || !read_records(checked, keep)) summary = simulate(checked, options);
  for (std::size_t k = 0; k < columns.size(); ++k)
    results.channels[names[k]] = {t, std::move(columns[k])};
  if (!summary) return;
  // What a run recorded until it came to nothing is no result of the sample.
  if (!summary->complete) throw ComputationError(summary->reason);
  keep_summary(*checked, *summary, run, results);
}

/// Where a frame is, and how its origin moves with the speeds that are free to be chosen.
void run_kinematics_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const Model& model = *task.model;
  const State state = state_of(task, run);
  const int frame = frame_of(model, run);
  Workspace work(model);
  update_poses(model, work, state.q);
  const Pose<double> X = frame_pose(model, work, frame);
  const Vector3<double> turn = log_rotation(X.rotation);
  Eigen::MatrixXd J = jacobian(model, work, state.q, {.frame = frame}).bottomRows<3>();
  if (!model.loops().empty()) {
    LoopClosure closure(model);
    closure.update(work, state.q);
    J = J * independent_map(closure, split_speeds(closure)).G;
  }
  auto& n = results.numbers;
  const char* axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) {
    n[run.result(fmt::format("frame.{}", axes[k]))] = X.position(k);
    n[run.result(fmt::format("frame.r{}", axes[k]))] = turn(k);
  }
  const Eigen::VectorXd sizes = dense::singular_values(J);
  if (sizes.size() == 0) return;  // nothing moves
  n[run.result("jacobian.condition")] = sizes(0) / sizes(sizes.size() - 1);
  n[run.result("jacobian.least")] = sizes(sizes.size() - 1);
  n[run.result("jacobian.manipulability")] = sizes.prod();
}

/// Under the efforts that hold the state, or that the motions need.
void run_linearize_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const Model& model = *task.model;
  const State state = state_of(task, run);
  LinearOutput output;
  output.independent = independent_for_linearization(model, state.q);
  const Eigen::VectorXd tau =
      run.time ? Eigen::VectorXd(Dynamics(model).inverse(state.q, state.v, state.a).tau)
               : holding_efforts(model, state.q, state.v, output.independent);
  const LinearSystem system = linearize(model, state.q, state.v, tau, output);
  const Eigen::VectorXcd all = poles(system.A);
  for (long k = 0; k < all.size(); ++k) {
    results.numbers[run.result(fmt::format("pole.{}.real", k + 1))] = all(k).real();
    results.numbers[run.result(fmt::format("pole.{}.imag", k + 1))] = all(k).imag();
  }
  results.numbers[run.result("growth.largest")] = all.size() > 0 ? all.real().maxCoeff() : 0;
}

void run_equilibrium_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  const Equilibrium rest =
      find_equilibrium(*task.model, state.q, Eigen::VectorXd::Zero(task.model->speeds()));
  if (!rest.found) throw ComputationError(rest.reason, rest.residual);
  for (int k = 0; k < rest.q.size(); ++k)
    results.numbers[run.result("rest." + task.model->coordinate_names()[k])] = rest.q(k);
  results.numbers[run.result("rest.stable")] = rest.stable ? 1 : 0;
}

}  // namespace ulna
