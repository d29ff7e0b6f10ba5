#include "formulation/tree_route.hpp"

#include "common.hpp"

namespace ulna {

void TreeRoute::efforts(Workspace& work, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                        ExternalWrenches wrenches, Eigen::VectorXd& tau) {
  const NodeWrenches external = gather_wrenches(model_, work, q, wrenches);
  run_newton_euler(model_, work, q.data(), v.data(), a.data(), external);
  tau = work.tau;
  add_passive_efforts(model_, q.data(), v.data(), 1, tau.data());
}

void TreeRoute::mass(Workspace& work, const VectorRef& q, Eigen::MatrixXd& M) {
  // Efforts are linear in the accelerations. Large ones drown gravity and springs, whose rounding
  // would be left of the difference otherwise.
  constexpr double large = 1 << 20;
  const int n = model_.speeds();
  Eigen::VectorXd rest, column, unit = Eigen::VectorXd::Zero(n);
  efforts(work, q, work.zero(), work.zero(), {}, rest);
  M.resize(n, n);
  for (int k = 0; k < n; ++k) {
    unit(k) = large;
    efforts(work, q, work.zero(), unit, {}, column);
    M.col(k) = (column - rest) / large;
    unit(k) = 0;
  }
}

void TreeRoute::accelerations(Workspace& work, const VectorRef& q, const VectorRef& v,
                              const VectorRef& tau, ExternalWrenches wrenches, Eigen::VectorXd& a) {
  Eigen::VectorXd bias;
  Eigen::MatrixXd M;
  efforts(work, q, v, work.zero(), wrenches, bias);
  mass(work, q, M);
  a = solve_mass_matrix(model_, M, tau - bias);
}

const std::vector<Wrench<double>>& TreeRoute::reactions(Workspace& work, const VectorRef& q,
                                                        const VectorRef& v, const VectorRef& a,
                                                        ExternalWrenches wrenches,
                                                        const ReactionQuery& query) {
  if (!reactions_) reactions_ = std::make_unique<JointReactions>(model_, OpenTree{});
  return reactions_->compute(work, q, v, a, wrenches, query);
}

}  // namespace ulna
