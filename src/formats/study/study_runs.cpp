#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <set>
#include <stop_token>

#include "study/study_results.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/kinematics/posture.hpp"
#include "ulna/model/model.hpp"
#include "ulna/simulation/equilibrium.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/simulate.hpp"
#include "ulna/structure/internal/plane_frame.hpp"
#include "ulna/structure/member_stress.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna {
namespace {

/// The posture of a run: its own values, then those of the parameters.
State state_of(const SampleTask& task, const StudyRunKind& run) {
  const auto joined = [&](NamedValues own, char part) {
    for (const NamedValue& value : task.parts.state(task.values, part)) {
      std::erase_if(own, [&](const NamedValue& one) { return one.name == value.name; });
      own.push_back(value);
    }
    return own;
  };
  StateRequest request;
  const NamedValues q = joined(run.q, 'q'), v = joined(run.v, 'v');
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

void keep_frequencies(const Eigen::VectorXd& omega, int count, StudyResults& results) {
  for (int k = 0; k < std::min<long>(count, omega.size()); ++k)
    results.numbers[fmt::format("frequency.{}", k + 1)] = omega(k) / (2 * std::numbers::pi);
}

bool bends_by_modes(const Model& model, const StudyRunKind& run) {
  return !run.elements && model.flexible();
}

}  // namespace

void SampleTask::check_time() const {
  if (stop && stop()) throw SampleStopped{};
  if (parts.seconds <= 0) return;
  const double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (spent > parts.seconds)
    throw ComputationError(fmt::format("time limit of {:g} s passed", parts.seconds));
}

void run_experiment_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  Experiment experiment = *task.experiment;
  if (run.kind == StudyRunKind::Kind::inverse) experiment = inverse_of(experiment);
  experiment.record.channels = task.parts.channels;
  if (experiment.record.channels.empty()) experiment.record.channels = {"q"};
  std::vector<std::vector<double>> columns;
  std::vector<std::string> names;
  for (const Channel& channel : channels_of(experiment)) names.push_back(channel.name);
  columns.resize(names.size());
  results.t.clear();
  RunOptions options;
  options.record = [&](double t, std::span<const double> row) {
    results.t.push_back(t);
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k].push_back(row[k]);
  };
  int calls = 0;
  options.progress = [&](double) {
    if ((++calls & 31) == 0) task.check_time();
  };
  const RunSummary summary =
      simulate(CheckedExperiment::after_event(std::move(experiment)), options);
  for (std::size_t k = 0; k < columns.size(); ++k)
    results.channels[names[k]] = std::move(columns[k]);
  auto& n = results.numbers;
  n["run.t"] = summary.t;
  n["run.steps"] = double(summary.statistics.steps);
  n["run.balance"] = summary.energy_balance;
  for (const MotorDuty& motor : summary.motors) {
    n["motor." + motor.name + ".peak"] = motor.effort.value;
    n["motor." + motor.name + ".rms"] = motor.rms_effort;
    n["motor." + motor.name + ".speed"] = motor.speed.value;
    n["motor." + motor.name + ".power"] = motor.power.value;
  }
  for (const EventNote& event : summary.events) n.try_emplace("event." + event.name, event.t);
}

void run_modes_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  if (bends_by_modes(*task.model, run)) {
    ModesQuery query;
    query.q = state.q;
    if (state.v.cwiseAbs().maxCoeff() > 0) query.v = state.v;
    query.all_locked = run.all_locked;
    for (const std::string& joint : run.locked) query.locked.push_back(task.model->joint(joint));
    const ElasticModes modes = elastic_modes(*task.model, query);
    keep_frequencies(modes.frequencies, run.count, results);
    results.numbers["growth.largest"] = growth_rate(modes);
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
  const RobotFrame structure(model, state.q, options);
  elastic::EigenOptions eigen;
  eigen.count = run.count;
  keep_frequencies(structure_modes(structure, eigen).modes.omega, run.count, results);
}

void run_deflection_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  const RobotFrame structure(*task.model, state.q, structure_of(run));
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
    n[fmt::format("deflection.{}", axes[k])] = motion(k);
    n[fmt::format("deflection.r{}", axes[k])] = motion(k + 3);
    n[fmt::format("stiffness.{}", axes[k])] = 1 / soft(k, k);
  }
  n["deflection.distance"] = motion.template head<3>().norm();
  double stress = 0;
  for (const MemberStress& member : member_stresses(structure, bent))
    if (member.stress) stress = std::max(stress, member.stress->von_mises);
  n["stress.largest"] = stress;
}

void run_linearize_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  const Eigen::VectorXd tau = Eigen::VectorXd::Zero(task.model->speeds());
  const LinearSystem system = linearize(*task.model, state.q, state.v, tau);
  const Eigen::VectorXcd all = poles(system.A);
  for (long k = 0; k < all.size(); ++k) {
    results.numbers[fmt::format("pole.{}.real", k + 1)] = all(k).real();
    results.numbers[fmt::format("pole.{}.imag", k + 1)] = all(k).imag();
  }
  results.numbers["growth.largest"] = all.size() > 0 ? all.real().maxCoeff() : 0;
}

void run_equilibrium_of(const SampleTask& task, const StudyRunKind& run, StudyResults& results) {
  const State state = state_of(task, run);
  const Equilibrium rest =
      find_equilibrium(*task.model, state.q, Eigen::VectorXd::Zero(task.model->speeds()));
  if (!rest.found) throw ComputationError(rest.reason, rest.residual);
  for (int k = 0; k < rest.q.size(); ++k)
    results.numbers["rest." + task.model->coordinate_names()[k]] = rest.q(k);
  results.numbers["rest.stable"] = rest.stable ? 1 : 0;
}

}  // namespace ulna
