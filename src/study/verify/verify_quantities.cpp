// What else a user reads off the dynamics: reactions, centroidal momentum, the regressor.

#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/elements.hpp"
#include "verify/verifier.hpp"

namespace ulna {
namespace {

Eigen::MatrixXd stacked(const std::vector<Wrench<double>>& wrenches) {
  Eigen::MatrixXd rows(wrenches.size(), 6);
  for (std::size_t j = 0; j < wrenches.size(); ++j)
    rows.row(static_cast<Eigen::Index>(j)) = wrenches[j].vector().transpose();
  return rows;
}

}  // namespace

void Verifier::joint_reactions() {
  std::vector<Answer> answers;
  for (Dynamics* by : formulations_for(Question::reactions))
    answers.push_back(
        {by->formulation(Question::reactions).name, stacked(by->reactions(q, v, a).joints)});
  ledger.compare_all("joint reactions", answers, 1e-11);
}

void Verifier::centroidal() {
  if (!has_moving_mass(model)) return;
  ledger.compare("A_G v", "sum over the bodies", "centroidal momentum",
                 centroidal_momentum_matrix(model, work, q) * v,
                 centroidal_momentum(model, work, q, v), 1e-11);
}

void Verifier::regressors() {
  TorqueRegressor& regressor = rigid->regressor;
  // Force elements have no columns.
  const Eigen::VectorXd by_columns =
      regressor(work, q, v, a) * regressor.parameters() + element_efforts(model, q, v);
  ledger.compare("newton-euler", "Y times parameters", "torque regressor", tau, by_columns, 1e-11,
                 size_of(terms_of_tau));
}

}  // namespace ulna
