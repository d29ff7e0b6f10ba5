#include "verify/verifier.hpp"

#include "ulna/numerics/dense.hpp"

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

double condition_of_symmetric(const Eigen::MatrixXd& M) {
  const Eigen::VectorXd values = dense::eigenvalues_symmetric(M);
  const double least = values(0), largest = values.tail(1)(0);
  return least > 0 ? largest / least : INFINITY;
}

}  // namespace

Verifier::Verifier(const Model& robot, unsigned seed)
    : model(robot),
      work(robot),
      derivatives(robot),
      kane(robot),
      reactions(robot),
      regressor(robot, RegressorTerms::all()),
      generator(seed) {
  speeds_body = body_for_speeds(model, model.random(generator));
  for (const Formulation& f : formulations())
    if (why_not(f, model, Question::forward).empty())  // every formulation leads to accelerations
      by_formulation.push_back(std::make_unique<Dynamics>(model, DynamicsOptions{f.name}));
}

std::vector<Dynamics*> Verifier::formulations_for(Question question) {
  std::vector<Dynamics*> those;
  for (const auto& dynamics : by_formulation)
    if (why_not(dynamics->formulation(question), model, question).empty())
      those.push_back(dynamics.get());
  return those;
}

Eigen::VectorXd Verifier::entries() {
  std::uniform_real_distribution<double> one(-1, 1);
  Eigen::VectorXd x(model.speeds());
  for (double& e : x) e = one(generator);
  return x;
}

void Verifier::draw_state() {
  q = model.random(generator);
  // Coulomb friction jumps at rest, where differences would find no derivative.
  v = entries().unaryExpr([](double x) { return x < 0 ? x - 1e-3 : x + 1e-3; });
  a = entries();
  tau = inverse_dynamics(model, work, q, v, a);
  efforts = tau + 0.5 * tau.cwiseProduct(entries());
  bias = bias_efforts(model, work, q, v);
  M = mass_matrix(model, work, q);
  condition = condition_of_symmetric(M);
  terms_of_tau = M.cwiseAbs() * a.cwiseAbs() + bias.cwiseAbs();
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

void Verifier::examine_a_state() {
  draw_state();
  inverse_methods();
  mass_matrices();
  energies();
  power_balance();
  coriolis();
  virtual_work();
  joint_reactions();
  centroidal();
  regressors();
  inverse_derivatives();
  ledger.note("M", "positive definite", "mass matrix", condition < INFINITY ? 0 : 1, 0);
  if (condition == INFINITY) return;
  try {
    forward_methods();
    forward_derivatives();
  } catch (const ComputationError&) {  // a joint that moves no inertia: there is no answer
    ledger.note("M", "positive definite", "mass matrix", 1, 0);
  }
}

}  // namespace ulna
