#include "ulna/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "integrators/automatic_stepper.hpp"
#include "integrators/fixed_stepper.hpp"
#include "integrators/symplectic_stepper.hpp"
#include "run/element_forces.hpp"
#include "run/runner.hpp"
#include "ulna/simulation/kernels/runge_kutta.hpp"
#if defined(ULNA_WITH_SUNDIALS)
#include "integrators/sundials_stepper.hpp"
#endif

namespace ulna {
namespace {

template <class Stepper>
RunSummary run_with(const Experiment& experiment, const RunOptions& options,
                    MechanicalSystem& system, Stepper& stepper, PhaseLink& link) {
  return Runner<Stepper>(experiment, options, system, stepper, link).run();
}

template <class Tableau>
RunSummary run_adaptive(const Experiment& e, const RunOptions& options, MechanicalSystem& system,
                        PhaseLink& link) {
  if (e.integrator.method == IntegratorMethod::automatic) {
    AutomaticStepper<Tableau> stepper(system, e.integrator);
    return run_with(e, options, system, stepper, link);
  }
  RungeKutta<Tableau, MechanicalSystem> stepper(system, system.size(), e.integrator.tolerances,
                                                e.integrator.largest_step);
  return run_with(e, options, system, stepper, link);
}

RunSummary run_sundials(const Experiment& e, const RunOptions& options, MechanicalSystem& system,
                        IntegratorMethod method, PhaseLink& link) {
#if defined(ULNA_WITH_SUNDIALS)
  SundialsStepper stepper(system, method, e.integrator);
  return run_with(e, options, system, stepper, link);
#else
  (void)options, (void)system, (void)link;
  throw InputError(fmt::format("this build has no {}", name_of(method)),
                   "a library built with SUNDIALS");
#endif
}

/// Until the end of the run, or until an event changes what it is about.
RunSummary run_phase(const CheckedExperiment& given, const RunOptions& options, PhaseLink& link) {
  const CheckedExperiment checked = CheckedExperiment::after_event(with_element_inputs(*given));
  const Experiment& experiment = *checked;
  MechanicalSystem system(checked, link.begins ? link.at.t : 0);
  const IntegratorMethod method = method_for(experiment);
  RunSummary summary = [&] {
    switch (method) {
      case IntegratorMethod::dop853:
        return run_adaptive<Dop853>(experiment, options, system, link);
      case IntegratorMethod::rk4:
      case IntegratorMethod::semi_implicit: {
        FixedStepper stepper(system, method, experiment.integrator.step);
        return run_with(experiment, options, system, stepper, link);
      }
      case IntegratorMethod::radau5: {
        Radau5<MechanicalSystem, RatesJacobian> stepper(
            system, RatesJacobian(system), system.size(), experiment.integrator.tolerances,
            experiment.integrator.largest_step);
        return run_with(experiment, options, system, stepper, link);
      }
      case IntegratorMethod::symplectic: {
        SymplecticStepper stepper(system, experiment.integrator.step);
        return run_with(experiment, options, system, stepper, link);
      }
      case IntegratorMethod::sundials_erk:
      case IntegratorMethod::sundials_bdf:
      case IntegratorMethod::ida:
        return run_sundials(experiment, options, system, method, link);
      default:
        return run_adaptive<DormandPrince>(experiment, options, system, link);
    }
  }();
  summary.method = method;
  return summary;
}

/// A phase after an event has other states than the experiment begins with.
void require_first_phase(const Experiment& experiment, const Checkpoint* from) {
  if (!from) return;
  for (const EventNote& note : from->events)
    for (const Event& event : experiment.events)
      for (const EventAction& action : event.actions)
        if (event.name == note.name &&
            (changes_system(action) || action.kind == EventAction::Kind::call))
          throw InputError(
              fmt::format("event '{}' changed the run at t = {:.9g} s", note.name, note.t),
              "a run without such an event until its checkpoint", "begin it anew");
}

/// Events that a run was to wait for until its end, and that did not come.
void note_idle_events(const Experiment& experiment, RunSummary& summary) {
  if (!summary.complete || summary.t < experiment.end) return;
  for (const Event& event : experiment.events) {
    const auto same = [&](const EventNote& note) { return note.name == event.name; };
    if (std::ranges::any_of(summary.events, same)) continue;
    const bool too_late = event.channel.empty() && event.time > experiment.end;
    summary.notes.push_back(
        too_late ? fmt::format("event '{}' is set to t = {:.9g} s, after the end of the run",
                               event.name, event.time)
                 : fmt::format("event '{}' did not happen", event.name));
  }
}

}  // namespace

RunSummary simulate(const Experiment& experiment, const RunOptions& options) {
  return simulate(CheckedExperiment(experiment), options);
}

RunSummary simulate(const CheckedExperiment& checked, const RunOptions& options) {
  require_first_phase(*checked, options.resume);
  PhaseLink link;
  RunSummary summary = run_phase(checked, options, link);
  RunOptions later = options;
  later.resume = nullptr;
  for (Experiment experiment = *checked; !link.actions.empty();) {
    experiment = after_actions(experiment, link);
    summary = run_phase(CheckedExperiment::after_event(experiment), later, link);
  }
  note_idle_events(*checked, summary);
  return summary;
}

}  // namespace ulna
