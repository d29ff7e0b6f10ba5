#include "ulna/kinematics/inverse_kinematics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arm/arm_axes.hpp"
#include "arm/pose_error.hpp"
#include "arm/quick_pose.hpp"
#include "loops/posture_methods.hpp"
#include "loops/posture_search.hpp"
#include "ulna/kinematics/closed_form.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/internal/least_squares.hpp"
#include "ulna/numerics/internal/rank.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

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
        error_(model, target, options.obstacles),
        problem_(problem_of(model, error_)),
        turns_(model),
        start_(options.start.size() > 0 ? model.normalized(options.start) : model.neutral()) {
    result_.method = options.method;
    solver_.max_iterations = options.iterations;
    solver_.residual_tolerance = options.tolerance * 1e-3;  // a few more steps cost little
    result_.best_residual = INFINITY;
    for (int k = 0; k < model.speeds(); ++k) speeds_.push_back(k);
  }

  InverseKinematicsResult run() {
    const bool many = options_.all || options_.nearest;
    const bool automatic = options_.method == Method::automatic;
    if (!automatic || many) by_formulas();
    if (automatic && !many && result_.solutions.empty()) by_quick_steps();
    if (automatic && !many && result_.solutions.empty()) by_formulas();
    if (result_.solutions.empty() && !uses_formulas(options_.method)) by_search(many);
    std::stable_sort(result_.solutions.begin(), result_.solutions.end(),
                     [](const auto& a, const auto& b) { return a.distance < b.distance; });
    if (!options_.all && result_.solutions.size() > 1) result_.solutions.resize(1);
    if (result_.solutions.empty()) explain();
    return std::move(result_);
  }

 private:
  using Method = InverseKinematicsMethod;
  static bool uses_formulas(Method method) {
    return method == Method::closed_form || method == Method::elimination;
  }

  Eigen::VectorXd first_start() const {
    return start_.cwiseMax(model_.lower()).cwiseMin(model_.upper());
  }

  void explain() {
    if (result_.nearest.size() > 0) turns_.bring_near_within_limits(start_, result_.nearest);
    result_.reason = uses_formulas(result_.method) && starts_ == 0
                         ? fmt::format(
                               "frame '{}' cannot reach the target within the limits of the "
                               "joints{}",
                               model_.frames()[target_.frame].name,
                               options_.obstacles.empty() ? "" : " and out of the obstacles")
                         : why_none(model_, target_, result_, starts_, held_);
    if (!blocked_.empty())
      result_.reason += "; " + blocked_ + " at a posture that reaches the target otherwise";
    else if (result_.nearest.size() > 0)
      if (const std::string inside = error_.in_obstacle(result_.nearest); !inside.empty())
        result_.reason += "; " + inside;
  }

  /// All postures at once, where the arm has formulas for them.
  void by_formulas() {
    const Method method = options_.method;
    if (method != Method::automatic && !uses_formulas(method)) return;
    const bool turned = target_.rotation.has_value();
    const std::string free =
        target_.held == all_axes ? "" : "coordinates of the target's position are free";
    const std::string why_closed =
        free.empty() ? why_no_closed_form(model_, target_.frame, turned) : free;
    const std::string why_general = !free.empty() ? free
                                    : turned      ? why_no_elimination(model_, target_.frame)
                                                  : "the target has no orientation";
    if (method == Method::closed_form && !why_closed.empty()) refuse(why_closed);
    if (method == Method::elimination && !why_general.empty()) refuse(why_general);
    if (method != Method::elimination && why_closed.empty()) {
      take_all(turned ? closed_form_poses(model_, target_.frame, goal())
                      : closed_form_positions(model_, target_.frame, target_.position));
      result_.method = Method::closed_form;
    }
    if (method == Method::closed_form || !why_general.empty() || !result_.solutions.empty()) return;
    take_all(elimination_poses(model_, target_.frame, goal()));
    result_.method = Method::elimination;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(Problem{{},
                             "method",
                             fmt::format("{} does not apply to robot '{}': {}",
                                         name_of(options_.method), model_.name(), why),
                             "another method",
                             "'automatic' chooses a method that the robot permits"});
  }

  Pose<double> goal() const { return {*target_.rotation, target_.position}; }

  void take_all(const std::vector<Eigen::VectorXd>& postures) {
    const std::vector<int> moved = arm_axes(model_, target_.frame).coordinates;
    for (const Eigen::VectorXd& posture : postures) {
      Eigen::VectorXd q = first_start();
      for (int c : moved) q(c) = posture(c);
      const std::string inside = error_.in_obstacle(q);
      if (inside.empty())
        search(q);
      else
        blocked_ = inside;
    }
  }

  void by_quick_steps() {
    QuickPose quick(model_, error_.work(), target_);
    if (!quick.applies() || !error_.pose_only()) return;
    tried_quickly_ = true;
    std::mt19937_64 generator(options_.seed);
    Eigen::VectorXd q = first_start();
    for (int trial = 0; trial <= options_.restarts; ++trial) {
      interruption_point();
      double residual = 0;
      if (quick.search(q, options_.tolerance, residual)) {
        add(placed(std::move(q), residual));
        result_.method = Method::gauss_newton;
        return;
      }
      q = model_.random(generator);
    }
  }

  void by_search(bool many) {
    if (options_.method == Method::automatic) result_.method = Method::gauss_newton;
    // Other starts than those from which the quick steps came to nothing.
    std::mt19937_64 generator(options_.seed + (tried_quickly_ ? 1'000'003u : 0u));
    Eigen::VectorXd from = first_start();
    for (int trial = 0; trial <= options_.restarts; ++trial) {
      interruption_point();
      ++starts_;
      if (search(from) && !many) break;
      from = model_.random(generator);
    }
  }

  /// Whether this start leads to a solution, known or not.
  bool search(const Eigen::VectorXd& from) {
    const LeastSquaresResult found = searched(from);
    if (found.residual_norm < result_.best_residual) {
      result_.best_residual = found.residual_norm;
      result_.nearest = found.x;
      held_ = found.held;
    }
    if (!reached(found)) return false;
    InverseKinematicsSolution solution = placed(found.x, found.residual_norm);
    if (!within_limits(solution.q)) return false;
    if (options_.nearest) move_nearer(solution);
    add(std::move(solution));
    return true;
  }

  LeastSquaresResult searched(const Eigen::VectorXd& from) {
    const Method method = result_.method;
    if (method <= Method::gauss_newton) return solve_least_squares(problem_, from, solver_);
    const PostureSearchProblem problem{model_, problem_.evaluate, error_.column_scale(), speeds_};
    // The methods of the search stand in the order of those for assemblies.
    const auto which = static_cast<AssemblyMethod>(static_cast<int>(method) -
                                                   static_cast<int>(Method::gauss_newton));
    LeastSquaresResult found;
    found.x = search_posture(problem, {which, options_.tolerance, true, options_.seed}, from).q;
    error_.evaluate(found.x, found.residual, nullptr);
    found.residual_norm = found.residual.norm();
    return found;
  }

  void add(InverseKinematicsSolution solution) {
    for (const InverseKinematicsSolution& other : result_.solutions)
      if (same_posture(model_, turns_, other.q, solution.q, options_.distinct)) return;
    result_.solutions.push_back(std::move(solution));
  }

  bool within_limits(const Eigen::VectorXd& q) const {
    return ((q - model_.lower()).array() >= -1e-9).all() &&
           ((model_.upper() - q).array() >= -1e-9).all();
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
  std::vector<int> held_, speeds_;
  std::string blocked_;  ///< what is in an obstacle where the target is reached
  int starts_ = 0;
  bool tried_quickly_ = false;
  InverseKinematicsResult result_;
};

}  // namespace

const char* name_of(InverseKinematicsMethod method) {
  constexpr const char* names[] = {"automatic", "closed-form", "elimination"};
  const int k = static_cast<int>(method),
            first = static_cast<int>(InverseKinematicsMethod::gauss_newton);
  return k < first ? names[k] : name_of(static_cast<AssemblyMethod>(k - first));
}

std::vector<InverseKinematicsMethod> inverse_kinematics_methods() {
  std::vector<InverseKinematicsMethod> all;
  for (int k = 0; k <= static_cast<int>(InverseKinematicsMethod::complex_method); ++k)
    all.push_back(static_cast<InverseKinematicsMethod>(k));
  return all;
}

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

}  // namespace ulna
