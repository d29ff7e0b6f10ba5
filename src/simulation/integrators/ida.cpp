// IDA (variable-order backward differentiation for implicit systems) on the stabilised index-2 form
// of a robot with loops, after Gear, Gupta and Leimkuhler 1985 (docs/theory/simulation.md, eq. 43):
// positions and speeds are held on the loops by the equations themselves, not by projection, which
// makes it an independent check of that. Rows that depend on others are left out; which, is decided
// at every start and again when the choice comes near to failing.

#include <fmt/format.h>
#include <ida/ida.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>

#include "integrators/sundials_solver.hpp"

namespace ulna {
namespace {

class Ida : public SundialsSolver {
 public:
  Ida(MechanicalSystem& system, const IntegratorOptions& options)
      : SundialsSolver(system, options, {"SUNDIALS IDA", IDAFree, IDAGetReturnFlagName}) {}

  /// IDA needs a state on the loops: events leave one that is off them by the precision to which
  /// their instants are known.
  void begin(double t, const Eigen::VectorXd& y, double step) override {
    Eigen::VectorXd closed = y, unused = Eigen::VectorXd::Zero(y.size());
    system_.project(t, closed.data(), unused.data());
    choose_unknowns(t, closed.allFinite() ? closed : y);
    take(IDACreate(context()), t);
    IDASetErrHandlerFn(memory(), ignore_message, nullptr);
    require(IDAInit(memory(), residual, t, state_.get(), rates_.get()), "could not begin", t);
    IDASetUserData(memory(), this);
    set_tolerances();
    IDASetMaxNumSteps(memory(), -1);
    if (std::isfinite(options_.largest_step)) IDASetMaxStep(memory(), options_.largest_step);
    make_linear();
    require(IDASetLinearSolver(memory(), linear(), matrix()), "could not begin", t);
    require(IDASetJacFn(memory(), jacobian), "could not begin", t);
    // IDA begins with order 1, and left alone with a step that drowns in rounding.
    const double first = 0.01 * std::sqrt(options_.tolerances.relative);
    IDASetInitStep(memory(), step > 0 ? std::min(step, first) : first);
  }

  double advance(double t, double stop) override {
    double reached = t;
    IDASetStopTime(memory(), stop);
    require(IDASolve(memory(), stop, &reached, state_.get(), rates_.get(), IDA_ONE_STEP), "failed",
            t);
    return reached;
  }

  void interpolate(double t) override {
    require(IDAGetDky(memory(), t, 0, state_.get()), "cannot interpolate", t);
  }

  double next_step() const override {
    double step = 0;
    IDAGetCurrentStep(memory(), &step);
    return step;
  }

  Counts counts() const override {
    Counts c;
    IDAGetNumSteps(memory(), &c.steps);
    IDAGetNumErrTestFails(memory(), &c.rejected);
    IDAGetNumResEvals(memory(), &c.evaluations);
    IDAGetNumLinResEvals(memory(), &c.linear_evaluations);
    return c;
  }

  /// What sticks or rests in a loop is at rest to rounding, not to the tolerance: else the speeds
  /// of others would seem to pass zero again and again.
  void settle(double t, double* y) override {
    if (!system_.has_contact_states()) return;
    Eigen::VectorXd unused = Eigen::VectorXd::Zero(system_.size());
    system_.contacts().rest(y);
    system_.project(t, y, unused.data());
  }

  /// Looks now and then whether the rows are still a good choice.
  bool is_worn(double t, const double* y, long steps) override {
    constexpr long often = 20;
    if (steps % often != 0) return false;
    system_.evaluate(t, y);
    return system_.constraints().row_quality() < 0.01 * quality_;
  }

 private:
  /// State, multipliers of the speeds and of the positions: rows that are independent, and values
  /// that fit together.
  void choose_unknowns(double t, const Eigen::VectorXd& y) {
    rows_ = system_.choose_rows(t, y.data());
    quality_ = system_.constraints().row_quality();
    const int n = system_.size(), all = n + 2 * rows_;
    state_ = vector(all);
    rates_ = vector(all);
    double *at = N_VGetArrayPointer(state_.get()), *rate = N_VGetArrayPointer(rates_.get());
    std::fill_n(at, all, 0.0);
    std::fill_n(rate, all, 0.0);
    std::copy_n(y.data(), n, at);
    if (!system_.consistent_rates(t, at, rate, at + n))
      throw ComputationError(fmt::format(
          "at t = {:.9g} s the masses and loops of robot '{}' do not determine its accelerations",
          t, system_.model().name()));
  }

  void set_tolerances() {
    const int n = system_.size(), all = n + 2 * rows_;
    differential_ = vector(all);
    tolerance_ = vector(all);
    // Multipliers answer rounding in the constraints by the inverse of the step: what Newton's
    // method is to reach for them is loose. Those of the positions (mu) are zero but for errors.
    double largest = 1;
    for (int i = n; i < n + rows_; ++i) largest = std::max(largest, std::abs(state()[i]));
    double *absolute = N_VGetArrayPointer(tolerance_.get()),
           *kind = N_VGetArrayPointer(differential_.get());
    for (int i = 0; i < all; ++i) {
      kind[i] = i < n ? 1 : 0;
      absolute[i] = i < n ? options_.tolerances.absolute : i < n + rows_ ? 1e-3 * largest : 1e-4;
    }
    IDASVtolerances(memory(), options_.tolerances.relative, tolerance_.get());
    IDASetId(memory(), differential_.get());
    // Multipliers of an index-2 system converge one order lower: they are no measure for the step.
    IDASetSuppressAlg(memory(), SUNTRUE);
  }

  static int residual(realtype t, N_Vector x, N_Vector dx, N_Vector r, void* self) {
    auto& s = *static_cast<Ida*>(self);
    const double* y = N_VGetArrayPointer(x);
    const int n = s.system_.size();
    return s.guarded([&] {
      s.system_.constraint_residual(t, y, N_VGetArrayPointer(dx), y + n, y + n + s.rows_,
                                    N_VGetArrayPointer(r));
    });
  }

  /// dF/dx + c dF/dx' by differences. IDA's own increments are taken from the tolerances and drown
  /// in rounding where speeds are zero.
  static int jacobian(realtype t, realtype c, N_Vector x, N_Vector dx, N_Vector r, SUNMatrix J,
                      void* self, N_Vector trial, N_Vector, N_Vector) {
    double *y = N_VGetArrayPointer(x), *dy = N_VGetArrayPointer(dx);
    const double *base = N_VGetArrayPointer(r), *moved = N_VGetArrayPointer(trial);
    const long n = N_VGetLength(x);
    for (long j = 0; j < n; ++j) {
      const double keep = y[j], keep_rate = dy[j], step = 1e-7 * (1 + std::abs(keep));
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

  Vector rates_, differential_, tolerance_;
  int rows_ = 0;
  double quality_ = 1;  ///< of the rows where they were chosen
};

}  // namespace

std::unique_ptr<SundialsSolver> make_ida(MechanicalSystem& system,
                                         const IntegratorOptions& options) {
  return std::make_unique<Ida>(system, options);
}

}  // namespace ulna
