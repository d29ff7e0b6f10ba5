#include <memory>

#include "command.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/independent_speeds.hpp"

namespace ulna::cli::jacobian_detail {
namespace {

constexpr const char* examples = R"(  ulna jacobian puma560 --q 0,0.5,1,0,0.5,0
  ulna jacobian arm.urdf --q 0,0.5,1 --frame tool0 --expressed-in tool0 --json
  ulna jacobian arm.urdf --q 0,0.5,1 --point 0,0,0.1 --relative-to base
  ulna jacobian arm.urdf --q 0,0.5,1 --dot --v 1,0,0)";

struct Options : RobotOptions, StateWords {
  VectorOption point;
  std::optional<std::string> frame, relative_to, expressed_in;
  bool dot = false;
};

struct Answer {
  std::string frame;
  Jacobian J;
  std::optional<Jacobian> J_dot;
  /// What is left of J on the independent speeds, where others depend on them.
  struct Independent {
    std::vector<std::string> names;
    Eigen::MatrixXd J;
  };
  std::optional<Independent> independent;
};

JacobianQuery query_from(const Model& model, const Options& options) {
  JacobianQuery query{.frame = frame_or_tip(model, options.frame)};
  if (options.point) query.point = parse_vector("--point", *options.point, xyz(Dimension::length));
  if (options.relative_to) query.relative_to = model.frame(*options.relative_to);
  if (options.expressed_in) query.expressed_in = model.frame(*options.expressed_in);
  return query;
}

Answer answer_of(const Model& model, const Options& options) {
  const JacobianQuery query = query_from(model, options);
  const RobotState state = closed_state(model, options);
  Workspace work(model);
  Answer answer;
  answer.frame = model.frames()[query.frame].name;
  answer.J = jacobian(model, work, state.q, query);
  require_finite(answer.J, "the Jacobian");
  if (options.dot) {
    answer.J_dot = jacobian_derivative(model, state.q, state.v, query);
    require_finite(*answer.J_dot, "the Jacobian's derivative");
  }
  LoopClosure closure(model);
  closure.update(work, state.q);
  const SpeedSplit split = split_speeds(closure);
  if (split.dependent.empty()) return answer;
  answer.independent = {names_of(model, split.independent),
                        answer.J * independent_map(closure, split).G};
  return answer;
}

void print_answer_json(const Answer& answer) {
  Json out = json_object();
  out["frame"] = answer.frame;
  out["jacobian"] = matrix_to_json(answer.J);
  if (answer.independent) {
    out["independent"] = answer.independent->names;
    out["jacobian_independent"] = matrix_to_json(answer.independent->J);
  }
  if (answer.J_dot) out["jacobian_dot"] = matrix_to_json(*answer.J_dot);
  print_json(out);
}

void print_matrix(const std::string& title, const std::vector<std::string>& speeds,
                  const Eigen::MatrixXd& J) {
  print(heading(title));
  print(Table().words("", {"wx", "wy", "wz", "vx", "vy", "vz"}).matrix(speeds, J).text());
}

int run(const Options& options) {
  const Model model = load(options);
  const Answer answer = answer_of(model, options);
  if (options.json) {
    print_answer_json(answer);
    return 0;
  }
  print_matrix("Jacobian of " + answer.frame, model.speed_names(), answer.J);
  if (answer.J_dot) print_matrix("\nits time derivative", model.speed_names(), *answer.J_dot);
  if (answer.independent)
    print_matrix("\non independent speeds", answer.independent->names, answer.independent->J);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::jacobian_detail

namespace ulna::cli {

Command add_jacobian(CLI::App& program) {
  auto options = std::make_shared<jacobian_detail::Options>();
  CLI::App* app =
      add_robot_command(program, "jacobian", "The Jacobian of a frame, rotation rows first",
                        jacobian_detail::examples, *options);
  add_state_options(*app, *options, "qe");
  add_text(*app, "--frame", options->frame, "FRAME", "Frame or body (default: the tip)");
  add_text(*app, "--point", options->point, "X,Y,Z",
           "Point fixed to the frame, in its axes (default: its origin)");
  add_text(*app, "--relative-to", options->relative_to, "FRAME",
           "Frame relative to which velocities are given (default: the world)");
  add_text(*app, "--expressed-in", options->expressed_in, "FRAME",
           "Frame whose axes are used (default: the world)");
  const Option dot =
      add_flag(*app, "--dot", options->dot, "Add the time derivative, for the speeds --v");
  const Option v = add_text(*app, "--v", options->v, "V1,V2,...", "Speeds for --dot");
  dot.needs(v);
  v.needs(dot);
  return {app, [options] { return jacobian_detail::run(*options); }};
}

}  // namespace ulna::cli
