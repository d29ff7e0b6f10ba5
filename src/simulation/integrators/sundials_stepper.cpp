#include "integrators/sundials_stepper.hpp"

#include "integrators/sundials_solver.hpp"

namespace ulna {
namespace {

std::unique_ptr<SundialsSolver> make_solver(MechanicalSystem& system, IntegratorMethod method,
                                            const IntegratorOptions& options) {
  switch (method) {
    case IntegratorMethod::ida:
      return make_ida(system, options);
    case IntegratorMethod::sundials_bdf:
      return make_sundials_bdf(system, options);
    default:
      return make_sundials_erk(system, options);
  }
}

}  // namespace

SundialsStepper::SundialsStepper(MechanicalSystem& system, IntegratorMethod method,
                                 const IntegratorOptions& options)
    : solver_(make_solver(system, method, options)), y_(system.size()) {}

SundialsStepper::~SundialsStepper() = default;

void SundialsStepper::start(double t, const double* y, double step) {
  t_ = old_t_ = t;
  step_ = step;
  y_ = Eigen::Map<const Eigen::VectorXd>(y, y_.size());
  restart();
}

void SundialsStepper::restart() {
  before_ = statistics;
  fresh_ = true;
  solver_->begin(t_, y_, step_);
}

void SundialsStepper::arrive(double t) {
  t_ = t;
  y_ = Eigen::Map<const Eigen::VectorXd>(solver_->state(), y_.size());
  solver_->settle(t_, y_.data());
}

/// Where a step fails, once more from the same state without the steps before it: what they
/// predict may be of no use.
double SundialsStepper::advance(double stop) {
  try {
    return solver_->advance(t_, stop);
  } catch (const ComputationError&) {
    if (fresh_) throw;
    step_ = 0;
    restart();
    return solver_->advance(t_, stop);
  }
}

void SundialsStepper::step(double stop) {
  old_t_ = t_;
  const double reached = advance(stop);
  step_ = solver_->next_step();
  arrive(reached);
  const SundialsSolver::Counts since = solver_->counts();
  statistics = {before_.steps + since.steps, before_.rejected + since.rejected,
                before_.evaluations + since.evaluations + since.linear_evaluations};
  fresh_ = false;
  if (solver_->is_worn(t_, y_.data(), statistics.steps)) restart();
}

void SundialsStepper::end_last_step_at(double t) {
  solver_->interpolate(t);
  arrive(t);
}

}  // namespace ulna
