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

/// A phase with its system and its stepper, which `make` makes of the system and the options.
template <class Stepper>
class PhaseWith final : public Phase {
 public:
  template <class Make>
  PhaseWith(const CheckedExperiment& checked, const RunOptions& options, PhaseLink& link,
            IntegratorMethod method, const Make& make)
      : checked_(checked),
        options_(options),
        method_(method),
        system_(checked_, link.begins ? link.at.t : 0),
        stepper_(make(system_, checked_->integrator)),
        runner_(*checked_, options_, system_, stepper_, link) {}

  RunSummary run() override { return named(runner_.run()); }
  void begin_in_pieces() override { runner_.begin_in_pieces(); }
  void advance_to(double t) override { runner_.advance_to(t); }
  void renew() override { runner_.renew(); }
  bool done() const override { return runner_.done(); }
  RunSummary finish() override { return named(runner_.finish()); }
  const Checkpoint& checkpoint() override { return runner_.checkpoint(); }
  MechanicalSystem& system() override { return system_; }
  double t() const override { return stepper_.t(); }
  const double* y() override { return stepper_.y(); }

 private:
  RunSummary named(RunSummary summary) const {
    summary.method = method_;
    return summary;
  }
  const CheckedExperiment checked_;
  const RunOptions options_;
  IntegratorMethod method_;
  MechanicalSystem system_;
  Stepper stepper_;
  Runner<Stepper> runner_;
};

template <class Stepper, class Make>
std::unique_ptr<Phase> phase_with(const CheckedExperiment& checked, const RunOptions& options,
                                  PhaseLink& link, IntegratorMethod method, const Make& make) {
  return std::make_unique<PhaseWith<Stepper>>(checked, options, link, method, make);
}

template <class Tableau>
std::unique_ptr<Phase> adaptive_phase(const CheckedExperiment& checked, const RunOptions& options,
                                      PhaseLink& link, IntegratorMethod method) {
  if (checked->integrator.method == IntegratorMethod::automatic)
    return phase_with<AutomaticStepper<Tableau>>(
        checked, options, link, method, [=](MechanicalSystem& system, const IntegratorOptions& o) {
          return AutomaticStepper<Tableau>(system, o);
        });
  using Stepper = RungeKutta<Tableau, MechanicalSystem>;
  return phase_with<Stepper>(checked, options, link, method,
                             [=](MechanicalSystem& system, const IntegratorOptions& o) {
                               return Stepper(system, system.size(), o.tolerances, o.largest_step);
                             });
}

std::unique_ptr<Phase> sundials_phase(const CheckedExperiment& checked, const RunOptions& options,
                                      PhaseLink& link, IntegratorMethod method) {
#if defined(ULNA_WITH_SUNDIALS)
  return phase_with<SundialsStepper>(checked, options, link, method,
                                     [=](MechanicalSystem& system, const IntegratorOptions& o) {
                                       return SundialsStepper(system, method, o);
                                     });
#else
  (void)checked, (void)options, (void)link;
  throw InputError(fmt::format("this build has no {}", name_of(method)),
                   "a library built with SUNDIALS");
#endif
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
  switch (method) {
    case IntegratorMethod::dop853:
      return adaptive_phase<Dop853>(checked, options, link, method);
    case IntegratorMethod::rk4:
    case IntegratorMethod::semi_implicit:
      return phase_with<FixedStepper>(checked, options, link, method,
                                      [=](MechanicalSystem& system, const IntegratorOptions& o) {
                                        return FixedStepper(system, method, o.step);
                                      });
    case IntegratorMethod::radau5: {
      using Stepper = AutomaticStepper<DormandPrince>;
      return phase_with<Stepper>(checked, options, link, method,
                                 [=](MechanicalSystem& system, const IntegratorOptions& o) {
                                   return Stepper(system, o, true);
                                 });
    }
    case IntegratorMethod::symplectic:
      return phase_with<SymplecticStepper>(
          checked, options, link, method,
          [=](MechanicalSystem& system, const IntegratorOptions& o) {
            return SymplecticStepper(system, o.step);
          });
    case IntegratorMethod::sundials_erk:
    case IntegratorMethod::sundials_bdf:
    case IntegratorMethod::ida:
      return sundials_phase(checked, options, link, method);
    default:
      return adaptive_phase<DormandPrince>(checked, options, link, method);
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
