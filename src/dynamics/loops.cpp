#include "ulna/dynamics/loops.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "common.hpp"
#include "loop_system.hpp"
#include "ulna/model/check_size.hpp"

namespace ulna {

struct LoopDynamics::System {
  explicit System(const LoopClosure& closure) : equations(closure) {}
  LoopSystem equations;
};

const char* name_of(LoopMethod method) {
  return method == LoopMethod::multipliers ? "multipliers" : "embedding";
}

LoopDynamics::LoopDynamics(const Model& model)
    : model_(model),
      closure_(model),
      system_(std::make_unique<System>(closure_)),
      bias_(model.speeds()),
      acceleration_(model.speeds()),
      lambda_(Eigen::VectorXd::Zero(closure_.rows())),
      closing_efforts_(model.loops().size()) {}
LoopDynamics::~LoopDynamics() = default;

const Eigen::VectorXd& LoopDynamics::lambda() const { return lambda_; }

void LoopDynamics::bias(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                        ExternalWrenches wrenches, Eigen::VectorXd& c) {
  const NodeWrenches external = gather_wrenches(model_, work, q, wrenches);
  c.resize(model_.speeds());
  run_newton_euler(model_, work, q.data(), v.data(), a.data(), external);
  c = work.tau;
  if (!model_.degree_terms().empty()) add_passive_efforts(model_, q.data(), v.data(), 1, c.data());
  add_closing_passive(work, q, v, c);
}

/// Dampers, friction and springs of a closing joint act on the tree through the joint's own rates.
void LoopDynamics::add_closing_passive(Workspace& work, const VectorRef& q, const VectorRef& v,
                                       Eigen::VectorXd& c) {
  for (int k = 0; k < static_cast<int>(model_.loops().size()); ++k) {
    const Loop& loop = model_.loops()[k];
    bool acts = false;
    for (const DegreeData& d : loop.degrees)
      acts = acts || d.damping != 0 || d.friction != 0 || d.stiffness != 0;
    if (!acts) continue;
    const ClosingJointState state = closure_.closing_state(work, k, q, v, work.zero());
    Eigen::VectorXd effort = Eigen::VectorXd::Zero(state.v.size());
    for (std::size_t d = 0; d < loop.degrees.size(); ++d) {
      const DegreeData& degree = loop.degrees[d];
      const auto i = static_cast<Eigen::Index>(d);
      effort(i) = degree.damping * state.v(i) + degree.friction * sign(state.v(i));
      if (degree.stiffness != 0) effort(i) += degree.stiffness * (state.q(i) - degree.rest);
    }
    closing_efforts_[k] = effort;
    const Eigen::VectorXd share = closure_.closing_jacobian(work, k).transpose() * effort;
    const std::vector<int>& columns = closure_.blocks()[k].columns;
    for (std::size_t j = 0; j < columns.size(); ++j)
      c(columns[j]) += share(static_cast<Eigen::Index>(j));
  }
}

const Eigen::VectorXd& LoopDynamics::forward(Workspace& work, const VectorRef& q,
                                             const VectorRef& v, const VectorRef& tau,
                                             ExternalWrenches wrenches, LoopMethod method) {
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  check_size(model_, v, model_.speeds(), "v");
  check_size(model_, tau, model_.speeds(), "tau");
  closure_.update_rates(work, q, v);
  bias(work, q, v, work.zero(), wrenches, bias_);
  compute_mass_matrix(model_, work, q.data());
  const Eigen::MatrixXd& M = work.mass_matrix;
  if (method == LoopMethod::multipliers) {
    system_->equations.factor(M);
    if (!system_->equations.solve(tau - bias_, closure_.bias(), acceleration_, lambda_))
      throw ComputationError(
          fmt::format("the masses and loops of robot '{}' do not determine its accelerations here",
                      model_.name()));
    return acceleration_;
  }
  // eq. 16
  const CoordinateMap map = independent_map(closure_, split_speeds(closure_));
  const Eigen::MatrixXd reduced = map.G.transpose() * M * map.G;
  const Eigen::LDLT<Eigen::MatrixXd> solver(reduced);
  const double least = reduced.rows() == 0 ? 1 : solver.vectorD().minCoeff();
  if (!(least > singular_tolerance * reduced.diagonal().cwiseAbs().maxCoeff()) &&
      reduced.rows() > 0)
    throw ComputationError(
        fmt::format("the mass matrix of robot '{}' on its independent speeds is singular "
                    "(pivot {:.3g})",
                    model_.name(), least),
        least);
  const Eigen::VectorXd right = map.G.transpose() * (tau - bias_ - M * map.gamma);
  acceleration_ = map.accelerations(solver.solve(right));
  return acceleration_;
}

Eigen::MatrixXd LoopDynamics::reduced_mass_matrix(Workspace& work, const VectorRef& q,
                                                  const SpeedSplit& split) {
  check_fits(model_, work);
  closure_.update(work, q);
  const CoordinateMap map = independent_map(closure_, split);
  compute_mass_matrix(model_, work, q.data());
  return map.G.transpose() * work.mass_matrix * map.G;
}

Eigen::VectorXd LoopDynamics::project_positions(Workspace& work, const VectorRef& q,
                                                double tolerance) {
  // Where loops depend on each other, they do so only when closed: open by e, their rows have
  // singular values of the order of e, and undamped steps would be wild. Damping in proportion to
  // e keeps the convergence better than linear (Yamashita, Fukushima 2001).
  constexpr int most = 50;
  check_fits(model_, work);
  Eigen::VectorXd at = model_.normalized(q);
  closure_.update(work, at);
  double gap = closure_.largest_gap(work), damping = 0;
  if (gap > tolerance) compute_mass_matrix(model_, work, at.data());  // its metric serves all steps
  for (int iteration = 0; gap > tolerance && iteration < most; ++iteration) {
    damping = std::max(damping, std::clamp(gap / model_.length_scale(), 1e-10, 1e-2));
    system_->equations.factor(work.mass_matrix, damping);
    const Eigen::VectorXd step = system_->equations.damped_step(-closure_.residual());
    if (!step.allFinite()) break;
    const Eigen::VectorXd next = model_.integrate(at, step);
    closure_.update(work, next);
    const double next_gap = closure_.largest_gap(work);
    if (next_gap < gap) {
      at = next;
      gap = next_gap;
      damping = 0;
      continue;
    }
    if (damping > 1e3) break;  // beyond reach
    damping *= 100;
    closure_.update(work, at);
  }
  closure_.update(work, at);
  if (gap <= tolerance || gap <= 1e-13 * model_.length_scale()) return at;
  int worst = 0;
  for (int k = 0; k < static_cast<int>(model_.loops().size()); ++k) {
    const auto size = [&](int j) {
      return std::max(closure_.gap(work, j).length, closure_.gap(work, j).angle);
    };
    if (size(k) > size(worst)) worst = k;
  }
  throw ComputationError(
      fmt::format("robot '{}': {} cannot be closed from here: it stays open by {}", model_.name(),
                  loop_name(model_.loops()[worst]),
                  gap_text(model_.loops()[worst], closure_.gap(work, worst))),
      gap);
}

Eigen::VectorXd LoopDynamics::project_speeds(Workspace& work, const VectorRef& q,
                                             const VectorRef& v) {
  check_fits(model_, work);
  check_size(model_, v, model_.speeds(), "v");
  closure_.update(work, q);
  compute_mass_matrix(model_, work, q.data());
  system_->equations.factor(work.mass_matrix);
  Eigen::VectorXd step, ignored;
  if (!system_->equations.solve(Eigen::VectorXd::Zero(model_.speeds()), -closure_.times(v), step,
                                ignored))
    throw ComputationError(fmt::format(
        "the speeds of robot '{}' cannot be made compatible with its loops here", model_.name()));
  return v + step;
}

}  // namespace ulna
