#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "command.hpp"
#include "options/degrees.hpp"
#include "options/method.hpp"
#include "options/obstacle_options.hpp"
#include "options/pose_options.hpp"
#include "options/robot_options.hpp"
#include "options/state_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/closed_form.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"

namespace ulna::cli::ik_detail {
namespace {

constexpr const char* examples = R"(  ulna ik puma560 --position 0.4,0.1,0.3
  ulna ik puma560 --position 0.4,0.1,0.3 --rotation 0,1,0,0 --all --json
  ulna ik arm.urdf --frame tool0 --position 400mm,0,0.3 --rpy 180,0,90 --degrees
  ulna fk puma560 --q 0,0.5,1,0,1,0 --frame link6 --json > there.json
  ulna ik puma560 --pose there.json --start 0,0.4,1,0,1,0
  ulna ik puma560 --position 0.4,0.1,0.3 --obstacle sphere:0.2,0,0.4,0.1 --clearance 50mm
  ulna ik puma560 --position 0.4,0.1,0.3 --rotation 0,1,0,0 --twist 0,0,0,0.1,0,0

Without a rotation the orientation is free, and only the last three numbers of --twist and --acceleration
(those of the origin) are used. Exit status 1: no solution was found; the message gives the reason.)";

struct Options : RobotOptions {
  std::optional<std::string> frame;
  PoseOptions target;
  VectorOption twist, acceleration, start;
  std::optional<std::string> restarts, seed, tolerance, method;
  ObstacleOptions obstacles;
  bool all = false, closed_form = false;
};

struct Method {
  const char* name;
  InverseKinematicsMethod method;
};

const std::vector<Method>& methods() {
  static const std::vector<Method> table = [] {
    std::vector<Method> rows;
    for (const InverseKinematicsMethod method : inverse_kinematics_methods())
      rows.push_back({name_of(method), method});
    return rows;
  }();
  return table;
}

/// What the frame does when it is there.
struct Motion {
  std::optional<Vector6<double>> twist, acceleration;
};

/// A solution with the rates that were asked for.
struct Posture {
  Eigen::VectorXd q;
  double residual, distance;
  PostureNames names;
  std::optional<JointRates> v, a;
};

std::optional<Vector6<double>> six_from(const char* option, const VectorOption& text,
                                        const char* rate) {
  if (!text) return {};
  std::vector<Entry> entries = xyz(Dimension::angle, "w");
  for (const Entry& entry : xyz(Dimension::length, "v")) entries.push_back(entry);
  return Vector6<double>(parse_vector(option, *text, entries, rate));
}

// An acceleration without a twist starts from rest.
Motion motion_from(const Options& options) {
  Motion motion{six_from("--twist", options.twist, "/s"),
                six_from("--acceleration", options.acceleration, "/s^2")};
  if (motion.acceleration && !motion.twist) motion.twist = Vector6<double>::Zero();
  return motion;
}

InverseKinematicsOptions solver_options(const Model& model, const Options& options) {
  InverseKinematicsOptions solver;
  if (options.start) solver.start = coordinates_from(model, options.start, "--start");
  solver.nearest = options.start.has_value() || !options.method;
  solver.method = options.closed_form ? InverseKinematicsMethod::closed_form
                                      : choose_method<Method>(methods(), options.method).method;
  solver.obstacles = obstacles_from(model, options.obstacles);
  if (options.restarts) solver.restarts = parse_count("--restarts", *options.restarts, 0);
  if (options.seed) solver.seed = static_cast<unsigned>(parse_count("--seed", *options.seed, 0));
  if (options.tolerance) solver.tolerance = parse_number("--tolerance", *options.tolerance);
  if (!(solver.tolerance > 0))
    throw InputError(Problem{
        {}, "--tolerance", fmt::format("{} found", *options.tolerance), "a number above zero", {}});
  solver.all = options.all || options.closed_form;
  return solver;
}

void warn_residual(const char* what, const JointRates& rates, const Vector6<double>& wanted) {
  if (rates.residual > 1e-9 * std::max(1.0, wanted.norm()))
    warn(fmt::format("{} cannot be met at this posture (rank {}): off by {:.3g}", what, rates.rank,
                     rates.residual));
}

std::vector<Posture> with_rates(const Model& model, const InverseKinematicsTarget& target,
                                const Motion& motion, const InverseKinematicsResult& found) {
  const bool position_only = !target.rotation;
  Workspace work(model);
  std::vector<Posture> postures;
  for (const InverseKinematicsSolution& solution : found.solutions) {
    Posture posture{solution.q, solution.residual, solution.distance, {}, {}, {}};
    posture.names = posture_names(model, target.frame, solution.q);
    if (motion.twist) {
      posture.v = joint_rates(model, work, posture.q, target.frame, *motion.twist, position_only);
      warn_residual("--twist", *posture.v, *motion.twist);
    }
    if (motion.acceleration) {
      posture.a = joint_accelerations(model, work, posture.q, posture.v->value, target.frame,
                                      *motion.acceleration, position_only);
      warn_residual("--acceleration", *posture.a, *motion.acceleration);
    }
    postures.push_back(std::move(posture));
  }
  return postures;
}

void print_solutions_json(const std::string& frame, const std::vector<Posture>& postures,
                          const InverseKinematicsResult& found) {
  Json out = json_object();
  out["frame"] = frame;
  out["method"] = name_of(found.method);
  out["solutions"] = Json::array();
  for (const Posture& posture : postures) {
    Json solution = {
        {"q", to_json(posture.q)}, {"residual", posture.residual}, {"distance", posture.distance}};
    if (!posture.names.empty())
      solution["posture"] = {{"shoulder", posture.names.shoulder},
                             {"elbow", posture.names.elbow},
                             {"wrist", posture.names.wrist}};
    if (posture.v) {
      solution["v"] = to_json(posture.v->value);
      solution["v_residual"] = posture.v->residual;
    }
    if (posture.a) {
      solution["a"] = to_json(posture.a->value);
      solution["a_residual"] = posture.a->residual;
    }
    out["solutions"].push_back(std::move(solution));
  }
  if (postures.empty()) {
    out["reason"] = found.reason;
    if (std::isfinite(found.best_residual) && found.nearest.allFinite()) {
      out["best_residual"] = found.best_residual;
      out["nearest"] = to_json(found.nearest);
    }
  }
  print_json(out);
}

// Solutions side by side, one column each.
void print_vectors(const char* title, const std::vector<std::string>& names,
                   const std::vector<Entry>& entries, const std::string& rate,
                   const std::vector<Posture>& postures,
                   const std::function<const Eigen::VectorXd&(const Posture&)>& part) {
  Eigen::MatrixXd values(names.size(), postures.size());
  std::vector<std::string> titles;
  for (std::size_t k = 0; k < postures.size(); ++k) {
    values.col(k) = shown(part(postures[k]), entries);
    titles.push_back(postures.size() == 1 ? title : fmt::format("{} {}", title, k + 1));
  }
  print(Table()
            .words("", names)
            .words("unit", shown_units(entries, rate))
            .matrix(titles, values)
            .text());
}

void print_solutions(const Model& model, const std::string& frame,
                     const std::vector<Posture>& postures, InverseKinematicsMethod method) {
  const auto coordinates = coordinate_entries(model), speeds = speed_entries(model);
  print_vectors("q", model.coordinate_names(), coordinates, "", postures,
                [](const Posture& p) -> const Eigen::VectorXd& { return p.q; });
  if (postures[0].v) {
    print("\n");
    print_vectors("v", model.speed_names(), speeds, "/s", postures,
                  [](const Posture& p) -> const Eigen::VectorXd& { return p.v->value; });
  }
  if (postures[0].a) {
    print("\n");
    print_vectors("a", model.speed_names(), speeds, "/s^2", postures,
                  [](const Posture& p) -> const Eigen::VectorXd& { return p.a->value; });
  }
  for (std::size_t k = 0; k < postures.size(); ++k)
    if (!postures[k].names.empty())
      print(fmt::format("{}{}: {}\n", k ? "" : "\n",
                        postures.size() == 1 ? "q" : fmt::format("q {}", k + 1),
                        postures[k].names.text()));
  double worst = 0;
  for (const Posture& posture : postures) worst = std::max(worst, posture.residual);
  print(fmt::format("\n{} solution{} for frame '{}' ({}), residual at most {:.1e} (m, rad)\n",
                    postures.size(), postures.size() == 1 ? "" : "s", printable(frame),
                    name_of(method), worst));
}

/// How many ways the robot can move at a solution without moving the target: above zero, solutions
/// form a continuum, and any list of them is a sample.
int free_directions(const Model& model, const InverseKinematicsTarget& target,
                    const Eigen::VectorXd& q) {
  if (!model.loops().empty()) return 0;
  Workspace work(model);
  update_poses(model, work, q);
  const Jacobian J = jacobian(model, work, q, {target.frame});
  int moving = 0;
  for (Eigen::Index k = 0; k < J.cols(); ++k)
    moving += (target.rotation ? J.col(k).isZero() : J.col(k).tail<3>().isZero()) ? 0 : 1;
  return moving -
         joint_rates(model, work, q, target.frame, Vector6<double>::Zero(), !target.rotation).rank;
}

int run(const Options& options) {
  const Model model = load(options);
  const int frame = frame_or_tip(model, options.frame);
  const std::string& frame_name = model.frames()[static_cast<std::size_t>(frame)].name;
  if (!options.frame)
    note(fmt::format("the target is that of frame '{}'; --frame names another", frame_name));
  const TypedPose typed = typed_pose(options.target, frame_name);
  if (!typed.position)
    throw InputError("ulna ik: --position is required", "--position, --matrix or --pose",
                     "see 'ulna ik --help'");
  const InverseKinematicsTarget target{
      .frame = frame, .position = *typed.position, .rotation = typed.rotation};
  const Motion motion = motion_from(options);
  const InverseKinematicsResult found =
      inverse_kinematics(model, target, solver_options(model, options));
  const std::vector<Posture> postures = with_rates(model, target, motion, found);
  if (options.json) print_solutions_json(frame_name, postures, found);
  if (postures.empty()) {
    error(found.reason);
    return 1;
  }
  if (!options.json) print_solutions(model, frame_name, postures, found.method);
  if (const int free = options.all ? free_directions(model, target, postures[0].q) : 0; free > 0)
    note(
        fmt::format("the target leaves the robot {} degree{} of freedom: solutions form a "
                    "continuum, and these are samples of it",
                    free, free == 1 ? "" : "s"));
  return 0;
}

}  // namespace
}  // namespace ulna::cli::ik_detail

namespace ulna::cli {

Command add_ik(CLI::App& program) {
  auto options = std::make_shared<ik_detail::Options>();
  CLI::App* app = add_robot_command(program, "ik",
                                    "Joint positions that reach a target pose (inverse kinematics)",
                                    ik_detail::examples, *options);
  add_text(*app, "--frame", options->frame, "FRAME", "Frame or body to place (default: the tip)");
  add_target_options(*app, options->target, "Target position of its origin in the world",
                     "Target orientation in the world as a quaternion (default: free)");
  add_text(*app, "--twist", options->twist, "WX,WY,WZ,VX,VY,VZ",
           "Twist of the frame at the target, world axes; adds v to each solution");
  add_text(*app, "--acceleration", options->acceleration, "WX,WY,WZ,VX,VY,VZ",
           "Acceleration of the frame at the target, world axes; adds v and a to each solution");
  add_flag(*app, "--all", options->all,
           "List all distinct solutions, the nearest to the start first");
  add_flag(*app, "--closed-form", options->closed_form, "The same as --method closed-form");
  add_text(*app, "--method", options->method, method_names<ik_detail::Method>(ik_detail::methods()),
           "Solution method (default: closed form or elimination where the arm permits it, "
           "otherwise numerical search)");
  add_obstacle_options(*app, options->obstacles);
  add_text(*app, "--start", options->start, "Q1,Q2,...",
           "Start of the search; the nearest solution is listed first");
  add_text(*app, "--restarts", options->restarts, "N",
           "Number of random starts after the first (default: 50)");
  add_text(*app, "--seed", options->seed, "N", "Seed of the random starts (default: 1)");
  add_text(*app, "--tolerance", options->tolerance, "R",
           "Largest residual (m, rad) of a reached target (default: 1e-10)");
  return {app, [options] { return ik_detail::run(*options); }};
}

}  // namespace ulna::cli
