#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <set>
#include <stop_token>

#include "study/study_results.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/posture.hpp"
#include "ulna/model/model.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/internal/read_records.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/simulate.hpp"
#include "ulna/spatial/rotation.hpp"
#include "ulna/structure/internal/plane_frame.hpp"
#include "ulna/structure/member_stress.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna {
namespace {

/// The posture of a run: its own values, then those of the parameters.
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
  if (!q.empty())
    request.q = q;
  else if (!run.posture.empty())
    request.q = request.near;
  if (!v.empty()) request.v = v;
  return complete_state(*task.model, request);
}

StructureOptions structure_of(const StudyRunKind& run) {
  StructureOptions options;
  if (run.all_locked) options.joints = JointHold::locked;
  for (const std::string& joint : run.locked) options.support[joint] = {JointHold::locked, 0, 0};
  return options;
}

int frame_of(const Model& model, const std::string& name) {
  if (!name.empty()) return model.frame(name);
  return static_cast<int>(model.frames().size()) - 1;
}

void keep_frequencies(const Eigen::VectorXd& omega, const StudyRunKind& run,
                      StudyResults& results) {
  for (int k = 0; k < std::min<long>(run.count, omega.size()); ++k)
    results.numbers[run.result(fmt::format("frequency.{}", k + 1))] =
        omega(k) / (2 * std::numbers::pi);
}

bool bends_by_modes(const Model& model, const StudyRunKind& run) {
  return !run.elements && model.flexible();
}

}  // namespace

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

void run_experiment_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  Experiment experiment = task.experiment ? prepared_for(run, *task.experiment) : *run.prepared;
  experiment.model = task.model;
  const std::vector<std::string> names =
      task.experiment ? recorded_names(run, experiment) : run.recorded;
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

void run_modes_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  if (bends_by_modes(*task.model, run)) {
    ModesQuery query;
    query.q = state.q;
    if (!state.v.isZero(0)) query.v = state.v;
    query.all_locked = run.all_locked;
    for (const std::string& joint : run.locked) query.locked.push_back(task.model->joint(joint));
    const ElasticModes modes = elastic_modes(*task.model, query);
    keep_frequencies(modes.frequencies, run, results);
    results.numbers[run.result("growth.largest")] = growth_rate(modes);
    return;
  }
  const std::optional<PlaneFrame> plane = plane_frame(*task.model);
  const Model model = plane ? Model(plane->robot) : *task.model;
  StructureOptions options = structure_of(run);
  if (plane) {
    const std::vector<std::string> words = {"u", "v", "w", "rx", "ry", "rz"};
    options.freedoms = 0;
    for (std::size_t k = 0; k < words.size(); ++k)
      if (("," + plane->freedoms + ",").find("," + words[k] + ",") != std::string::npos)
        options.freedoms |= 1u << k;
  }
  const RobotStructure structure(model, state.q, options);
  elastic::EigenOptions eigen;
  eigen.count = run.count;
  keep_frequencies(structure_modes(structure, eigen).modes.omega, run, results);
}

void run_deflection_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  const RobotStructure structure(*task.model, state.q, structure_of(run));
  StaticLoad load;
  load.gravity = run.gravity;
  const int frame = frame_of(*task.model, run.frame);
  Vector6<double> force = Vector6<double>::Zero();
  force.head<3>() = run.force;
  if (!run.force.isZero(0)) load.forces.emplace_back(frame, force);
  const StaticDeflection bent = static_deflection(structure, state.q, load);
  const auto motion = structure.frame().node_motion(structure.node_of(frame), bent.freedoms);
  const Matrix6<double> soft = compliance(structure, frame);
  auto& n = results.numbers;
  const char* axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k) {
    n[run.result(fmt::format("deflection.{}", axes[k]))] = motion(k);
    n[run.result(fmt::format("deflection.r{}", axes[k]))] = motion(k + 3);
    n[run.result(fmt::format("stiffness.{}", axes[k]))] = 1 / soft(k, k);
  }
  n[run.result("deflection.distance")] = motion.template head<3>().norm();
  double stress = 0;
  for (const MemberStress& member : member_stresses(structure, bent))
    if (member.stress) stress = std::max(stress, member.stress->von_mises);
  n[run.result("stress.largest")] = stress;
}

/// Where a frame is, and how its origin moves with the speeds that are free to be chosen.
void run_kinematics_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const Model& model = *task.model;
  const State state = state_of(task, run);
  const int frame = run.frame.empty() ? model.tip_frame() : model.frame(run.frame);
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

void run_linearize_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  const Eigen::VectorXd tau = Eigen::VectorXd::Zero(task.model->speeds());
  const LinearSystem system = linearize(*task.model, state.q, state.v, tau);
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
