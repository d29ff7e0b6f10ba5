// Any two formulations.

#include "ulna/numerics/dense.hpp"
#include "verify/verifier.hpp"

namespace ulna {

std::vector<Dynamics*> Verifier::formulations_for(Question question) {
  std::vector<Dynamics*> those;
  for (const auto& by : by_formulation)
    if (why_not(by->formulation(question), model, question).empty()) those.push_back(by.get());
  return those;
}

namespace {

/// The closed form of a platform does not know all postures in which its loops are closed: a delta
/// may be assembled with its platform turned. There it has no answer.
template <class Ask>
void ask_if_known(const Formulation& formulation, const Ask& ask) {
  try {
    ask();
  } catch (const ComputationError&) {
    if (!formulation.whole) throw;
  }
}

}  // namespace

void Verifier::inverse_methods() {
  std::vector<Answer> answers;
  for (Dynamics* by : formulations_for(Question::inverse)) {
    const Formulation& f = by->formulation(Question::inverse);
    ask_if_known(f, [&] {
      const LoopEfforts& found = by->inverse(q, v, a);
      if (found.actuated == actuated)  // efforts of other actuators cannot be compared
        answers.push_back({f.name, found.tau, f.whole ? 100 * forward_bound() : 0});
    });
  }
  const double bound = closed ? forward_bound() : 1e-11;
  if (rigid && rigid->body_map)
    answers.push_back({rigid->body_map->name, rigid->kane.inverse(work, q, v, a, *rigid->body_map),
                       rigid->body_map_allowance});
  if (rigid) answers.push_back({"M a + bias", M * a + bias});
  // Efforts of masses that stand still are rounding of the terms they are made of.
  const double rounding =
      1e-15 * standing_inertia() * (size_of(a) + v.squaredNorm()) +
      1e-15 * model.mass() * model.robot().gravity.norm() * std::max(1.0, model.length_scale());
  ledger.compare_all("inverse dynamics", answers, bound, 10 * rounding / bound);
  if (!rigid)  // stiff links and closing forces cancel: measured by their terms
    ledger.compare("M a + bias", "newton-euler", "efforts of the open tree", M * a + bias,
                   needed(q, v, a), 1e-11, size_of(terms_of_tau));
}

void Verifier::forward_methods() {
  std::vector<Answer> answers;
  for (Dynamics* by : formulations_for(Question::forward)) {
    const Formulation& f = by->formulation(Question::forward);
    // A closed form goes over the freedoms of the platform, not over the speeds that pivoting finds
    // best: as when inverse dynamics is undone.
    const double allowance = f.whole ? 100 * forward_bound() : 0;
    ask_if_known(f, [&] { answers.push_back({f.name, by->forward(q, v, efforts), allowance}); });
  }
  if (rigid && rigid->body_map)
    answers.push_back({rigid->body_map->name,
                       rigid->kane.forward(work, q, v, efforts, *rigid->body_map),
                       rigid->body_map_allowance});
  // Stiff springs and efforts may leave little of each other.
  const double terms = rigid ? size_of(dense::Cholesky(M).solve(bias)) : 0;
  ledger.compare_all("forward dynamics", answers, forward_bound(), terms);
  inverse_after_forward(answers);
}

/// And back: what the accelerations of each method need is what was put in.
void Verifier::inverse_after_forward(const std::vector<Answer>& answers) {
  for (const Answer& answer : answers) {
    const Eigen::VectorXd found = answer.value.col(0);
    const Eigen::VectorXd again = on_independent(needed(q, v, found));
    const double scale = size_of(M.cwiseAbs() * found.cwiseAbs()) + size_of(bias);
    ledger.compare(answer.method, "efforts put in", "inverse after forward", again,
                   on_independent(efforts), forward_bound() + answer.allowance, scale);
  }
}

void Verifier::mass_matrices() {
  std::vector<Answer> answers;
  for (Dynamics* by : formulations_for(Question::mass))
    answers.push_back({by->formulation(Question::mass).name, by->mass_matrix(q)});
  if (rigid) answers.push_back({"d tau / d a", dynamics.inverse_derivatives(q, v, a).mass_matrix});
  ledger.compare_all("mass matrix", answers, 1e-12);
  ledger.compare("M", "M'", "mass matrix", M, M.transpose(), 1e-14, standing_inertia());
  if (rigid) return;
  // Column by column from unit accelerations.
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds()), rest = needed(q, zero, zero);
  Eigen::MatrixXd found(M.rows(), M.cols());
  for (int k = 0; k < model.speeds(); ++k)
    found.col(k) = needed(q, zero, Eigen::VectorXd::Unit(model.speeds(), k)) - rest;
  ledger.compare("composite-body", "efforts of unit accelerations", "mass matrix", M, found, 1e-11,
                 size_of(rest));
}

}  // namespace ulna
