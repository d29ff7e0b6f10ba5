#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>

#include <cmath>

#include "integrators/sundials_solver.hpp"

namespace ulna {
namespace {

class SundialsBdf : public SundialsSolver {
 public:
  SundialsBdf(MechanicalSystem& system, const IntegratorOptions& options)
      : SundialsSolver(system, options, {"SUNDIALS", CVodeFree, CVodeGetReturnFlagName}),
        unused_(system.size()) {
    state_ = vector(system.size());
  }

  void begin(double t, const Eigen::VectorXd& y, double step) override {
    std::copy_n(y.data(), y.size(), N_VGetArrayPointer(state_.get()));
    take(CVodeCreate(CV_BDF, context()), t);
    CVodeSetErrHandlerFn(memory(), ignore_message, nullptr);
    require(CVodeInit(memory(), rates, t, state_.get()), "could not begin", t);
    CVodeSetUserData(memory(), this);
    CVodeSStolerances(memory(), options_.tolerances.relative, options_.tolerances.absolute);
    CVodeSetMaxNumSteps(memory(), -1);
    if (std::isfinite(options_.largest_step)) CVodeSetMaxStep(memory(), options_.largest_step);
    make_linear();
    require(CVodeSetLinearSolver(memory(), linear(), matrix()), "could not begin", t);
    if (system_.projects()) {
      CVodeSetProjFn(memory(), project);
      CVodeSetProjErrEst(memory(), SUNFALSE);
    }
    if (step > 0) CVodeSetInitStep(memory(), step);
  }

  double advance(double t, double stop) override {
    double reached = t;
    CVodeSetStopTime(memory(), stop);
    require(CVode(memory(), stop, state_.get(), &reached, CV_ONE_STEP), "failed", t);
    return reached;
  }

  void interpolate(double t) override {
    require(CVodeGetDky(memory(), t, 0, state_.get()), "cannot interpolate", t);
  }

  double next_step() const override {
    double step = 0;
    CVodeGetCurrentStep(memory(), &step);
    return step;
  }

  Counts counts() const override {
    Counts c;
    CVodeGetNumSteps(memory(), &c.steps);
    CVodeGetNumErrTestFails(memory(), &c.rejected);
    CVodeGetNumRhsEvals(memory(), &c.evaluations);
    CVodeGetNumLinRhsEvals(memory(), &c.linear_evaluations);
    return c;
  }

  /// The solver's own state must not be touched between its steps; its users get it projected.
  void settle(double t, double* y) override { system_.project(t, y, unused_.data()); }

 private:
  static int rates(realtype t, N_Vector y, N_Vector dy, void* self) {
    auto& s = *static_cast<SundialsBdf*>(self);
    return s.guarded([&] { s.system_.rates(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy)); });
  }
  /// Loops: CVODE wants what is to be added to the state to bring it back onto them.
  static int project(realtype t, N_Vector y, N_Vector correction, realtype, N_Vector, void* self) {
    auto& s = *static_cast<SundialsBdf*>(self);
    N_VScale(1.0, y, correction);
    const int flag = s.guarded([&] { s.settle(t, N_VGetArrayPointer(correction)); });
    N_VLinearSum(1.0, correction, -1.0, y, correction);
    return flag;
  }

  Eigen::VectorXd unused_;
};

}  // namespace

std::unique_ptr<SundialsSolver> make_sundials_bdf(MechanicalSystem& system,
                                                  const IntegratorOptions& options) {
  return std::make_unique<SundialsBdf>(system, options);
}

}  // namespace ulna
