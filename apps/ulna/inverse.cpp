#include <CLI/App.hpp>
#include <memory>

#include "command.hpp"
#include "inverse_experiment.hpp"
#include "json_output.hpp"
#include "method.hpp"
#include "robot_options.hpp"
#include "state_options.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/dynamics/newton_euler_4x4.hpp"
#include "wrench_options.hpp"

namespace ulna::cli {
namespace {

constexpr const char* examples = R"(  ulna inverse puma560 --q 0,45deg,0,0,0,0
  ulna inverse puma560 --q 0,0.5,1,0,0,0 --v 1,0,0,0,0,0 --a 0,2,0,0,0,0 --json
  ulna inverse arm.urdf --q 0,0.5,1 --wrench hand:0,0,-20

  ulna inverse examples/intelledex605.yaml -o out/torques

Without --v and --a these are the efforts that hold the robot still. With an experiment file instead
of a robot: the efforts along its motions; joints without one move as the experiment says.)";

Eigen::VectorXd newton_euler(const Model& model, const VectorRef& q, const VectorRef& v,
                             const VectorRef& a, ExternalWrenches wrenches) {
  Workspace work(model);
  return inverse_dynamics(model, work, q, v, a, wrenches);
}

Eigen::VectorXd kane(const Model& model, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                     ExternalWrenches wrenches) {
  Workspace work(model);
  return Kane(model).inverse(work, q, v, a, wrenches);
}

struct Method {
  const char* name;
  Eigen::VectorXd (*compute)(const Model&, const VectorRef& q, const VectorRef& v,
                             const VectorRef& a, ExternalWrenches);
};
constexpr Method methods[] = {{"newton-euler", newton_euler},
                              {"newton-euler-4x4", inverse_dynamics_newton_euler_4x4},
                              {"lagrange-4x4", inverse_dynamics_lagrange_4x4},
                              {"kane", kane}};

struct Options : RobotOptions {
  VectorOption q, v, a;
  std::optional<std::string> method, speeds;
  std::vector<std::string> wrenches;
  ExperimentOptions experiment;
};

/// The options that only a state has make no sense with an experiment.
int run_experiment(const Options& options) {
  for (const auto& [given, name] : {std::pair{options.q.has_value(), "--q"},
                                    {options.v.has_value(), "--v"},
                                    {options.a.has_value(), "--a"},
                                    {options.method.has_value(), "--method"},
                                    {options.speeds.has_value(), "--speeds"},
                                    {!options.wrenches.empty(), "--wrench"},
                                    {options.gravity.has_value(), "--gravity"}})
    if (given)
      throw InputError(std::string(name) + " does not go with an experiment", {},
                       "the experiment file says it");
  ExperimentOptions experiment = options.experiment;
  experiment.file = options.robot;
  experiment.packages = options.packages;
  experiment.strict = options.strict;
  experiment.json = options.json;
  return run_inverse_experiment(experiment);
}

int run(const Options& options) {
  if (is_experiment_file(options.robot)) return run_experiment(options);
  if (options.experiment.output)
    throw InputError("-o goes with an experiment file", "an experiment instead of a robot");
  const Method& method = choose_method<Method>(methods, options.method);
  const Model model = load(options);
  const Eigen::VectorXd q = coordinates_from(model, options.q), v = speeds_from(model, options.v),
                        a = accelerations_from(model, options.a);
  const std::vector<ExternalWrench> wrenches = wrenches_from(model, options.wrenches);
  if (options.speeds && method.compute != kane)
    throw InputError("--speeds goes with --method kane", "the method kane");
  Workspace work(model);
  const Eigen::VectorXd tau =
      options.speeds
          ? Kane(model).inverse(work, q, v, a, speeds_named(model, q, v, *options.speeds), wrenches)
          : method.compute(model, q, v, a, wrenches);
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
  add_text(*app, "--speeds", options->speeds, "joint-rates|body:NAME",
           "Generalized speeds of --method kane");
  add_text(*app, "-o,--output", options->experiment.output, "DIR",
           "With an experiment: write the run");
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
