#include "ulna/kinematics/inverse_kinematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "loops/posture_search.hpp"
#include "ulna/kinematics/closed_form.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/least_squares.hpp"
#include "ulna/numerics/internal/rank.hpp"
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
    return closure_.largest_gap(work_) <= std::max(tolerance, model_.robot().loop_tolerance);
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

class PostureSearch {
 public:
  PostureSearch(const Model& model, const InverseKinematicsTarget& target,
                const InverseKinematicsOptions& options)
      : model_(model),
        target_(target),
        options_(options),
        error_(model, target),
        problem_(problem_of(model, error_)),
        turns_(model),
        start_(options.start.size() > 0 ? model.normalized(options.start) : model.neutral()) {
    solver_.max_iterations = options.iterations;
    solver_.residual_tolerance = options.tolerance * 1e-3;  // a few more steps cost little
    result_.best_residual = INFINITY;
  }

  InverseKinematicsResult run() {
    const bool many = options_.all || options_.nearest;
    std::mt19937_64 generator(options_.seed);
    Eigen::VectorXd from = start_.cwiseMax(model_.lower()).cwiseMin(model_.upper());
    for (int trial = 0; trial <= options_.restarts; ++trial) {
      if (search(from) && !many) break;
      from = model_.random(generator);
    }
    if (many)
      for (const Eigen::VectorXd& q : closed_form()) search(q);
    turns_.bring_near_within_limits(start_, result_.nearest);
    std::stable_sort(result_.solutions.begin(), result_.solutions.end(),
                     [](const auto& a, const auto& b) { return a.distance < b.distance; });
    if (!options_.all && result_.solutions.size() > 1) result_.solutions.resize(1);
    if (result_.solutions.empty())
      result_.reason = why_none(model_, target_, result_, options_.restarts + 1, held_);
    return std::move(result_);
  }

 private:
  /// Whether this start leads to a solution, known or not.
  bool search(const Eigen::VectorXd& from) {
    const LeastSquaresResult found = solve_least_squares(problem_, from, solver_);
    if (found.residual_norm < result_.best_residual) {
      result_.best_residual = found.residual_norm;
      result_.nearest = found.x;
      held_ = found.held;
    }
    if (!reached(found)) return false;
    InverseKinematicsSolution solution = placed(found.x, found.residual_norm);
    if (options_.nearest) move_nearer(solution);
    for (const InverseKinematicsSolution& other : result_.solutions)
      if (same_posture(model_, turns_, other.q, solution.q, options_.distinct)) return true;
    result_.solutions.push_back(std::move(solution));
    return true;
  }

  bool reached(const LeastSquaresResult& found) {
    return found.residual_norm <= options_.tolerance && error_.closed(found.x, options_.tolerance);
  }

  InverseKinematicsSolution placed(Eigen::VectorXd q, double residual) const {
    turns_.bring_near_within_limits(start_, q);
    if (options_.start.size() == 0) turns_.take_out(q);
    const double distance = model_.difference(start_, q).norm();
    return {std::move(q), residual, distance};
  }

  std::vector<Eigen::VectorXd> closed_form() const {
    const bool turned = target_.rotation.has_value();
    if (!model_.loops().empty() || !why_no_closed_form(model_, target_.frame, turned).empty())
      return {};
    return turned ? closed_form_poses(model_, target_.frame, {*target_.rotation, target_.position})
                  : closed_form_positions(model_, target_.frame, target_.position);
  }

  /// Where the target leaves freedom, along it towards the start, within the limits.
  void move_nearer(InverseKinematicsSolution& solution) {
    constexpr int most = 100;
    constexpr double longest = 0.3;
    double factor = 1;
    for (int step = 0; step < most && factor > 1e-3; ++step) {
      Eigen::VectorXd along = way_along_solutions(solution.q);
      const double size = along.norm();
      if (!(size > 1e-9)) return;
      along *= factor * std::min(1.0, longest / size);
      const LeastSquaresResult found =
          solve_least_squares(problem_, model_.integrate(solution.q, along), solver_);
      if (!reached(found)) {
        factor /= 2;
        continue;
      }
      InverseKinematicsSolution next = placed(found.x, found.residual_norm);
      if (next.distance < solution.distance) {
        const bool settled = solution.distance - next.distance < 1e-12 * (1 + solution.distance);
        solution = std::move(next);
        factor = std::min(1.0, 2 * factor);
        if (settled) return;
      } else {
        factor /= 2;
      }
    }
  }

  /// The part of the way to the start that keeps the target; coordinates at a limit that it would
  /// pass stay.
  Eigen::VectorXd way_along_solutions(const Eigen::VectorXd& q) {
    Eigen::VectorXd r;
    Eigen::MatrixXd J;
    error_.evaluate(q, r, &J);
    Eigen::VectorXd wish = model_.difference(q, start_);
    for (int pass = 0; pass <= model_.speeds(); ++pass) {
      const Eigen::MatrixXd N = rank_by_svd(J, loop_rank_tolerance).null_space;
      const Eigen::VectorXd along = N * (N.transpose() * wish);
      const int stop = first_beyond_limit(q, along);
      if (stop < 0) return along;
      Eigen::MatrixXd more = Eigen::MatrixXd::Zero(J.rows() + 1, J.cols());
      more.topRows(J.rows()) = J;
      more(J.rows(), stop) = std::max(1.0, J.cwiseAbs().maxCoeff());
      J = more;
    }
    return Eigen::VectorXd::Zero(model_.speeds());
  }

  int first_beyond_limit(const Eigen::VectorXd& q, const Eigen::VectorXd& along) const {
    for (int k = 0; k < model_.speeds(); ++k) {
      const int entry = problem_.retract ? problem_.euclidean[k] : k;
      if (entry < 0 || std::abs(along(k)) < 1e-12) continue;
      if ((along(k) < 0 && q(entry) <= model_.lower()(entry) + 1e-12) ||
          (along(k) > 0 && q(entry) >= model_.upper()(entry) - 1e-12))
        return k;
    }
    return -1;
  }

  const Model& model_;
  const InverseKinematicsTarget& target_;
  const InverseKinematicsOptions& options_;
  PoseError error_;
  LeastSquaresProblem problem_;
  WholeTurns turns_;
  Eigen::VectorXd start_;
  LeastSquaresOptions solver_;
  std::vector<int> held_;
  InverseKinematicsResult result_;
};

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
  return PostureSearch(model, target, options).run();
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
