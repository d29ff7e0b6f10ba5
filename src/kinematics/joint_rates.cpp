// Rates and accelerations of the joints for a motion of a frame.

#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

/// Minimum-norm rates among those that move the frame as wished, and keep the loops closed:
/// `rows` besides J with the right side `also`.
JointRates least_norm(const Jacobian& J, const Vector6<double>& wish, const std::vector<int>& held,
                      const Eigen::MatrixXd& rows, const Eigen::VectorXd& also) {
  const Eigen::Index own = std::ssize(held);
  Eigen::MatrixXd all(own + rows.rows(), J.cols());
  Eigen::VectorXd right(all.rows());
  all.topRows(own) = J(held, Eigen::all);
  right.head(own) = wish(held);
  if (rows.rows() > 0) {
    all.bottomRows(rows.rows()) = rows;
    right.tail(rows.rows()) = also;
  }
  dense::LeastNorm solver;
  // Closures that depend on others do so to the precision to which loops are closed.
  if (rows.rows() > 0) solver.set_threshold(loop_rank_tolerance);
  solver.compute(all);
  JointRates rates;
  rates.value = solver.solve(right);
  rates.residual = (all * rates.value - right).norm();
  rates.rank = solver.rank();
  return rates;
}

}  // namespace

std::vector<int> held_rows(bool position_only, const HeldAxes& held) {
  std::vector<int> rows;
  for (int k = position_only ? 3 : 0; k < 6; ++k)
    if (k < 3 || held[static_cast<std::size_t>(k - 3)]) rows.push_back(k);
  return rows;
}

JointRates joint_rates(const Model& model, Workspace& work, const VectorRef& q, int frame,
                       const Vector6<double>& twist, bool position_only, const HeldAxes& held) {
  LoopClosure closure(model);
  closure.update(work, q);
  return least_norm(jacobian(model, work, q, {frame}), twist, held_rows(position_only, held),
                    closure.jacobian(), Eigen::VectorXd::Zero(closure.rows()));
}

JointRates joint_accelerations(const Model& model, Workspace& work, const VectorRef& q,
                               const VectorRef& v, int frame, const Vector6<double>& acceleration,
                               bool position_only, const HeldAxes& held) {
  // acceleration = J a + (what the frame has at a = 0)
  update_motions(model, work, q, v, work.zero());
  const Vector6<double> left = acceleration - frame_acceleration(model, work, frame).vector();
  LoopClosure closure(model);
  closure.update_rates(work, q, v);
  return least_norm(jacobian(model, work, q, {frame}), left, held_rows(position_only, held),
                    closure.jacobian(), closure.bias());
}

}  // namespace ulna
