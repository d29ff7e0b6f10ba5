#include "ida_stepper.hpp"

#include <ida/ida.h>

#include <cmath>

#include "sundials_session.hpp"

namespace ulna {

struct IdaStepper::Solver : SundialsSession {
  N_Vector x = nullptr, dx = nullptr, differential = nullptr, tolerance = nullptr;
  int rows = 0;
  double quality = 1;  ///< of the rows where they were chosen

  using SundialsSession::SundialsSession;
  ~Solver() { release(); }

  void release() {
    if (memory) IDAFree(&memory);
    memory = nullptr;
    release_linear();
    for (N_Vector* v : {&x, &dx, &differential, &tolerance}) {
      if (*v) N_VDestroy(*v);
      *v = nullptr;
    }
  }

  void require(int flag, const char* what, double t) {
    SundialsSession::require(flag, IDAGetReturnFlagName, "SUNDIALS IDA", what, t);
  }

  void create(double t, const Eigen::VectorXd& y);
};

namespace {

using Solver = IdaStepper::Solver;

int residual(realtype t, N_Vector x, N_Vector dx, N_Vector r, void* self) {
  Solver& s = *static_cast<Solver*>(self);
  const double* y = N_VGetArrayPointer(x);
  const int n = s.system.size();
  return s.guarded([&] {
    s.system.constraint_residual(t, y, N_VGetArrayPointer(dx), y + n, y + n + s.rows,
                                 N_VGetArrayPointer(r));
  });
}

/// dF/dx + c dF/dx' by differences. IDA's own increments are taken from the tolerances and drown in
/// rounding where speeds are zero.
int jacobian(realtype t, realtype c, N_Vector x, N_Vector dx, N_Vector r, SUNMatrix J, void* self,
             N_Vector trial, N_Vector, N_Vector) {
  const double *at = N_VGetArrayPointer(x), *rate = N_VGetArrayPointer(dx),
               *base = N_VGetArrayPointer(r), *moved = N_VGetArrayPointer(trial);
  const long n = N_VGetLength(x);
  double *y = N_VGetArrayPointer(x), *dy = N_VGetArrayPointer(dx);
  for (long j = 0; j < n; ++j) {
    const double keep = at[j], keep_rate = rate[j], step = 1e-7 * (1 + std::abs(keep));
    y[j] = keep + step;
    dy[j] = keep_rate + c * step;
    const int flag = residual(t, x, dx, trial, self);
    y[j] = keep;
    dy[j] = keep_rate;
    if (flag != 0) return flag;
    double* column = SM_COLUMN_D(J, j);
    for (long i = 0; i < n; ++i) column[i] = (moved[i] - base[i]) / step;
  }
  return 0;
}

}  // namespace

void Solver::create(double t, const Eigen::VectorXd& y) {
  release();
  rows = system.choose_rows(t, y.data());
  quality = system.row_quality();
  const int n = system.size(), all = n + 2 * rows;
  x = N_VNew_Serial(all, context);
  dx = N_VNew_Serial(all, context);
  differential = N_VNew_Serial(all, context);
  tolerance = N_VNew_Serial(all, context);
  double *at = N_VGetArrayPointer(x), *rate = N_VGetArrayPointer(dx),
         *kind = N_VGetArrayPointer(differential);
  std::fill_n(at, all, 0.0);
  std::fill_n(rate, all, 0.0);
  std::copy_n(y.data(), n, at);
  for (int i = 0; i < all; ++i) kind[i] = i < n ? 1 : 0;
  if (!system.consistent_rates(t, at, rate, at + n))
    throw ComputationError(fmt::format(
        "at t = {:.9g} s the masses and loops of robot '{}' do not determine its accelerations", t,
        system.model().name()));
  memory = IDACreate(context);
  IDASetErrHandlerFn(memory, ignore_message, nullptr);
  require(IDAInit(memory, residual, t, x, dx), "could not begin", t);
  IDASetUserData(memory, this);
  // Multipliers answer rounding in the constraints by the inverse of the step: what Newton's method
  // is to reach for them is loose. Those of the positions (mu) are zero but for errors.
  double largest = 1;
  for (int i = n; i < n + rows; ++i) largest = std::max(largest, std::abs(at[i]));
  double* absolute = N_VGetArrayPointer(tolerance);
  for (int i = 0; i < all; ++i)
    absolute[i] = i < n ? options.tolerances.absolute : i < n + rows ? 1e-3 * largest : 1e-4;
  IDASVtolerances(memory, options.tolerances.relative, tolerance);
  IDASetId(memory, differential);
  // Multipliers of an index-2 system converge one order lower: they are no measure for the step.
  IDASetSuppressAlg(memory, SUNTRUE);
  IDASetMaxNumSteps(memory, -1);
  if (std::isfinite(options.largest_step)) IDASetMaxStep(memory, options.largest_step);
  make_linear(x);
  require(IDASetLinearSolver(memory, linear, matrix), "could not begin", t);
  require(IDASetJacFn(memory, jacobian), "could not begin", t);
}

IdaStepper::IdaStepper(MechanicalSystem& system, const IntegratorOptions& options)
    : OuterStepper(system.size()), solver_(std::make_unique<Solver>(system, options)) {}

IdaStepper::~IdaStepper() = default;

void IdaStepper::start(double t, const double* from, double step) {
  begin(t, from, step);
  restart();
}

void IdaStepper::restart() {
  count_from_here();
  solver_->create(t_, y_);
  // IDA begins with order 1, and left alone with a step that drowns in rounding.
  const double first = 0.01 * std::sqrt(solver_->options.tolerances.relative);
  IDASetInitStep(solver_->memory, step_ > 0 ? std::min(step_, first) : first);
}

void IdaStepper::step(double stop) {
  Solver& s = *solver_;
  old_t_ = t_;
  double reached = t_;
  IDASetStopTime(s.memory, stop);
  s.require(IDASolve(s.memory, stop, &reached, s.x, s.dx, IDA_ONE_STEP), "failed", t_);
  IDAGetCurrentStep(s.memory, &step_);
  t_ = reached;
  take(N_VGetArrayPointer(s.x));
  count_steps();
  // Now and then: are the rows still a good choice?
  constexpr long often = 20;
  if (statistics.steps % often != 0) return;
  s.system.evaluate(t_, y_.data());
  if (s.system.row_quality() < 0.01 * s.quality) restart();
}

void IdaStepper::count_steps() {
  const Solver& s = *solver_;
  long steps = 0, rejected = 0, evaluations = 0, more = 0;
  IDAGetNumSteps(s.memory, &steps);
  IDAGetNumErrTestFails(s.memory, &rejected);
  IDAGetNumResEvals(s.memory, &evaluations);
  IDAGetNumLinResEvals(s.memory, &more);
  count(steps, rejected, evaluations + more);
}

void IdaStepper::end_last_step_at(double t) {
  Solver& s = *solver_;
  s.require(IDAGetDky(s.memory, t, 0, s.x), "cannot interpolate", t);
  t_ = t;
  take(N_VGetArrayPointer(s.x));
}

}  // namespace ulna
