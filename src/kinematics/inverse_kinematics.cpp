#include "ulna/kinematics/inverse_kinematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "loops/posture_search.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/least_squares.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

/// Pose error in world axes and its Jacobian: rotation rows first when the target has a rotation.
class PoseError {
 public:
  PoseError(const Model& model, const InverseKinematicsTarget& target)
      : model_(model), work_(model), target_(target), closure_(model) {}

  int rows() const { return target_.rotation ? 6 : 3; }

  void evaluate(const Eigen::VectorXd& q, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    const Jacobian& whole = jacobian(model_, work_, q, {target_.frame});
    const Pose<double> X = frame_pose(model_, work_, target_.frame);
    r.resize(rows());
    r.tail<3>() = X.position - target_.position;
    if (J) *J = whole.bottomRows(rows());
    if (target_.rotation) add_rotation(X, r, J);
    if (closure_.rows() > 0) add_loops(q, r, J);
  }

  /// Whether the loops are closed at q, also where half a turn looks so.
  bool closed(const Eigen::VectorXd& q, double tolerance) {
    closure_.update(work_, q);
    return closure_.largest_gap(work_) <= tolerance;
  }

 private:
  void add_rotation(const Pose<double>& X, Eigen::VectorXd& r, Eigen::MatrixXd* J) const {
    // log of the rotation that is left, in world axes. Its derivative is the inverse of the left
    // Jacobian of SO(3); near the solution that is the identity, far away the exact one keeps the
    // convergence of Newton's method.
    const Vector3<double> turn = log_rotation(X.rotation * target_.rotation->transpose());
    r.head<3>() = turn;
    if (J) J->topRows<3>() = inverse_left_jacobian(turn) * J->topRows<3>();
  }

  /// The loops stay closed: their residuals join the error of the pose.
  void add_loops(const Eigen::VectorXd& q, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    closure_.update(work_, q);
    const Eigen::Index own = r.size();
    r.conservativeResize(own + closure_.rows());
    r.tail(closure_.rows()) = closure_.residual();
    if (!J) return;
    J->conservativeResize(r.size(), Eigen::NoChange);
    J->bottomRows(closure_.rows()) = closure_.jacobian();
  }

  static Matrix3<double> inverse_left_jacobian(const Vector3<double>& turn) {
    const double angle = turn.norm();
    const Matrix3<double> W = skew(turn);
    const double c =
        angle < 1e-4 ? 1.0 / 12 : (1 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle);
    return Matrix3<double>::Identity() - 0.5 * W + c * W * W;
  }

  const Model& model_;
  Workspace work_;
  const InverseKinematicsTarget& target_;
  LoopClosure closure_;
};

LeastSquaresProblem problem_of(const Model& model, PoseError& error) {
  model.require_rigid("inverse kinematics");
  LeastSquaresProblem problem = posture_problem(model);
  problem.evaluate = [&](const Eigen::VectorXd& q, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    error.evaluate(q, r, J);
  };
  return problem;
}

bool known(const Model& model, const WholeTurns& turns,
           const std::vector<InverseKinematicsSolution>& solutions, const Eigen::VectorXd& q,
           double distinct) {
  for (const auto& other : solutions)
    if (same_posture(model, turns, other.q, q, distinct)) return true;
  return false;
}

std::string why_none(const Model& model, const InverseKinematicsTarget& target,
                     const InverseKinematicsResult& result, int starts,
                     const std::vector<int>& held) {
  // So near, it is the search that ended too early, not the robot that is too short.
  const bool nearly = result.best_residual < 1e-6 * std::max(1.0, model.length_scale());
  std::string text = fmt::format(
      "frame '{}' {}: the nearest of {} starts leaves {:.4g} (metres and radians together)",
      model.frames()[target.frame].name,
      nearly ? "comes near the target but not within the tolerance, at or near a singular posture"
             : "cannot reach the target",
      starts, result.best_residual);
  if (held.empty()) return text;
  text += ", stopped by the limits of";
  for (std::size_t k = 0; k < held.size(); ++k)
    text += fmt::format("{} '{}'", k ? "," : "", model.speed_names()[held[k]]);
  return text;
}

/// Rates of least norm among those that move the frame as wished, and keep the loops closed:
/// `rows` besides J with the right side `also`.
JointRates least_norm(const Jacobian& J, const Vector6<double>& wish, bool position_only,
                      const Eigen::MatrixXd& rows, const Eigen::VectorXd& also) {
  const int own = position_only ? 3 : 6;
  Eigen::MatrixXd all(own + rows.rows(), J.cols());
  Eigen::VectorXd right(all.rows());
  all.topRows(own) = J.bottomRows(own);
  right.head(own) = wish.tail(own);
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

InverseKinematicsResult inverse_kinematics(const Model& model,
                                           const InverseKinematicsTarget& target,
                                           const InverseKinematicsOptions& options) {
  if (options.start.size() > 0) check_size(model, options.start, model.coordinates(), "start");
  if (options.restarts < 0)
    throw InputError(Problem{
        {}, "restarts", fmt::format("{} found", options.restarts), "0 or more random starts", {}});
  if (!target.position.allFinite() || (target.rotation && !target.rotation->allFinite()))
    throw InputError("the target has an entry that is not a finite number", "finite numbers");
  if (target.rotation && !is_rotation(*target.rotation, 1e-9))
    throw InputError("the target's rotation is not a right-handed orthonormal matrix",
                     "a rotation matrix");
  PoseError error(model, target);
  const LeastSquaresProblem problem = problem_of(model, error);
  LeastSquaresOptions solver;
  solver.max_iterations = options.iterations;
  solver.residual_tolerance = options.tolerance * 1e-3;  // a few more steps cost little and polish

  const WholeTurns turns(model);
  InverseKinematicsResult result;
  result.best_residual = INFINITY;
  std::vector<int> held;
  std::mt19937_64 generator(options.seed);
  Eigen::VectorXd start =
      options.start.size() > 0 ? model.normalized(options.start) : model.neutral();
  start = start.cwiseMax(model.lower()).cwiseMin(model.upper());
  for (int trial = 0; trial <= options.restarts; ++trial) {
    const LeastSquaresResult found = solve_least_squares(problem, start, solver);
    if (found.residual_norm < result.best_residual) {
      result.best_residual = found.residual_norm;
      result.nearest = found.x;
      held = found.held;
    }
    if (found.residual_norm <= options.tolerance && error.closed(found.x, options.tolerance)) {
      Eigen::VectorXd q = found.x;
      turns.take_out(q);
      if (!known(model, turns, result.solutions, q, options.distinct))
        result.solutions.push_back({q, found.residual_norm});
      if (!options.all) break;
    }
    start = model.random(generator);
  }
  turns.take_out(result.nearest);
  std::stable_sort(result.solutions.begin(), result.solutions.end(),
                   [](const auto& a, const auto& b) { return a.residual < b.residual; });
  if (result.solutions.empty())
    result.reason = why_none(model, target, result, options.restarts + 1, held);
  return result;
}

JointRates joint_rates(const Model& model, Workspace& work, const VectorRef& q, int frame,
                       const Vector6<double>& twist, bool position_only) {
  if (model.loops().empty())
    return least_norm(jacobian(model, work, q, {frame}), twist, position_only, {}, {});
  LoopClosure closure(model);
  closure.update(work, q);
  return least_norm(jacobian(model, work, q, {frame}), twist, position_only, closure.jacobian(),
                    Eigen::VectorXd::Zero(closure.rows()));
}

JointRates joint_accelerations(const Model& model, Workspace& work, const VectorRef& q,
                               const VectorRef& v, int frame, const Vector6<double>& acceleration,
                               bool position_only) {
  // acceleration = J a + (what the frame has at a = 0)
  update_motions(model, work, q, v, work.zero());
  const Vector6<double> left = acceleration - frame_acceleration(model, work, frame).vector();
  if (model.loops().empty())
    return least_norm(jacobian(model, work, q, {frame}), left, position_only, {}, {});
  LoopClosure closure(model);
  closure.update_rates(work, q, v);
  return least_norm(jacobian(model, work, q, {frame}), left, position_only, closure.jacobian(),
                    closure.bias());
}

}  // namespace ulna
