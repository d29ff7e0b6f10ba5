#include <CLI/App.hpp>
#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "loop_state.hpp"
#include "robot_options.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "ulna/kinematics/independent_speeds.hpp"

namespace ulna::cli {
namespace {

constexpr const char* examples = R"(  ulna jacobian puma560 --q 0,0.5,1,0,0.5,0
  ulna jacobian arm.urdf --q 0,0.5,1 --frame tool0 --expressed-in tool0 --json
  ulna jacobian arm.urdf --q 0,0.5,1 --point 0,0,0.1 --relative-to base
  ulna jacobian arm.urdf --q 0,0.5,1 --dot --v 1,0,0)";

struct Options : RobotOptions {
  VectorOption elastic, q, v, point;
  std::optional<std::string> frame, relative_to, expressed_in;
  bool dot = false;
};

void print_matrix(const char* title, const Model& model, const Jacobian& J) {
  print(heading(title));
  print(Table()
            .words("", {"wx", "wy", "wz", "vx", "vy", "vz"})
            .matrix(model.speed_names(), J)
            .text());
}

int run(const Options& options) {
  const Model model = load(options);
  JacobianQuery query{.frame = frame_or_tip(model, options.frame)};
  if (options.point) query.point = parse_vector("--point", *options.point, xyz(Dimension::length));
  if (options.relative_to) query.relative_to = model.frame(*options.relative_to);
  if (options.expressed_in) query.expressed_in = model.frame(*options.expressed_in);

  const RobotState state =
      closed_state(model, with_elastic(model, options.q, options.elastic), options.v);
  const Eigen::VectorXd& q = state.q;
  Workspace work(model);
  const Jacobian J = jacobian(model, work, q, query);
  require_finite(J, "the Jacobian");
  Jacobian J_dot;
  if (options.dot) {
    J_dot = jacobian_derivative(model, q, state.v, query);
    require_finite(J_dot, "the Jacobian's derivative");
  }

  // What is left of it on the independent speeds of a mechanism.
  std::vector<std::string> independent;
  Eigen::MatrixXd J_independent;
  if (!model.loops().empty()) {
    LoopClosure closure(model);
    closure.update(work, q);
    const SpeedSplit split = split_speeds(closure);
    for (int k : split.independent) independent.push_back(model.speed_names()[k]);
    J_independent = J * independent_map(closure, split).G;
  }

  if (options.json) {
    Json out = json_object();
    out["frame"] = model.frames()[query.frame].name;
    out["jacobian"] = matrix_to_json(J);
    if (!model.loops().empty()) {
      out["independent"] = independent;
      out["jacobian_independent"] = matrix_to_json(J_independent);
    }
    if (options.dot) out["jacobian_dot"] = matrix_to_json(J_dot);
    print_json(out);
  } else {
    const std::string of = model.frames()[query.frame].name;
    print_matrix(("Jacobian of " + of).c_str(), model, J);
    if (options.dot) print_matrix("\nits time derivative", model, J_dot);
    if (!model.loops().empty()) {
      print(heading("\non independent speeds"));
      print(Table()
                .words("", {"wx", "wy", "wz", "vx", "vy", "vz"})
                .matrix(independent, J_independent)
                .text());
    }
  }
  return 0;
}

}  // namespace

Command add_jacobian(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = add_robot_command(
      program, "jacobian", "The Jacobian of a frame, rotation rows first", examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "--elastic", options->elastic, "E1,E2,...", elastic_help);
  add_text(*app, "--frame", options->frame, "FRAME", "Frame or body; the tip when absent");
  add_text(*app, "--point", options->point, "X,Y,Z",
           "Point fixed to the frame, in its axes; its origin when absent");
  add_text(*app, "--relative-to", options->relative_to, "FRAME",
           "Frame that the motion is relative to; the world when absent");
  add_text(*app, "--expressed-in", options->expressed_in, "FRAME",
           "Frame whose axes are used; the world when absent");
  CLI::Option* dot =
      app->add_flag("--dot", options->dot, "Its time derivative too, for the speeds --v");
  CLI::Option* v = add_text(*app, "--v", options->v, "V1,V2,...", "Speeds, for --dot");
  dot->needs(v);
  v->needs(dot);
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
