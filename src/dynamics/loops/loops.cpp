#include "ulna/dynamics/loops.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common.hpp"
#include "formulation/tree_route.hpp"
#include "loops/loop_parts.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/kernels/spring.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/scalar/kernels/ldlt.hpp"

namespace ulna {

namespace {

std::string loose_text(const std::string& speeds) {
  return speeds.empty() ? "" : ": " + speeds + " can move without moving mass";
}

ComputationError not_determined(const Model& model, const std::string& speeds) {
  return ComputationError(
      fmt::format("the masses and loops of robot '{}' do not determine its accelerations here{}",
                  model.name(), loose_text(speeds)));
}

/// A pivot below this share of its diagonal entry may be rounding: without pivoting, a direction
/// without mass shows in a single pivot at 1e-16 or in several at its roots.
constexpr double doubtful_pivot = 1e-6;

/// What of a diagonal entry g' M g of G' M G may be rounding: of the terms it is made of, and of
/// masses that stand still.
double embedded_rounding(const LoopClosure& closure, const Eigen::Ref<const Eigen::VectorXd>& g,
                         const Eigen::MatrixXd& M, int speed) {
  double terms = 0;
  for (Eigen::Index i = 0; i < g.size(); ++i) terms += g(i) * g(i) * std::abs(M(i, i));
  const double length = closure.length_scale() / closure.column_scale()(speed);
  return std::max(1e-13 * terms, 1e-15 * closure.model().mass() * length * length);
}

}  // namespace

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
      right_(model.speeds()),
      rows_(closure_.rows()),
      step_(model.speeds()),
      at_(model.coordinates()),
      next_(model.coordinates()),
      response_lambda_(Eigen::VectorXd::Zero(closure_.rows())),
      closing_efforts_(model.loops().size()),
      motor_efforts_(model.loops().size()) {
  for (int k = 0; k < static_cast<int>(model.loops().size()); ++k) {
    bool acts = false;
    for (const DegreeData& d : model.loops()[k].degrees)
      acts = acts || d.damping != 0 || d.friction != 0 || d.has_spring();
    if (acts) acting_.push_back(k);
  }
}
LoopDynamics::~LoopDynamics() = default;

const Eigen::VectorXd& LoopDynamics::lambda() const { return lambda_; }

void LoopDynamics::hold(const std::vector<char>& held) {
  if (static_cast<int>(held.size()) != model_.speeds())
    refuse_size(model_, static_cast<long>(held.size()), model_.speeds(), "the list of held");
  system_->equations.hold(held);
}

void LoopDynamics::bias(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                        ExternalWrenches wrenches, Eigen::VectorXd& c) {
  if (route_) {
    route_->efforts(work, q, v, a, wrenches, c);
    closure_.update_rates(work, q, v);  // routes may leave other motions in `work`
    add_closing_passive(work, c);
    return;
  }
  const NodeWrenches external = gather_wrenches(model_, work, q, wrenches);
  c.resize(model_.speeds());
  run_newton_euler(model_, work, q.data(), v.data(), a.data(), external);
  c = work.tau;
  if (model_.has_passive()) add_passive_efforts(model_, q.data(), v.data(), 1, c.data());
  add_closing_passive(work, c);
}

void LoopDynamics::tree_mass(Workspace& work, const VectorRef& q) {
  if (route_)
    route_->mass(work, q, work.mass_matrix);
  else
    compute_mass_matrix(model_, work, q.data());
}

void LoopDynamics::update_equations_mass(Workspace& work, const VectorRef& q) {
  if (!route_) return system_->equations.update_mass(work, q.data());
  tree_mass(work, q);
  system_->equations.set_mass(work.mass_matrix);
}

/// Dampers, friction and springs of a closing joint act on the tree through the joint's own rates.
/// The motions of closure_.update_rates are still in `work`: the kernels keep theirs elsewhere.
void LoopDynamics::add_closing_passive(Workspace& work, Eigen::VectorXd& c) {
  SmallVector at, rate;
  for (const int k : acting_) {
    const Loop& loop = model_.loops()[k];
    closure_.closing_rates(work, k, at, rate);
    SmallVector& effort = closing_efforts_[k];
    effort.setZero(rate.size());
    for (std::size_t d = 0; d < loop.degrees.size(); ++d) {
      const DegreeData& degree = loop.degrees[d];
      const auto i = static_cast<Eigen::Index>(d);
      effort(i) = degree.damping * rate(i) + degree.friction * sign(rate(i));
      if (degree.has_spring()) effort(i) += spring_effort(degree, at(i) - degree.rest);
    }
    closure_.add_closing_efforts(work, k, effort, c);
  }
}

double LoopDynamics::closing_effort(int loop, int degree) const {
  const SmallVector& needed = closing_efforts_[static_cast<std::size_t>(loop)];
  return degree < needed.size() ? -needed(degree) : 0;
}

ClosingPower LoopDynamics::closing_power(const Workspace& work) const {
  ClosingPower power;
  SmallVector at, rate;
  for (const int k : acting_) {
    closure_.closing_rates(work, k, at, rate);
    const std::vector<DegreeData>& degrees = model_.loops()[k].degrees;
    for (std::size_t d = 0; d < degrees.size(); ++d) {
      const auto i = static_cast<Eigen::Index>(d);
      power.dissipated +=
          degrees[d].damping * rate(i) * rate(i) + degrees[d].friction * std::abs(rate(i));
      if (!degrees[d].has_spring()) continue;
      const double stretch = at(i) - degrees[d].rest;
      power.stored += spring_energy(degrees[d], stretch);
      power.stored_rate += spring_effort(degrees[d], stretch) * rate(i);
    }
  }
  return power;
}

ClosingPower LoopDynamics::closing_power(Workspace& work, const VectorRef& q, const VectorRef& v) {
  if (acting_.empty()) return {};
  closure_.update_rates(work, q, v);
  return closing_power(work);
}

void LoopDynamics::add_closing_passive(Workspace& work, const VectorRef& q, const VectorRef& v,
                                       Eigen::VectorXd& c) {
  if (acting_.empty()) return;
  closure_.update_rates(work, q, v);
  add_closing_passive(work, c);
}

void LoopDynamics::prepare(Workspace& work, const VectorRef& q, const VectorRef& v,
                           ExternalWrenches wrenches) {
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  check_size(model_, v, model_.speeds(), "v");
  for (SmallVector& efforts : motor_efforts_) efforts.resize(0);  // of an inverse before
  closure_.update_rates(work, q, v);
  bias(work, q, v, work.zero(), wrenches, bias_);
}

bool LoopDynamics::mixed(Workspace& work, const VectorRef& q, const VectorRef& v,
                         Eigen::VectorXd& a, Eigen::VectorXd& tau, ExternalWrenches wrenches) {
  check_size(model_, a, model_.speeds(), "a");
  check_size(model_, tau, model_.speeds(), "tau");
  prepare(work, q, v, wrenches);
  LoopSystem& equations = system_->equations;
  update_equations_mass(work, q);
  equations.factor();
  right_ = tau - bias_;
  if (!equations.solve(right_, closure_.bias(), a, lambda_, equations.free_size(right_)))
    return false;
  // What the held speeds need: M a + c - A' lambda.
  equations.mass_times(a, right_);
  right_ += bias_;
  rows_ = -lambda_;
  closure_.add_transposed(rows_, right_);
  for (int k = 0; k < model_.speeds(); ++k)
    if (equations.held()[k]) tau(k) = right_(k);
  if (route_) closure_.update_rates(work, q, v);  // routes may leave other motions in `work`
  return true;
}

void LoopDynamics::mass_times(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
  y.resize(model_.speeds());
  system_->equations.mass_times(x, y);
}

double LoopDynamics::margin() const { return system_->equations.margin(); }

const Eigen::VectorXd& LoopDynamics::required_efforts(Workspace& work, const VectorRef& q,
                                                      const VectorRef& v, const VectorRef& a,
                                                      ExternalWrenches wrenches) {
  check_size(model_, a, model_.speeds(), "a");
  closure_.update_rates(work, q, v);
  bias(work, q, v, a, wrenches, bias_);
  return bias_;
}

void LoopDynamics::update_response(Workspace& work, const VectorRef& q) {
  closure_.update(work, q);
  system_->equations.update_mass(work, q.data());
  system_->equations.factor();
}

bool LoopDynamics::respond(const Eigen::VectorXd& efforts, Eigen::VectorXd& change) {
  rows_.setZero();
  change.setZero(model_.speeds());
  LoopSystem& equations = system_->equations;
  return equations.solve(efforts, rows_, change, response_lambda_, equations.free_size(efforts));
}

const Eigen::VectorXd& LoopDynamics::forward(Workspace& work, const VectorRef& q,
                                             const VectorRef& v, const VectorRef& tau,
                                             ExternalWrenches wrenches, LoopMethod method) {
  check_size(model_, tau, model_.speeds(), "tau");
  prepare(work, q, v, wrenches);
  if (method == LoopMethod::multipliers) {
    update_equations_mass(work, q);
    system_->equations.factor();
    right_ = tau - bias_;
    if (!system_->equations.solve(right_, closure_.bias(), acceleration_, lambda_,
                                  system_->equations.free_size(right_)))
      throw not_determined(model_, system_->equations.undetermined());
    return acceleration_;
  }
  embedded_forward(work, q, tau);
  if (route_) closure_.update_rates(work, q, v);
  return acceleration_;
}

/// eq. 16
const Eigen::VectorXd& LoopDynamics::embedded_forward(Workspace& work, const VectorRef& q,
                                                      const VectorRef& tau) {
  tree_mass(work, q);
  const Eigen::MatrixXd& M = work.mass_matrix;
  LoopEmbedding& embedding = system_->embedding;
  embedding.update();
  const int dof = embedding.dof(), n = model_.speeds();
  const auto G = embedding.G();
  auto MG = system_->MG.leftCols(dof);
  auto reduced = system_->reduced.topLeftCorner(dof, dof);
  MG = M.lazyProduct(G);
  reduced = G.transpose().lazyProduct(MG);
  double* pivots = system_->reduced.data();
  const double largest = dof > 0 ? reduced.diagonal().cwiseAbs().maxCoeff() : 0;
  system_->free.head(dof) = reduced.diagonal();
  ldlt_factor(pivots, dof, n);
  bool sound = true, doubtful = false;
  for (int k = 0; k < dof; ++k) {
    const double inverse = pivots[k * (n + 1)];
    sound = sound && inverse > 0 && inverse * singular_tolerance * largest < 1 &&
            inverse * embedded_rounding(closure_, G.col(k), M, embedding.independent()[k]) < 1;
    doubtful = doubtful || !(inverse * doubtful_pivot * system_->free(k) < 1);
  }
  if (doubtful || !sound) {
    // Pivots that may be rounding: masses and loops decide together, as for multipliers.
    system_->equations.set_mass(M);
    system_->equations.factor();
    system_->equations.doubt();
    right_ = tau - bias_;
    if (!system_->equations.solve(right_, closure_.bias(), acceleration_, lambda_,
                                  system_->equations.free_size(right_)))
      throw not_determined(model_, system_->equations.undetermined());
    if (!sound) return acceleration_;
  }
  right_ = tau - bias_;
  right_ -= M.lazyProduct(embedding.gamma());
  auto free = system_->free.head(dof);
  embedding.to_independent(right_, free);
  ldlt_solve(pivots, dof, n, system_->free.data());
  acceleration_ = G.lazyProduct(free) + embedding.gamma();
  return acceleration_;
}

Eigen::MatrixXd LoopDynamics::reduced_mass_matrix(Workspace& work, const VectorRef& q,
                                                  const SpeedSplit& split) {
  check_fits(model_, work);
  closure_.update(work, q);
  const CoordinateMap map = independent_map(closure_, split);
  tree_mass(work, q);
  return map.G.transpose() * work.mass_matrix * map.G;
}

namespace {

/// The shortest step, in pure numbers, that closes the loops to first order, with no regard to
/// masses. None where it is too long to be of first order.
bool plain_step(const LoopClosure& closure, const std::vector<char>& held, Eigen::VectorXd& step) {
  constexpr double longest = 0.1;  // radians, or lengths of the robot
  std::vector<int> free;
  for (int k = 0; k < std::ssize(held); ++k)
    if (!held[static_cast<std::size_t>(k)]) free.push_back(k);
  const Eigen::MatrixXd A = closure.scaled_jacobian()(Eigen::all, free);
  const Eigen::VectorXd gap = closure.row_scale().cwiseProduct(closure.residual());
  const Eigen::VectorXd x =
      dense::LeastNorm(A, loop_rank_tolerance_of(closure.model())).solve(Eigen::VectorXd(-gap));
  if (!(x.norm() < longest)) return false;
  step.setZero();
  step(free) = closure.column_scale()(free).cwiseProduct(x);
  return true;
}

}  // namespace

bool LoopDynamics::close_positions(Workspace& work, Eigen::VectorXd& q, double tolerance) {
  // Where loops depend on each other, they do so only when closed: open by e, their rows have
  // singular values of the order of e, and undamped steps would be wild. Damping in proportion to
  // e keeps the convergence better than linear (Yamashita, Fukushima 2001).
  constexpr int most = 50;
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  closure_.update(work, q);
  double gap = closure_.largest_gap(work), damping = 0;
  // A robot may say that its loops do not close better than this.
  const double allowed = std::max(tolerance, model_.robot().loop_tolerance),
               rounding = 1e-13 * model_.length_scale();
  if (gap > tolerance) system_->equations.update_mass(work, q.data());  // serves all steps
  bool plain = true;
  for (int iteration = 0; gap > tolerance && iteration < most; ++iteration) {
    damping = std::max(damping, std::clamp(gap / model_.length_scale(), 1e-10, 1e-2));
    system_->equations.factor(damping);
    rows_ = -closure_.residual();
    // Speeds without mass have steps of rounding where loops are redundant: masses do not matter.
    plain = plain && system_->equations.some_massless() &&
            plain_step(closure_, system_->equations.held(), step_);
    if (!plain && !system_->equations.damped_step(rows_, step_)) break;
    next_ = q;
    model_.move_along(next_, step_);
    closure_.update(work, next_);
    const double next_gap = closure_.largest_gap(work);
    const bool at_best = (gap <= allowed || gap <= rounding) && next_gap > 0.5 * gap;
    if (next_gap < gap) {
      q = next_;
      gap = next_gap;
      damping = 0;
      plain = true;
      if (at_best) break;
      continue;
    }
    if (at_best || damping > 1e3) break;  // beyond reach
    if (!plain) damping *= 100;
    plain = false;
    closure_.update(work, q);
  }
  closure_.update(work, q);
  return gap <= allowed || gap <= rounding;
}

std::string LoopDynamics::why_open(const Workspace& work) const {
  int worst = 0;
  for (int k = 0; k < static_cast<int>(model_.loops().size()); ++k) {
    const auto size = [&](int j) {
      return std::max(closure_.gap(work, j).length, closure_.gap(work, j).angle);
    };
    if (size(k) > size(worst)) worst = k;
  }
  return fmt::format("robot '{}': {} cannot be closed from here: it stays open by {}",
                     model_.name(), loop_name(model_.loops()[worst]),
                     gap_text(model_.loops()[worst], closure_.gap(work, worst)));
}

Eigen::VectorXd LoopDynamics::project_positions(Workspace& work, const VectorRef& q,
                                                double tolerance) {
  Eigen::VectorXd at = model_.normalized(q);
  if (!close_positions(work, at, tolerance))
    throw ComputationError(why_open(work), closure_.largest_gap(work));
  return at;
}

bool LoopDynamics::close_speeds(Workspace& work, const VectorRef& q, Eigen::VectorXd& v) {
  check_fits(model_, work);
  check_size(model_, v, model_.speeds(), "v");
  closure_.update(work, q);
  system_->equations.update_mass(work, q.data());
  system_->equations.factor();
  closure_.times(v, rows_);
  rows_ = -rows_;
  right_.setZero();
  step_.setZero();  // held speeds do not change
  if (!system_->equations.solve(right_, rows_, step_, lambda_, v.norm())) return false;
  v += step_;
  return true;
}

Eigen::VectorXd LoopDynamics::project_speeds(Workspace& work, const VectorRef& q,
                                             const VectorRef& v) {
  Eigen::VectorXd speeds = v;
  if (!close_speeds(work, q, speeds))
    throw ComputationError(fmt::format(
        "the speeds of robot '{}' cannot be made compatible with its loops here", model_.name()));
  return speeds;
}

}  // namespace ulna
