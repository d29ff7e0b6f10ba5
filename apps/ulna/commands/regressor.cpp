#include <memory>

#include "command.hpp"
#include "options/loop_state.hpp"
#include "options/regressor_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::cli::regressor_detail {
namespace {

constexpr const char* examples =
    R"(  ulna regressor puma560 --q 0,0.5,1,0,0,0 --v 1,0,0,0,0,0 --a 0,2,0,0,0,0
  ulna regressor arm.urdf --q 0,0.5,1 --rotors --friction --json

tau = Y p. Efforts of force elements, and of rotors, friction and springs unless they are asked for, have
no columns; they are listed as the others of inverse dynamics. The parameters of each body are its mass m, mass times centre mx, my, mz, and the entries Ixx,
Ixy, ... of the inertia matrix about the origin of the body's frame, in its axes.)";

struct Options : RegressorOptions, StateWords {};

int run(const Options& options) {
  const Model model = load(options);
  const RobotState state = closed_state(model, options);
  Workspace work(model);
  TorqueRegressor regressor(model, options.terms());
  const Eigen::MatrixXd& Y = regressor(work, state.q, state.v, state.a);
  require_finite(Y, "Y");
  const Eigen::VectorXd tau = Y * regressor.parameters();
  require_finite(tau, "tau");
  const Eigen::VectorXd others = inverse_dynamics(model, work, state.q, state.v, state.a) - tau;
  if (options.json) {
    Json out = json_object();
    out["speeds"] = model.speed_names();
    out["parameters"] = regressor.names();
    out["values"] = to_json(regressor.parameters());
    out["Y"] = matrix_to_json(Y);
    out["tau"] = to_json(tau);
    out["others"] = to_json(others);
    print_json(out);
  } else {
    print(Table()
              .words("parameter", regressor.names())
              .numbers("value", regressor.parameters())
              .matrix(model.speed_names(), Y.transpose())
              .text());
    print("\n" + Table()
                     .words("effort", model.speed_names())
                     .numbers("Y p", tau)
                     .numbers("others", others)
                     .words("unit", effort_units(model))
                     .text());
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::regressor_detail

namespace ulna::cli {

Command add_regressor(CLI::App& program) {
  auto options = std::make_shared<regressor_detail::Options>();
  CLI::App* app = add_robot_command(
      program, "regressor", "Regressor: efforts as a linear function of inertial parameters",
      regressor_detail::examples, *options);
  add_state_options(*app, *options, "qva");
  add_term_flags(*app, *options);
  return {app, [options] { return regressor_detail::run(*options); }};
}

}  // namespace ulna::cli
