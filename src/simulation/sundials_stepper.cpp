#include "sundials_stepper.hpp"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>

#include "sundials_session.hpp"

namespace ulna {

struct SundialsStepper::Solver : SundialsSession {
  IntegratorMethod method;
  N_Vector y;
  std::vector<double> unused;

  bool stiff() const { return method == IntegratorMethod::sundials_bdf; }

  Solver(MechanicalSystem& s, IntegratorMethod m, const IntegratorOptions& o)
      : SundialsSession(s, o),
        method(m),
        y(N_VNew_Serial(s.size(), context)),
        unused(static_cast<std::size_t>(s.size())) {}
  ~Solver() {
    release();
    N_VDestroy(y);
  }

  void release() {
    if (memory) stiff() ? CVodeFree(&memory) : ERKStepFree(&memory);
    memory = nullptr;
    release_linear();
  }

  void require(int flag, const char* what, double t) {
    SundialsSession::require(flag, stiff() ? CVodeGetReturnFlagName : ERKStepGetReturnFlagName,
                             "SUNDIALS", what, t);
  }

  void create(double t);
};

namespace {

using Solver = SundialsStepper::Solver;

int rates(realtype t, N_Vector y, N_Vector dy, void* self) {
  Solver& solver = *static_cast<Solver*>(self);
  return solver.guarded(
      [&] { solver.system.rates(t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy)); });
}

/// Loops: the state after a step is moved back onto them.
int project_step(realtype t, N_Vector y, void* self) {
  Solver& solver = *static_cast<Solver*>(self);
  return solver.guarded(
      [&] { solver.system.project(t, N_VGetArrayPointer(y), solver.unused.data()); });
}

int projection(realtype t, N_Vector y, N_Vector correction, realtype, N_Vector, void* self) {
  N_VScale(1.0, y, correction);
  const int flag = project_step(t, correction, self);
  N_VLinearSum(1.0, correction, -1.0, y, correction);
  return flag;
}

}  // namespace

void Solver::create(double t) {
  release();
  const Tolerances& tolerance = options.tolerances;
  const double largest = std::isfinite(options.largest_step) ? options.largest_step : 0;
  if (stiff()) {
    memory = CVodeCreate(CV_BDF, context);
    CVodeSetErrHandlerFn(memory, ignore_message, nullptr);
    require(CVodeInit(memory, rates, t, y), "could not begin", t);
    CVodeSetUserData(memory, this);
    CVodeSStolerances(memory, tolerance.relative, tolerance.absolute);
    CVodeSetMaxNumSteps(memory, -1);
    CVodeSetMaxStep(memory, largest);
    make_linear(y);
    require(CVodeSetLinearSolver(memory, linear, matrix), "could not begin", t);
    if (system.projects()) {
      CVodeSetProjFn(memory, projection);
      CVodeSetProjErrEst(memory, SUNFALSE);
    }
  } else {
    memory = ERKStepCreate(rates, t, y, context);
    if (!memory) throw ComputationError("SUNDIALS could not begin");
    ERKStepSetErrHandlerFn(memory, ignore_message, nullptr);
    ERKStepSetUserData(memory, this);
    ERKStepSetOrder(memory, tolerance.relative < 1e-9 ? 8 : 5);
    ERKStepSStolerances(memory, tolerance.relative, tolerance.absolute);
    ERKStepSetMaxNumSteps(memory, -1);
    ERKStepSetMaxStep(memory, largest);
    if (system.projects()) ERKStepSetPostprocessStepFn(memory, project_step);
  }
}

SundialsStepper::SundialsStepper(MechanicalSystem& system, IntegratorMethod method,
                                 const IntegratorOptions& options)
    : OuterStepper(system.size()),
      solver_(std::make_unique<Solver>(system, method, options)),
      unused_rates_(system.size()) {}

SundialsStepper::~SundialsStepper() = default;

/// The solver's own state must not be touched between its steps; its users get it projected.
void SundialsStepper::take_state() {
  take(N_VGetArrayPointer(solver_->y));
  solver_->system.project(t_, y_.data(), unused_rates_.data());
}

void SundialsStepper::start(double t, const double* from, double step) {
  begin(t, from, step);
  restart();
}

void SundialsStepper::restart() {
  count_from_here();
  std::copy_n(y_.data(), y_.size(), N_VGetArrayPointer(solver_->y));
  solver_->create(t_);
  if (!(step_ > 0)) return;
  solver_->stiff() ? CVodeSetInitStep(solver_->memory, step_)
                   : ERKStepSetInitStep(solver_->memory, step_);
}

void SundialsStepper::step(double stop) {
  Solver& s = *solver_;
  old_t_ = t_;
  double reached = t_;
  if (s.stiff()) {
    CVodeSetStopTime(s.memory, stop);
    s.require(CVode(s.memory, stop, s.y, &reached, CV_ONE_STEP), "failed", t_);
    CVodeGetCurrentStep(s.memory, &step_);
  } else {
    ERKStepSetStopTime(s.memory, stop);
    s.require(ERKStepEvolve(s.memory, stop, s.y, &reached, ARK_ONE_STEP), "failed", t_);
    ERKStepGetCurrentStep(s.memory, &step_);
  }
  t_ = reached;
  take_state();
  count_steps();
}

void SundialsStepper::count_steps() {
  const Solver& s = *solver_;
  long steps = 0, rejected = 0, evaluations = 0, more = 0;
  if (s.stiff()) {
    CVodeGetNumSteps(s.memory, &steps);
    CVodeGetNumErrTestFails(s.memory, &rejected);
    CVodeGetNumRhsEvals(s.memory, &evaluations);
    CVodeGetNumLinRhsEvals(s.memory, &more);
  } else {
    ERKStepGetNumSteps(s.memory, &steps);
    ERKStepGetNumErrTestFails(s.memory, &rejected);
    ERKStepGetNumRhsEvals(s.memory, &evaluations);
  }
  count(steps, rejected, evaluations + more);
}

void SundialsStepper::end_last_step_at(double t) {
  Solver& s = *solver_;
  const int flag =
      s.stiff() ? CVodeGetDky(s.memory, t, 0, s.y) : ERKStepGetDky(s.memory, t, 0, s.y);
  s.require(flag, "cannot interpolate", t);
  t_ = t;
  take_state();
}

}  // namespace ulna
