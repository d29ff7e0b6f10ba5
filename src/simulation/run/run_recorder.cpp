#include "run/run_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"
#include "ulna/kinematics/mobility.hpp"
#include "ulna/kinematics/platform_branch.hpp"

namespace ulna {

RunRecorder::RunRecorder(const Experiment& experiment, const RunOptions& options,
                         MechanicalSystem& system)
    : adviser(experiment),
      options_(options),
      system_(system),
      reader_(system, channels_of(experiment)),
      sizing_(experiment),
      duty_(experiment),
      between_rates_(system.size()) {
  reader_.always_energy = true;
  reader_.always_reactions = duty_.wants_reactions();
}

void RunRecorder::restore(const Checkpoint& from) {
  reader_.set_start_energy(from.start_energy);
  summary.records = from.records;
  summary.largest_kinetic = from.largest_kinetic;
  summary.energy_balance = from.largest_balance;
  summary.constraint = from.largest_constraint;
  summary.closure = from.largest_closure;
  summary.nonholonomic = from.largest_slip;
  summary.largest_energy = from.largest_energy;
  reader_.set_frame_memory(from.frames);
  summary.events = from.events;
  summary.independent = from.independent;
  summary.switches = from.switches;
  adviser.restore(from.notes, from.said);
  sizing_.recall(from.sizing);
  duty_.recall(from.duty);
  jumps = from.jumps;
  first_jump = from.first_jump;
  phases = from.phases;
  resumed_ = true;
  wall_before_ = from.wall_seconds;
}

void RunRecorder::look_at_loops(double t, const double* y) {
  if (!system_.constraints().closes()) return;
  system_.evaluate(t, y);
  const LoopClosure& closure = system_.constraints().closure();
  split_ = many_speeds() ? split_speeds_by_loops(closure) : split_speeds(closure);
  if (resumed_) return restore_split();
  summary.independent = split_.independent;
  if (const auto branch = platform_branch(system_.model(), system_.q))
    adviser.notes.push_back(branch->text());
  if (split_.independent.empty() && system_.model().speeds() > 0)
    adviser.notes.push_back(rigid_structure_text(system_.model()) +
                            "; nothing moves, whatever drives it");
}

/// The choice that the run was interrupted with; what is found now may be another one.
void RunRecorder::restore_split() {
  split_.independent =
      summary.switches.empty() ? summary.independent : summary.switches.back().independent;
  split_.dependent.clear();
  for (int k = 0; k < system_.model().speeds(); ++k)
    if (!std::binary_search(split_.independent.begin(), split_.independent.end(), k))
      split_.dependent.push_back(k);
}

/// Dense linear algebra, at every record, would outweigh the run of a large mechanism.
bool RunRecorder::many_speeds() const {
  constexpr int few = 20;
  return system_.model().speeds() > few;
}

void RunRecorder::take(double t, const double* y) {
  const std::span<const double> row = reader_.read(t, y);
  ++summary.records;
  sizing_.look(t, system_.controls.actuators());
  duty_.look(system_, reader_.reactions());
  if (summary.records == 1) warn_of_start();
  summary.largest_kinetic = std::max(summary.largest_kinetic, reader_.kinetic());
  summary.largest_energy = std::max(summary.largest_energy, reader_.energy_size());
  summary.energy_balance = std::max(summary.energy_balance, std::abs(reader_.balance()));
  summary.constraint = std::max(summary.constraint, reader_.constraint_error());
  summary.nonholonomic = std::max(summary.nonholonomic, reader_.slip());
  watch_loops(t);
  if (!std::isfinite(reader_.kinetic()))
    throw ComputationError(fmt::format("the motion is not finite at t = {:.9g} s", t));
  adviser.look(system_);
  if (options_.record) options_.record(t, row);
}

/// At once, not in the end: a start that is far off makes the whole run worthless.
void RunRecorder::warn_of_start() {
  for (std::string& text : duty_.beyond_limits(system_)) {
    if (options_.warn) options_.warn(text);
    adviser.notes.push_back(std::move(text));
  }
}

void RunRecorder::take_between(double t, double* y) {
  if (system_.projects()) system_.project(t, y, between_rates_.data());
  take(t, y);
}

/// The closure at a record, and whether the speeds chosen as independent still are.
void RunRecorder::watch_loops(double t) {
  const LoopGap gap = reader_.closure_gap();
  summary.closure = std::max({summary.closure, gap.length, gap.angle});
  if (many_speeds() || split_.dependent.empty()) return;
  const SpeedSplit best = split_speeds(system_.constraints().closure());
  if (best.rank != split_.rank) return;  // a singular posture is no reason to choose
  if (quality_of(system_.constraints().closure(), split_) > 0.02 * best.quality) return;
  split_ = best;
  summary.switches.push_back({t, best.independent});
}

void RunRecorder::save(double t, const double* y, const StepMemory& step,
                       const IntegratorStatistics& statistics) {
  if (options_.checkpoint) options_.checkpoint(checkpoint(t, y, step, statistics));
}

const Checkpoint& RunRecorder::checkpoint(double t, const double* y, const StepMemory& step,
                                          const IntegratorStatistics& statistics) {
  checkpoint_.t = t;
  checkpoint_.records = summary.records;
  checkpoint_.y = Eigen::Map<const Eigen::VectorXd>(y, system_.size());
  checkpoint_.controllers = system_.memory();
  checkpoint_.step = step;
  checkpoint_.statistics = statistics;
  checkpoint_.start_energy = reader_.start_energy;
  checkpoint_.largest_kinetic = summary.largest_kinetic;
  checkpoint_.largest_balance = summary.energy_balance;
  checkpoint_.largest_constraint = summary.constraint;
  checkpoint_.largest_closure = summary.closure;
  checkpoint_.largest_slip = summary.nonholonomic;
  checkpoint_.largest_energy = summary.largest_energy;
  checkpoint_.frames = reader_.frame_memory();
  checkpoint_.wall_seconds = wall_seconds();
  checkpoint_.events = summary.events;
  checkpoint_.notes = adviser.notes;
  checkpoint_.said = {adviser.said().begin(), adviser.said().end()};
  checkpoint_.independent = summary.independent;
  checkpoint_.switches = summary.switches;
  checkpoint_.jumps = jumps;
  checkpoint_.first_jump = first_jump;
  checkpoint_.sizing = sizing_.memory();
  checkpoint_.phases = phases;
  checkpoint_.duty = duty_.memory();
  return checkpoint_;
}

double RunRecorder::wall_seconds() const {
  const auto now = std::chrono::steady_clock::now();
  return wall_before_ + std::chrono::duration<double>(now - begin_).count();
}

RunSummary RunRecorder::finish(double t, const double* y, const IntegratorStatistics& statistics) {
  system_.evaluate(t, y);
  summary.t = t;
  summary.statistics = statistics;
  summary.q = system_.q;
  summary.v = system_.v;
  summary.tau = system_.tau;
  summary.works = system_.works(y);
  summary.notes = adviser.notes;
  summary.sizing = sizing_.rows(t, system_.controls.actuators());
  duty_.put(t, summary);
  summary.wall_seconds = wall_seconds();
  if (const ContactSystem* contacts = system_.contacts().touching())
    for (std::size_t k = 0; k < contacts->contact_count(); ++k) {
      const ContactSystem::Touch c = contacts->contact(k);
      summary.contacts.push_back({c.data.name, c.state, c.impacts});
    }
  return std::move(summary);
}

}  // namespace ulna
