#include "ulna/simulation/simulate.hpp"

#include <fmt/format.h>

#include "integrators/fixed_stepper.hpp"
#include "run/runner.hpp"
#include "ulna/simulation/kernels/runge_kutta.hpp"
#if defined(ULNA_WITH_SUNDIALS)
#include "integrators/sundials_stepper.hpp"
#endif

namespace ulna {
namespace {

template <class Stepper>
RunSummary run_with(const Experiment& experiment, const RunOptions& options,
                    MechanicalSystem& system, Stepper& stepper) {
  return Runner<Stepper>(experiment, options, system, stepper).run();
}

template <class Tableau>
RunSummary run_adaptive(const Experiment& e, const RunOptions& options, MechanicalSystem& system) {
  RungeKutta<Tableau, MechanicalSystem> stepper(system, system.size(), e.integrator.tolerances,
                                                e.integrator.largest_step);
  return run_with(e, options, system, stepper);
}

RunSummary run_sundials(const Experiment& e, const RunOptions& options, MechanicalSystem& system,
                        IntegratorMethod method) {
#if defined(ULNA_WITH_SUNDIALS)
  SundialsStepper stepper(system, method, e.integrator);
  return run_with(e, options, system, stepper);
#else
  (void)options, (void)system;
  throw InputError(fmt::format("this build has no {}", name_of(method)),
                   "a library built with SUNDIALS");
#endif
}

}  // namespace

RunSummary simulate(const Experiment& experiment, const RunOptions& options) {
  return simulate(CheckedExperiment(experiment), options);
}

RunSummary simulate(const CheckedExperiment& checked, const RunOptions& options) {
  const Experiment& experiment = *checked;
  MechanicalSystem system(checked);
  const IntegratorMethod method = method_for(experiment);
  RunSummary summary = [&] {
    switch (method) {
      case IntegratorMethod::dop853:
        return run_adaptive<Dop853>(experiment, options, system);
      case IntegratorMethod::rk4:
      case IntegratorMethod::semi_implicit: {
        FixedStepper stepper(system, method, experiment.integrator.step);
        return run_with(experiment, options, system, stepper);
      }
      case IntegratorMethod::sundials_erk:
      case IntegratorMethod::sundials_bdf:
      case IntegratorMethod::ida:
        return run_sundials(experiment, options, system, method);
      default:
        return run_adaptive<DormandPrince>(experiment, options, system);
    }
  }();
  summary.method = method;
  return summary;
}

}  // namespace ulna
