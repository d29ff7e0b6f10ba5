#include <arkode/arkode_erkstep.h>

#include <cmath>

#include "integrators/sundials_solver.hpp"

namespace ulna {
namespace {

class SundialsErk : public SundialsSolver {
 public:
  SundialsErk(MechanicalSystem& system, const IntegratorOptions& options)
      : SundialsSolver(system, options, {"SUNDIALS", ERKStepFree, ERKStepGetReturnFlagName}),
        unused_(system.size()) {
    state_ = vector(system.size());
  }

  void begin(double t, const Eigen::VectorXd& y, double step) override {
    std::copy_n(y.data(), y.size(), N_VGetArrayPointer(state_.get()));
    take(ERKStepCreate(rates, t, state_.get(), context()), t);
    ERKStepSetErrHandlerFn(memory(), ignore_message, nullptr);
    ERKStepSetUserData(memory(), this);
    const Tolerances& tolerance = options_.tolerances;
    ERKStepSetOrder(memory(), tolerance.relative < 1e-9 ? 8 : 5);
    ERKStepSStolerances(memory(), tolerance.relative, tolerance.absolute);
    ERKStepSetMaxNumSteps(memory(), -1);
    if (std::isfinite(options_.largest_step)) ERKStepSetMaxStep(memory(), options_.largest_step);
    if (system_.projects()) ERKStepSetPostprocessStepFn(memory(), project);
    if (step > 0) ERKStepSetInitStep(memory(), step);
  }

  double advance(double t, double stop) override {
    double reached = t;
    ERKStepSetStopTime(memory(), stop);
    require(ERKStepEvolve(memory(), stop, state_.get(), &reached, ARK_ONE_STEP), "failed", t);
    return reached;
  }

  void interpolate(double t) override {
    require(ERKStepGetDky(memory(), t, 0, state_.get()), "cannot interpolate", t);
  }

  double next_step() const override {
    double step = 0;
    ERKStepGetCurrentStep(memory(), &step);
    return step;
  }

  Counts counts() const override {
    Counts c;
    ERKStepGetNumSteps(memory(), &c.steps);
    ERKStepGetNumErrTestFails(memory(), &c.rejected);
    ERKStepGetNumRhsEvals(memory(), &c.evaluations);
    return c;
  }

  /// The solver's own state must not be touched between its steps; its users get it projected.
  void settle(double t, double* y) override { system_.project(t, y, unused_.data()); }

 private:
  static int rates(realtype t, N_Vector y, N_Vector dy, void* self) {
    auto& s = *static_cast<SundialsErk*>(self);
    return s.guarded([&] { s.system_.rates(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy)); });
  }
  /// Loops: the state after a step is moved back onto them.
  static int project(realtype t, N_Vector y, void* self) {
    auto& s = *static_cast<SundialsErk*>(self);
    return s.guarded([&] { s.settle(t, N_VGetArrayPointer(y)); });
  }

  Eigen::VectorXd unused_;
};

}  // namespace

std::unique_ptr<SundialsSolver> make_sundials_erk(MechanicalSystem& system,
                                                  const IntegratorOptions& options) {
  return std::make_unique<SundialsErk>(system, options);
}

}  // namespace ulna
