#include "loops/posture_search.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {

LeastSquaresProblem posture_problem(const Model& model) {
  LeastSquaresProblem problem;
  problem.lower = model.lower();
  problem.upper = model.upper();
  if (model.coordinates() == model.speeds()) return problem;
  problem.retract = [&model](const Eigen::VectorXd& q, const Eigen::VectorXd& dv) {
    return model.integrate(q, dv);
  };
  problem.euclidean.assign(model.coordinate_of_speed().begin(), model.coordinate_of_speed().end());
  return problem;
}

WholeTurns::WholeTurns(const Model& model)
    : coordinate_(model.speeds(), -1),
      limited_(model.speeds(), -1),
      lower_(model.lower()),
      upper_(model.upper()) {
  for (const DegreeOfFreedom& degree : model.degrees()) {
    if (degree.joint < 0 || degree.q < 0) continue;
    const bool free = !std::isfinite(lower_(degree.q)) && !std::isfinite(upper_(degree.q));
    (free ? coordinate_ : limited_)[degree.v] = degree.q;
  }
  for (const TreeNode& node : model.topology().nodes)
    if (node.v >= 0 && node.kind == NodeKind::screw &&
        (node.h != 0 || node.sigma != std::round(node.sigma)))
      coordinate_[node.v] = limited_[node.v] = -1;
  for (const Loop& loop : model.loops())
    for (const CouplingTerm& term : loop.terms) coordinate_[term.v] = limited_[term.v] = -1;
}

void WholeTurns::take_out(Eigen::VectorXd& q) const {
  for (int k : coordinate_)
    if (k >= 0) {
      q(k) = std::remainder(q(k), 2 * M_PI);
      if (q(k) <= -M_PI) q(k) = M_PI;
    }
}

void WholeTurns::bring_near(const Eigen::VectorXd& start, Eigen::VectorXd& q) const {
  for (int k : coordinate_)
    if (k >= 0) q(k) -= 2 * M_PI * std::round((q(k) - start(k)) / (2 * M_PI));
}

void WholeTurns::bring_near_within_limits(const Eigen::VectorXd& start, Eigen::VectorXd& q) const {
  bring_near(start, q);
  for (int k : limited_) {
    if (k < 0) continue;
    // The limits leave room for these turns; of them the nearest to the start.
    const double turn = 2 * M_PI;
    const double fewest = std::ceil((lower_(k) - q(k)) / turn),
                 most = std::floor((upper_(k) - q(k)) / turn);
    const double wish = std::round((start(k) - q(k)) / turn);
    if (fewest <= most) q(k) += turn * std::clamp(wish, fewest, most);
  }
}

void WholeTurns::take_all_out_of_difference(Eigen::VectorXd& dv) const {
  take_out_of_difference(dv);
  for (std::size_t k = 0; k < limited_.size(); ++k)
    if (limited_[k] >= 0) dv(k) = std::remainder(dv(k), 2 * M_PI);
}

void WholeTurns::take_out_of_difference(Eigen::VectorXd& dv) const {
  for (std::size_t k = 0; k < coordinate_.size(); ++k)
    if (coordinate_[k] >= 0) dv(k) = std::remainder(dv(k), 2 * M_PI);
}

bool same_posture(const Model& model, const WholeTurns& turns, const Eigen::VectorXd& a,
                  const Eigen::VectorXd& b, double distinct) {
  Eigen::VectorXd difference = model.difference(a, b);
  turns.take_all_out_of_difference(difference);
  return difference.norm() < distinct;
}

}  // namespace ulna
