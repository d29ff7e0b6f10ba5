// Any two methods.

#include "verify/verifier.hpp"

namespace ulna {

void Verifier::inverse_methods() {
  std::vector<Answer> answers;
  for (Dynamics* dynamics : formulations_for(Question::inverse))
    answers.push_back(
        {dynamics->formulation(Question::inverse).name, dynamics->inverse(q, v, a).tau});
  answers.push_back({"M a + bias", M * a + bias});
  if (body_map)
    answers.push_back({body_map->name, kane.inverse(work, q, v, a, *body_map), body_map_allowance});
  ledger.compare_all("inverse dynamics", answers, 1e-11);
}

void Verifier::forward_methods() {
  std::vector<Answer> answers;
  for (Dynamics* dynamics : formulations_for(Question::forward))
    answers.push_back(
        {dynamics->formulation(Question::forward).name, dynamics->forward(q, v, efforts)});
  if (body_map)
    answers.push_back(
        {body_map->name, kane.forward(work, q, v, efforts, *body_map), body_map_allowance});
  ledger.compare_all("forward dynamics", answers, forward_bound());
  // And back: what the accelerations of each method need is what was put in.
  for (const Answer& answer : answers) {
    const Eigen::VectorXd again = inverse_dynamics(model, work, q, v, answer.value.col(0));
    const double scale = size_of(M.cwiseAbs() * answer.value.cwiseAbs()) + size_of(bias);
    ledger.compare(answer.method, "efforts put in", "inverse after forward", again, efforts,
                   forward_bound() + answer.allowance, scale);
  }
}

void Verifier::mass_matrices() {
  const Eigen::MatrixXd by_derivative =
      inverse_dynamics_derivatives(model, work, derivatives, q, v, a).mass_matrix;
  std::vector<Answer> answers;
  for (Dynamics* dynamics : formulations_for(Question::mass))
    answers.push_back({dynamics->formulation(Question::mass).name, dynamics->mass_matrix(q)});
  answers.push_back({"d tau / d a", by_derivative});
  ledger.compare_all("mass matrix", answers, 1e-12);
  ledger.compare("M", "M'", "mass matrix", M, M.transpose(), 1e-14);
}

}  // namespace ulna
