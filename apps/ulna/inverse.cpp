#include <CLI/App.hpp>
#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "method.hpp"
#include "robot_options.hpp"
#include "state_options.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "wrench_options.hpp"

namespace ulna::cli {
namespace {

constexpr const char* examples = R"(  ulna inverse puma560 --q 0,45deg,0,0,0,0
  ulna inverse puma560 --q 0,0.5,1,0,0,0 --v 1,0,0,0,0,0 --a 0,2,0,0,0,0 --json
  ulna inverse arm.urdf --q 0,0.5,1 --wrench hand:0,0,-20

Without --v and --a these are the efforts that hold the robot still.)";

struct Method {
  const char* name;
  const Eigen::VectorXd& (*compute)(const Model&, Workspace&, const VectorRef& q,
                                    const VectorRef& v, const VectorRef& a, ExternalWrenches);
};
constexpr Method methods[] = {{"newton-euler", inverse_dynamics}};

struct Options : RobotOptions {
  VectorOption q, v, a;
  std::optional<std::string> method;
  std::vector<std::string> wrenches;
};

int run(const Options& options) {
  const Method& method = choose_method<Method>(methods, options.method);
  const Model model = load(options);
  const Eigen::VectorXd q = coordinates_from(model, options.q), v = speeds_from(model, options.v),
                        a = accelerations_from(model, options.a);
  Workspace work(model);
  const Eigen::VectorXd& tau =
      method.compute(model, work, q, v, a, wrenches_from(model, options.wrenches));
  require_finite(tau, "tau");
  if (options.json) {
    Json out = json_object();
    out["method"] = method.name;
    out["tau"] = to_json(tau);
    print_json(out);
  } else {
    print(Table()
              .words("effort", model.speed_names())
              .numbers("tau", tau)
              .words("unit", effort_units(model))
              .text());
  }
  return 0;
}

}  // namespace

Command add_inverse(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = add_robot_command(
      program, "inverse", "Efforts that give accelerations (inverse dynamics)", examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", "Coordinates; neutral when absent");
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds; zero when absent");
  add_text(*app, "--a", options->a, "A1,A2,...", "Accelerations; zero when absent");
  add_wrench_option(*app, options->wrenches);
  add_text(*app, "--method", options->method, method_names<Method>(methods), "How to compute it");
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
