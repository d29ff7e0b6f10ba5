#include "ulna/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integrators/automatic_stepper.hpp"
#include "integrators/fixed_stepper.hpp"
#include "integrators/symplectic_stepper.hpp"
#include "run/element_forces.hpp"
#include "run/phase.hpp"
#include "run/runner.hpp"
#include "ulna/simulation/internal/plan.hpp"
#include "ulna/simulation/kernels/runge_kutta.hpp"
#if defined(ULNA_WITH_SUNDIALS)
#include "integrators/sundials_stepper.hpp"
#endif

namespace ulna {
namespace {

/// Makes the integrator of a phase.
using MakeStepper = std::unique_ptr<Stepper> (*)(MechanicalSystem&, const IntegratorOptions&);

/// A phase with its system and its stepper.
class PhaseOf final : public Phase {
 public:
  PhaseOf(const CheckedExperiment& checked, const RunOptions& options, PhaseLink& link,
          IntegratorMethod method, MakeStepper make)
      : checked_(checked),
        options_(options),
        method_(method),
        system_(checked_, link.begins ? std::optional(link.at.t) : std::nullopt),
        stepper_(make(system_, checked_->integrator)),
        runner_(*checked_, options_, system_, *stepper_, link) {}

  RunSummary run() override { return named(runner_.run()); }
  void begin_in_pieces() override { runner_.begin_in_pieces(); }
  void advance_to(double t) override { runner_.advance_to(t); }
  void renew() override { runner_.renew(); }
  bool done() const override { return runner_.done(); }
  RunSummary finish() override { return named(runner_.finish()); }
  const Checkpoint& checkpoint() override { return runner_.checkpoint(); }
  MechanicalSystem& system() override { return system_; }
  double t() const override { return stepper_->t(); }
  const double* y() override { return stepper_->y(); }

 private:
  RunSummary named(RunSummary summary) const {
    summary.method = method_;
    return summary;
  }
  const CheckedExperiment checked_;
  const RunOptions options_;
  IntegratorMethod method_;
  MechanicalSystem system_;
  std::unique_ptr<Stepper> stepper_;
  Runner runner_;
};

template <class Tableau>
std::unique_ptr<Stepper> adaptive(MechanicalSystem& system, const IntegratorOptions& o) {
  if (o.method == IntegratorMethod::automatic)
    return std::make_unique<StepperOf<AutomaticStepper<Tableau>>>(system, o);
  return std::make_unique<StepperOf<RungeKutta<Tableau, MechanicalSystem>>>(
      system, system.size(), o.tolerances, o.largest_step);
}

template <IntegratorMethod method>
std::unique_ptr<Stepper> fixed(MechanicalSystem& system, const IntegratorOptions& o) {
  return std::make_unique<StepperOf<FixedStepper>>(system, method, o.step);
}

template <IntegratorMethod method>
std::unique_ptr<Stepper> sundials(MechanicalSystem& system, const IntegratorOptions& o) {
#if defined(ULNA_WITH_SUNDIALS)
  return std::make_unique<StepperOf<SundialsStepper>>(system, method, o);
#else
  (void)system, (void)o;
  throw InputError(fmt::format("this build has no {}", name_of(method)),
                   "a library built with SUNDIALS");
#endif
}

std::unique_ptr<Stepper> stiff(MechanicalSystem& system, const IntegratorOptions& o) {
  return std::make_unique<StepperOf<AutomaticStepper<DormandPrince>>>(system, o, true);
}

std::unique_ptr<Stepper> variational(MechanicalSystem& system, const IntegratorOptions& o) {
  return std::make_unique<StepperOf<SymplecticStepper>>(system, o.step);
}

MakeStepper stepper_for(IntegratorMethod method) {
  using enum IntegratorMethod;
  switch (method) {
    case dop853:
      return adaptive<Dop853>;
    case rk4:
      return fixed<rk4>;
    case semi_implicit:
      return fixed<semi_implicit>;
    case radau5:
      return stiff;
    case symplectic:
      return variational;
    case sundials_erk:
      return sundials<sundials_erk>;
    case sundials_bdf:
      return sundials<sundials_bdf>;
    case ida:
      return sundials<ida>;
    default:
      return adaptive<DormandPrince>;
  }
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

/// Stops are those of coordinates, and a closing joint has none.
void note_idle_stops(const Experiment& experiment, RunSummary& summary) {
  if (!experiment.stops.enabled) return;
  for (const Loop& loop : experiment.model->loops())
    if (std::ranges::any_of(loop.degrees, [](const DegreeData& degree) {
          return std::isfinite(degree.lower) || std::isfinite(degree.upper);
        }))
      summary.notes.push_back(
          fmt::format("the limits of '{}', which closes a loop, do not act as stops; with "
                      "'cut: true' at another joint of the loop they do",
                      loop.joint));
}

}  // namespace

std::unique_ptr<Phase> make_phase(const CheckedExperiment& given, const RunOptions& options,
                                  PhaseLink& link) {
  const CheckedExperiment checked = CheckedExperiment::after_event(with_element_inputs(*given));
  const IntegratorMethod method = method_for(*checked);
  const auto make = [&] {
    return std::make_unique<PhaseOf>(checked, options, link, method, stepper_for(method));
  };
  if (!link.begins) return make();
  const std::string after = fmt::format("after event '{}' at t = {:.9g} s", link.event, link.at.t);
  try {
    return make();
  } catch (const InputError& error) {
    throw ComputationError(fmt::format("{}: {}", after, error.what()));
  } catch (const ComputationError& error) {
    throw ComputationError(fmt::format("{}: {}", after, error.what()));
  }
}

RunSummary simulate(const Experiment& experiment, const RunOptions& options) {
  return simulate(CheckedExperiment(experiment), options);
}

RunSummary simulate(const CheckedExperiment& checked, const RunOptions& options) {
  PhaseLink link;
  CheckedExperiment phase = checked;
  if (options.resume && !options.resume->phases.empty())
    phase = CheckedExperiment::after_event(experiment_at(*checked, *options.resume, link));
  RunSummary summary = make_phase(phase, options, link)->run();
  RunOptions later = options;
  later.resume = nullptr;
  while (!link.actions.empty()) {
    phase = CheckedExperiment::after_event(after_actions(*phase, link));
    summary = make_phase(phase, later, link)->run();
  }
  note_idle_events(*checked, summary);
  note_idle_stops(*checked, summary);
  if (summary.complete && summary.t >= checked->end)
    if (std::string note = cut_motions(*checked); !note.empty())
      summary.notes.push_back(std::move(note));
  return summary;
}

}  // namespace ulna
