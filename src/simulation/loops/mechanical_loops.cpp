// The part of MechanicalSystem that deals with loops. docs/theory/simulation.md, eq. 38-43.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"
#include "ulna/simulation/internal/mechanical_system.hpp"

namespace ulna {
namespace {

/// Loops are closed to this after every step, metres and radians alike.
constexpr double closed = 1e-13;

std::string names_of(const std::vector<std::string>& names, const std::vector<char>& chosen) {
  std::string text;
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k]) text += (text.empty() ? "'" : ", '") + names[k] + "'";
  return text;
}

}  // namespace

bool MechanicalSystem::solve(ExternalWrenches wrenches) {
  if (!loops_) {
    dynamics_.solve(work, q, v, a, tau, wrenches);
    return true;
  }
  if (closing_ == LoopMethod::embedding) return solve_embedded(wrenches);
  if (whole_) return solve_whole(wrenches);
  // Trial states of a step are a little off the loops. Near a singular posture that little decides
  // on the accelerations: they are asked for at the nearest closed state instead (eq. 41).
  constexpr double near_singular = 0.1;
  moving_ = tau;
  const bool solved = loops_->mixed(work, q, v, a, tau, wrenches);
  if (solved && loops_->margin() > near_singular) return true;
  if (!loops_->close_positions(work, q, closed) || !loops_->close_speeds(work, q, v)) return false;
  tau = moving_;
  if (modes_.any()) {  // the signs of speeds may be others now
    tau = applied_efforts_;
    add_mode_friction();
  }
  return loops_->mixed(work, q, v, a, tau, wrenches);
}

/// Nothing is held: `check` has seen to that.
bool MechanicalSystem::solve_embedded(ExternalWrenches wrenches) {
  try {
    a = loops_->forward(work, q, v, tau, wrenches, LoopMethod::embedding);
  } catch (const ComputationError&) {  // the step is refused and made smaller
    return false;
  }
  return true;
}

/// All drives follow motions, whose accelerations give those of the platform, or none does.
bool MechanicalSystem::solve_whole(ExternalWrenches wrenches) {
  try {
    if (layout_.driven_v.empty()) {
      a = formulation_->forward(q, v, tau, wrenches);
      return true;
    }
    if (!loops_->mixed(work, q, v, a, tau, wrenches)) return false;
    const LoopEfforts& efforts = formulation_->inverse(q, v, a, wrenches);
    for (const int k : layout_.driven_v) tau(k) = efforts.tau(k);
  } catch (const ComputationError&) {  // the step is refused and made smaller
    return false;
  }
  return true;
}

void MechanicalSystem::require_all_drives(const Experiment& experiment) {
  std::vector<char> actuated(static_cast<std::size_t>(model_->speeds()), 0);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model_->speeds());
  for (const int k : formulation_->inverse(start_q_, zero, zero).actuated) actuated[k] = 1;
  const bool any =
      std::find(layout_.driven.begin(), layout_.driven.end(), 1) != layout_.driven.end();
  if (!any || layout_.driven == actuated) return;
  throw InputError(
      Problem{experiment.dynamics_mark,
              "method",
              fmt::format("'{}' finds the efforts of {}, and this experiment prescribes {}",
                          experiment.method, names_of(model_->speed_names(), actuated),
                          names_of(model_->speed_names(), layout_.driven)),
              "motions for all of these drives or for none, or another formulation",
              {}});
}

/// Motions and what the experiment keeps are held; the rest is moved until the loops are closed.
void MechanicalSystem::assemble_start(const Experiment& experiment) {
  if (experiment.method.empty()) {
    own_loops_ = std::make_unique<LoopDynamics>(*model_);
    loops_ = own_loops_.get();
  } else {
    DynamicsOptions options;
    options.method = experiment.method;
    formulation_ = std::make_unique<Dynamics>(*model_, std::move(options));
    loops_ = formulation_->loops();
    whole_ = formulation_named(experiment.method).whole != nullptr;
  }
  Reference& reference = controls_.reference;
  std::vector<Drive> drives = experiment.drives;
  drives.resize(model_->joints().size());
  std::vector<char> held(static_cast<std::size_t>(model_->coordinates()), 0);
  if (!experiment.keep_q.empty()) held = experiment.keep_q;
  for (std::size_t j = 0; j < drives.size(); ++j) {
    const Joint& joint = model_->joints()[j];
    const bool follows = drives[j].kind == DriveKind::motion ||
                         (!drives[j].motion.empty() && experiment.q.size() == 0);
    for (int k = 0; k < joint.coordinates && follows; ++k) held[joint.q + k] = 1;
  }
  AssemblyOptions options;
  options.start = start_q_;
  options.tolerance = 1e-11;
  for (int k = 0; k < model_->coordinates(); ++k)
    if (held[k]) options.held.push_back(k);
  // What is open by rounding is closed after this, as in every step.
  const double nearly = 1e-9 * (1 + model_->length_scale());
  loops_->update_closure(work, start_q_);
  if (loops_->closure().largest_gap(work) > nearly) {
    const AssemblyResult found = assemble(*model_, options);
    if (found.solutions.empty())
      throw ComputationError(
          fmt::format("the start of the experiment cannot be assembled{}: {}",
                      options.held.empty()
                          ? ""
                          : " with " + names_of(model_->coordinate_names(), held) + " as given",
                      found.reason),
          found.nearest_gap);
    start_q_ = found.solutions[0].q;
  }
  // Joints without a motion have their start as reference.
  for (std::size_t j = 0; j < drives.size(); ++j) {
    const Joint& joint = model_->joints()[j];
    if (drives[j].motion.empty())
      reference.q.segment(joint.q, joint.coordinates) =
          start_q_.segment(joint.q, joint.coordinates);
  }
  assemble_start_speeds(experiment);
  if (whole_) require_all_drives(experiment);
}

void MechanicalSystem::assemble_start_speeds(const Experiment& experiment) {
  std::vector<char> held = layout_.driven;
  for (std::size_t k = 0; k < experiment.keep_v.size(); ++k)
    if (experiment.keep_v[k]) held[k] = 1;
  for (int k = 0; k < model_->speeds(); ++k)
    if (layout_.driven[k]) start_v_(k) = controls_.reference.v(k);
  const Eigen::VectorXd wanted = start_v_;
  const auto close = [&](const std::vector<char>& which) {
    loops_->hold(which);
    start_v_ = wanted;
    if (!loops_->close_positions(work, start_q_, closed) ||
        !loops_->close_speeds(work, start_q_, start_v_))
      throw ComputationError(fmt::format(
          "robot '{}' starts where its loops do not determine its speeds", model_->name()));
    return loops_->closure().times(start_v_).norm();
  };
  // Modes keep their rates where the joints alone can close the loops.
  std::vector<char> with_modes = held;
  std::fill(with_modes.end() - model_->modes(), with_modes.end(), 1);
  double open = close(with_modes);
  if (model_->flexible() && open > 1e-9 * (1 + start_v_.norm())) open = close(held);
  if (open > 1e-9 * (1 + start_v_.norm()))
    throw InputError(
        Problem{{experiment.source},
                "start",
                fmt::format("the speeds of {} do not fit together: the loops of robot '{}' would "
                            "open at {:.3g} (m/s, rad/s)",
                            names_of(model_->speed_names(), held), model_->name(), open),
                "speeds of as many joints as the robot has degrees of freedom",
                {}});
  if (!experiment.keep_v.empty() || experiment.v.size() == 0) return;
  const double change = (start_v_ - wanted).norm();
  if (change > 1e-6 * (1 + wanted.norm()))
    throw InputError(Problem{{experiment.source},
                             "start",
                             fmt::format("v does not keep the loops of robot '{}' closed: the "
                                         "nearest speeds that do differ by {:.3g}",
                                         model_->name(), change),
                             "speeds that fit the loops",
                             "give those of some joints as a map: the others follow"});
}

/// Eq. 40, 41. The quaternions are unit already.
bool MechanicalSystem::close_loops() {
  trouble_.clear();
  if (!loops_->close_positions(work, q, closed)) {
    trouble_ = loops_->why_open(work);
  } else if (!loops_->close_speeds(work, q, v)) {
    trouble_ = fmt::format("the loops of robot '{}' do not determine its speeds", model_->name());
  }
  return trouble_.empty();
}

bool MechanicalSystem::project_on_constraints(double time, double* y) {
  expand(time, y);
  if (!q.allFinite() || !v.allFinite()) return true;  // after a trial that failed: it said why
  trouble_.clear();
  const bool whole = !loops_ || close_loops();
  const bool changed = whole && contacts_ && project_on_contacts();
  if (!trouble_.empty()) {
    y[0] = std::numeric_limits<double>::quiet_NaN();  // the step is refused and made smaller
    return true;
  }
  if (!loops_ && !changed) return false;
  layout_.put(q, v, y);
  return true;
}

int MechanicalSystem::choose_rows(double time, const double* y) {
  expand(time, y);
  loops_->update_closure(work, q);
  Eigen::MatrixXd A = loops_->closure().scaled_jacobian();
  for (const int d : layout_.driven_v) A.col(d).setZero();
  chosen_rows_ =
      A.rows() > 0 ? rank_by_qr(A, loop_rank_tolerance).independent_rows : std::vector<int>{};
  return static_cast<int>(chosen_rows_.size());
}

double MechanicalSystem::row_quality() const {
  if (chosen_rows_.empty()) return 1;
  Eigen::MatrixXd A = loops_->closure().scaled_jacobian()(chosen_rows_, Eigen::all);
  for (const int d : layout_.driven_v) A.col(d).setZero();
  const Eigen::VectorXd values = dense::singular_values(A);
  return values(0) > 0 ? values(static_cast<Eigen::Index>(chosen_rows_.size()) - 1) / values(0) : 0;
}

bool MechanicalSystem::consistent_rates(double time, const double* y, double* dy, double* lambda) {
  rates(time, y, dy);
  if (!determined_) return false;
  // The multipliers of the chosen rows that do the same as those of all.
  const LoopClosure& closure = loops_->closure();
  const Eigen::MatrixXd A = closure.jacobian();
  const Eigen::VectorXd share = A.transpose() * loops_->lambda();
  Eigen::MatrixXd chosen(A.cols(), static_cast<Eigen::Index>(chosen_rows_.size()));
  for (std::size_t r = 0; r < chosen_rows_.size(); ++r)
    chosen.col(static_cast<Eigen::Index>(r)) =
        closure.row_scale()(chosen_rows_[r]) * A.row(chosen_rows_[r]).transpose();
  // Driven speeds have their efforts besides.
  for (const int d : layout_.driven_v) chosen.row(d).setZero();
  Eigen::VectorXd right = share;
  for (const int d : layout_.driven_v) right(d) = 0;
  Eigen::Map<Eigen::VectorXd>(lambda, chosen.cols()) = dense::PivotedQr(chosen).solve(right);
  return true;
}

/// Eq. 43: q' = N (v + A' mu), M a + c = tau + A' lambda, 0 = A v, 0 = r.
void MechanicalSystem::constraint_residual(double time, const double* y, const double* dy,
                                           const double* lambda, const double* mu,
                                           double* residual) {
  expand(time, y);
  for (std::size_t i = 0; i < layout_.free_v.size(); ++i)
    a(layout_.free_v[i]) = dy[layout_.first_v + i];
  update_efforts(y, residual + layout_.first_z);
  for (int i = layout_.first_z; i < layout_.first_work; ++i) residual[i] = dy[i] - residual[i];
  update_wrenches();
  const LoopClosure& closure = loops_->closure();
  const Eigen::VectorXd& needed = loops_->required_efforts(work, q, v, a, wrenches_);
  const auto spread = [&](const double* x) {
    all_multipliers_.setZero(closure.rows());
    for (std::size_t r = 0; r < chosen_rows_.size(); ++r)
      all_multipliers_(chosen_rows_[r]) = closure.row_scale()(chosen_rows_[r]) * x[r];
    row_efforts_.setZero(model_->speeds());
    closure.add_transposed(all_multipliers_, row_efforts_);
  };
  spread(lambda);
  for (const int d : layout_.driven_v) tau(d) = needed(d) - row_efforts_(d);
  for (std::size_t i = 0; i < layout_.free_v.size(); ++i) {
    const int k = layout_.free_v[i];
    residual[layout_.first_v + i] = needed(k) - tau(k) - row_efforts_(k);
  }
  residual[layout_.first_work] = dy[layout_.first_work] - tau.dot(v);
  residual[layout_.first_work + 1] =
      dy[layout_.first_work + 1] - external_power(*model_, work, q, v, wrenches_);
  residual[layout_.first_work + 2] = dy[layout_.first_work + 2] - dissipation();
  spread(mu);
  for (const int d : layout_.driven_v) row_efforts_(d) = 0;
  moving_ = v + row_efforts_;
  coordinate_rates(*model_, raw_q_, moving_, rates_);
  for (std::size_t i = 0; i < layout_.free_q.size(); ++i)
    residual[i] = dy[i] - rates_(layout_.free_q[i]);
  closure.times(v, all_multipliers_);
  for (std::size_t r = 0; r < chosen_rows_.size(); ++r) {
    const int row = chosen_rows_[r];
    residual[layout_.size + r] = closure.row_scale()(row) * all_multipliers_(row);
    residual[layout_.size + chosen_rows_.size() + r] =
        closure.row_scale()(row) * closure.residual()(row);
  }
}

}  // namespace ulna
