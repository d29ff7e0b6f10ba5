#include "verify/verifier.hpp"

#include <limits>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"

namespace ulna {
namespace {

/// The middle body where three turns carry it, otherwise the first body for which that is so.
int body_for_speeds(const Model& model, const Eigen::VectorXd& q) {
  std::vector<int> candidates{middle_body(model)};
  for (int body = 1; body < static_cast<int>(model.bodies().size()); ++body)
    candidates.push_back(body);
  const Eigen::VectorXd at_rest = Eigen::VectorXd::Zero(model.speeds());
  for (int body : candidates) {
    if (body < 0) continue;
    try {
      SpeedSolver(body_speeds(model, q, at_rest, body));
      return body;
    } catch (const std::runtime_error&) {  // too few turns, or their axes never span space
    }
  }
  return -1;
}

/// "the mass matrix is singular: 'finger' can move without moving inertia, ..."
std::string massless_text(const std::vector<std::string>& names, const Eigen::MatrixXd& M) {
  const Eigen::VectorXd motion = dense::eigen_symmetric(M).vectors.col(0).cwiseAbs();
  std::string which;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (motion(static_cast<Eigen::Index>(k)) > 0.1 * motion.maxCoeff())
      which += (which.empty() ? "'" : ", '") + names[k] + "'";
  return "the mass matrix is singular: " + which +
         " can move without moving inertia, so that forward dynamics has no answer there and was "
         "not compared";
}

/// Infinite where some speeds move no inertia, as far as rounding tells.
double condition_of_symmetric(const Eigen::MatrixXd& M) {
  if (M.size() == 0) return 1;
  const Eigen::VectorXd values = dense::eigenvalues_symmetric(M);
  const double least = values(0), largest = values.tail(1)(0);
  return least > 1e-15 * largest ? largest / least : INFINITY;
}

std::vector<std::string> names_of_independent(const Model& model, const LoopClosure& closure) {
  std::vector<std::string> names;
  for (const int k : split_speeds(closure).independent) names.push_back(model.speed_names()[k]);
  return names;
}

double row_sum_norm(const Eigen::MatrixXd& x) { return x.cwiseAbs().rowwise().sum().maxCoeff(); }

}  // namespace

void Verifier::RigidTree::choose_speeds(const Model& model, const Eigen::VectorXd& q,
                                        const Eigen::VectorXd& v) {
  body_map.reset();
  if (speeds_body < 0) return;
  try {
    body_map = body_speeds(model, q, v, speeds_body);
    // What is taken to the speeds and back carries the condition of the map.
    body_map_allowance = 1e-15 / SpeedSolver(*body_map).reciprocal_condition();
    body_map->name = "kane " + body_map->name;
  } catch (const ComputationError&) {
    body_map.reset();  // singular at this posture: joint rates serve
  }
}

Verifier::Verifier(const Model& robot, unsigned seed)
    : model(robot), dynamics(robot), work(robot), generator(seed) {
  if (dynamics.loops()) {
    closed.emplace(model);
    closed->reference = assembled(model);
    closed->closure.update(work, closed->reference);
    structure = split_speeds(closed->closure).independent.empty();
  } else if (model.modes() == 0 &&
             why_not(formulation_named("kane"), model, Question::inverse).empty()) {
    rigid = std::make_unique<RigidTree>(model);
    rigid->speeds_body = body_for_speeds(model, model.random(generator));
  }
  for (const Formulation& f : formulations())
    if (why_not(f, model, Question::forward).empty())  // every formulation leads to accelerations
      by_formulation.push_back(std::make_unique<Dynamics>(model, DynamicsOptions{f.name}));
}

Eigen::VectorXd Verifier::entries() {
  std::uniform_real_distribution<double> one(-1, 1);
  Eigen::VectorXd x(model.speeds());
  for (double& e : x) e = one(generator);
  if (closed) x = closed->closure.column_scale().cwiseProduct(x);  // slides by the robot's length
  return x;
}

bool Verifier::draw_posture() {
  q = model.random(generator);
  if (!closed) return true;
  AssemblyOptions options;
  options.start = q;
  options.restarts = 3;
  options.tolerance = 1e-12;
  const AssemblyResult found = assemble(model, options);
  if (found.solutions.empty()) {
    ++open;
    return false;
  }
  q = found.solutions[0].q;
  // Some mechanisms are drawn to their change points by any search (N parallelograms lie flat).
  // Their regular postures lie along the motion from the reference.
  if (regular() || walk_from_reference()) return true;
  ++singular;
  return false;
}

bool Verifier::regular() {
  closed->closure.update(work, q);
  closed->quality = split_speeds(closed->closure).quality;
  // So near to a singular posture the rank itself is a matter of opinion: of rows that depend on
  // others everywhere no more is left than rounding.
  const RankDecision rank =
      rank_by_svd(closed->closure.scaled_jacobian(), loop_rank_tolerance_of(model));
  const double left = rank.rank < rank.values.size() ? rank.values(rank.rank) / rank.values(0) : 0;
  const bool doubtful = left > std::max(1e-11, 20 * model.robot().loop_tolerance);
  return closed->quality >= 10 * loop_rank_tolerance && !doubtful;
}

bool Verifier::walk_from_reference() {
  constexpr int steps = 5;
  constexpr double longest = 0.1;  // radians, or parts of the robot's length, a step
  LoopClosure& closure = closed->closure;
  q = closed->reference;
  Eigen::VectorXd along = entries();
  AssemblyOptions options;
  options.restarts = 0;
  options.tolerance = 1e-12;
  for (int k = 0; k < steps; ++k) {
    closure.update(work, q);
    along = compatible_speeds(closure, along);
    const double size = along.cwiseQuotient(closure.column_scale()).cwiseAbs().maxCoeff();
    if (!(size > 0)) break;
    along *= longest / size;
    options.start = model.integrate(q, along);
    const AssemblyResult next = assemble(model, options);
    if (next.solutions.empty()) return false;
    q = next.solutions[0].q;
  }
  return regular();
}

double Verifier::standing_inertia() const {
  const double length = std::max(1.0, model.length_scale());
  return model.mass() * length * length;
}

void Verifier::draw_motion() {
  if (!closed) {
    // Coulomb friction jumps at rest, where differences would find no derivative.
    v = entries().unaryExpr([](double x) { return x < 0 ? x - 1e-3 : x + 1e-3; });
    a = entries();
    return;
  }
  LoopClosure& closure = closed->closure;
  const Eigen::VectorXd drawn = entries();
  closed->drawn = drawn.norm();  // rounding is that of what was made compatible
  v = compatible_speeds(closure, drawn);
  closure.update_rates(work, q, v);
  a = compatible_accelerations(closure, entries());
  closed->map = independent_map(closure, split_speeds(closure));
}

Eigen::VectorXd Verifier::needed(const Eigen::VectorXd& at, const Eigen::VectorXd& speeds,
                                 const Eigen::VectorXd& accelerations) {
  if (!closed) return dynamics.inverse(at, speeds, accelerations).tau;
  return dynamics.loops()->required_efforts(work, at, speeds, accelerations);
}

void Verifier::compute_terms() {
  const LoopEfforts& found = dynamics.inverse(q, v, a);
  tau = found.tau;
  actuated = found.actuated;
  efforts = tau + 0.5 * tau.cwiseProduct(Eigen::VectorXd::NullaryExpr(tau.size(), [this] {
    return std::uniform_real_distribution<double>(-1, 1)(generator);
  }));
  bias = needed(q, v, Eigen::VectorXd::Zero(model.speeds()));
  M = dynamics.mass_matrix(q);
  reduced_M = closed ? Eigen::MatrixXd(closed->map.G.transpose() * M * closed->map.G) : M;
  condition = condition_of_symmetric(reduced_M);
  terms_of_tau = M.cwiseAbs() * a.cwiseAbs() + bias.cwiseAbs();
  if (rigid) rigid->choose_speeds(model, q, v);
}

double Verifier::forward_bound() const {
  // Near singular postures the independent speeds lose digits: in proportion to the condition, and
  // their accelerations to its square.
  if (closed) {
    const double quality = closed->quality;
    // As for trees, M^-1 hands on the rounding of M and of its right side, in which the forces of
    // stiff springs may be far larger than what they accelerate.
    const double forces = size_of(closed->map.G.transpose() * bias),
                 inertial = row_sum_norm(reduced_M) * size_of(a);
    return 1e-10 * std::max({1.0, 0.1 / quality, 1e-5 / (quality * quality)}) +
           1e-15 * condition * (1 + forces / std::max(inertial, 1e-300));
  }
  return rigid ? 1e-12 + 1e-15 * condition : flexible_forward_bound();
}

/// The efforts M a + h carry the rounding of both parts, and of h the elastic forces K eta of stiff
/// links are the largest; M^-1 hands it on: |da| <= c eps |M^-1| (|h| + |M| |a|), relative to |a|.
/// c: some fifty operations behind each entry.
double Verifier::flexible_forward_bound() const {
  constexpr double c_eps = 50 * std::numeric_limits<double>::epsilon();
  const Eigen::MatrixXd inverse =
      dense::Cholesky(M).solve(Eigen::MatrixXd::Identity(M.rows(), M.cols()));
  return std::max(1e-11,
                  c_eps * row_sum_norm(inverse) * (size_of(bias) / size_of(a) + row_sum_norm(M)));
}

bool Verifier::examine_a_state() {
  if (!draw_posture()) return false;
  draw_motion();
  compute_terms();
  inverse_methods();
  mass_matrices();
  energies();
  power_balance();
  virtual_work();
  tip_motion();
  joint_reactions();
  if (closed) closure_equations();
  if (rigid) {
    coriolis();
    centroidal();
    regressors();
  }
  if (!closed) inverse_derivatives();
  // A joint that moves no inertia is a property of the robot; negative energies are an error.
  const Eigen::VectorXd values = dense::eigenvalues_symmetric(reduced_M);
  const bool negative = values.size() > 0 && values(0) < -std::max(1e-12 * values.tail(1)(0),
                                                                   1e-14 * standing_inertia());
  ledger.note("M", "not negative", "mass matrix", negative ? 1 : 0, 0);
  try {
    if (condition == INFINITY) throw ComputationError("there are no accelerations");
    forward_methods();
    if (closed) closing_methods();
    if (!closed) forward_derivatives();
  } catch (const ComputationError&) {
    massless = massless_text(
        closed ? names_of_independent(model, closed->closure) : model.speed_names(), reduced_M);
  }
  return true;
}

}  // namespace ulna
