#include "run/failure_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/cannot_follow.hpp"
#include "run/event_actions.hpp"
#include "run/times.hpp"
#include "ulna/dynamics/dynamics.hpp"

namespace ulna {
namespace {

/// Checkpoints of earlier versions do not hold what events changed.
void require_phases(const Checkpoint& from, const Experiment& experiment) {
  if (!from.phases.empty()) return;
  for (const EventNote& note : from.events)
    for (const Event& event : experiment.events)
      if (event.name == note.name &&
          std::any_of(event.actions.begin(), event.actions.end(), changes_system))
        throw InputError(
            fmt::format("the checkpoint does not hold what event '{}' changed at t = {:.9g} s",
                        note.name, note.t),
            "a checkpoint of this version", "begin the run anew");
}

/// Why masses and loops give no accelerations where a run stands; empty: they do.
std::string undetermined(const Experiment& experiment, const MechanicalSystem& system) {
  const Model& model = system.model();
  const bool led =
      std::any_of(experiment.drives.begin(), experiment.drives.end(), [](const Drive& drive) {
        return drive.kind == DriveKind::motion || drive.kind == DriveKind::locked;
      });
  // What is led needs no mass.
  if (led || !system.q.allFinite() || !system.v.allFinite()) return {};
  try {
    Dynamics dynamics(model, {.level = experiment.elastic});
    dynamics.forward(system.q, system.v, Eigen::VectorXd::Zero(model.speeds()));
  } catch (const ComputationError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

void require_usable(const Checkpoint& from, const Experiment& experiment,
                    const MechanicalSystem& system, const std::vector<double>& times,
                    bool keeps_history) {
  require_phases(from, experiment);
  if (from.y.size() != system.size())
    throw InputError("the checkpoint belongs to another experiment",
                     fmt::format("{} states", system.size()),
                     fmt::format("it has {}", from.y.size()));
  if (!from.y.allFinite() || !from.controllers.allFinite())
    throw InputError("the checkpoint holds a number that is not finite", "finite numbers");
  for (const int k : from.independent)
    if (k < 0 || k >= system.model().speeds())
      throw InputError("the checkpoint belongs to another experiment",
                       fmt::format("speeds 0 .. {}", system.model().speeds() - 1));
  const double step = from.step.step;
  if (!std::isfinite(step) || step < 0 || (step == 0 && !keeps_history))
    throw InputError(fmt::format("the checkpoint has a step of {:.9g} s", step),
                     "a finite step above 0");
  if (times.empty()) return;  // in pieces: any time will do
  // Events may have added records of their own.
  const auto at =
      std::find_if(times.begin(), times.end(), [&](double t) { return same_time(t, from.t); });
  const bool more = std::any_of(experiment.events.begin(), experiment.events.end(),
                                [](const Event& event) { return !event.actions.empty(); });
  const long due = at - times.begin() + 1;
  if (at == times.end() || (more ? from.records < due : from.records != due))
    throw InputError(
        fmt::format("the checkpoint is at t = {:.9g} s after {} records", from.t, from.records),
        "the time of a record of this experiment");
}

void explain_failure(const ComputationError& error, const Experiment& experiment,
                     const MechanicalSystem& system, double reached) {
  const std::string unable = cannot_follow(experiment, reached, system.q);
  if (!unable.empty()) throw ComputationError(unable, reached);
  if (!system.trouble.empty())
    throw ComputationError(fmt::format("{}: {}", error.what(), system.trouble));
  if (const std::string reason = undetermined(experiment, system); !reason.empty())
    throw ComputationError(fmt::format("{}: {}", error.what(), reason));
  const double margin = system.constraints().closing().margin();
  if (margin < 0.02)
    throw ComputationError(fmt::format(
        "{}: the loops of robot '{}' are at or near a singular posture there (singular values "
        "in the ratio {:.2g})",
        error.what(), system.model().name(), margin));
}

}  // namespace ulna
