// Any two methods.

#include "ulna/dynamics/lagrange_4x4.hpp"
#include "verify/verifier.hpp"

namespace ulna {

void Verifier::inverse_methods() {
  std::vector<Answer> answers{
      {"newton-euler", tau},
      {"newton-euler-4x4", inverse_dynamics_newton_euler_4x4(model, q, v, a)},
      {"lagrange-4x4", inverse_dynamics_lagrange_4x4(model, q, v, a)},
      {"kane", kane.inverse(work, q, v, a)},
      {"M a + bias", M * a + bias}};
  if (body_map)
    answers.push_back({body_map->name, kane.inverse(work, q, v, a, *body_map), body_map_allowance});
  ledger.compare_all("inverse dynamics", answers, 1e-11);
}

void Verifier::forward_methods() {
  const auto by = [&](ForwardMethod method) {
    return forward_dynamics(model, work, q, v, efforts, {}, method);
  };
  const auto by_kane = [&](const SpeedMap& map) { return kane.forward(work, q, v, efforts, map); };
  std::vector<Answer> answers;
  if (!model.topology().shared_speeds)  // mimic joints couple the tree
    answers.push_back({"articulated-body", by(ForwardMethod::articulated_body)});
  answers.push_back({"composite-body", by(ForwardMethod::composite_body)});
  answers.push_back({"lagrange-4x4", forward_dynamics_lagrange_4x4(model, q, v, efforts)});
  answers.push_back({"kane", by_kane(joint_rate_speeds(model))});
  if (body_map) answers.push_back({body_map->name, by_kane(*body_map), body_map_allowance});
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
  ledger.compare_all("mass matrix",
                     {{"composite-body", M},
                      {"kane", kane.matrix(work, q)},
                      {"lagrange-4x4", mass_matrix_lagrange_4x4(model, q)},
                      {"d tau / d a", by_derivative}},
                     1e-12);
  ledger.compare("M", "M'", "mass matrix", M, M.transpose(), 1e-14);
}

}  // namespace ulna
