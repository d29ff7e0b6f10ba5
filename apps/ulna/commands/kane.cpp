#include "ulna/dynamics/kane_dynamics.hpp"

#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/dynamics_options.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "options/speeds_options.hpp"
#include "options/wrench_options.hpp"
#include "output/closing_output.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli::kane_detail {
namespace {

constexpr const char* examples =
    R"(  ulna kane intelledex605 --q 0.5,1.3,0.5,0.5,0.5,0.5 --v 1,-0.5,1,1,1,1 --speeds body:C
  ulna kane puma560 --q 0,0.5,1,0,0,0 --a 0,1,0,0,0,0 --speeds middle --body link6
  ulna kane four-bar --q joint1=30deg --v joint1=1 --json
  ulna kane arm.yaml --q 0,0.5 --speeds speeds.yaml --time 0.2

Prints every quantity of Kane's equations K + K* = 0, F du/dt + Z = K: generalized speeds u = Y v + y,
the inertia matrix F, the remainder Z, generalized inertia forces K*, active forces K (K_applied is the
part of gravity, springs, friction and wrenches, the rest is that of the efforts), and the partial
velocities of every body in its own axes, at the origin of its frame and at its mass centre. With loops
these are the constrained quantities, for one speed per degree of freedom. See docs/theory/kane.md.)";

struct Options : RobotOptions, DynamicsWords, SpeedWords, StateWords {
  std::vector<std::string> wrenches, bodies;
};

/// Indices into Model::bodies() of those asked for; all but the world when none was.
std::vector<int> chosen(const Model& model, const std::vector<std::string>& names) {
  std::vector<int> bodies;
  for (const std::string& name : names) {
    bodies.push_back(model.body(name));
    if (bodies.back() == 0)
      throw InputError(Problem{{}, "--body", "the world does not move", "a body of the robot", {}});
  }
  for (int k = 1; names.empty() && k < static_cast<int>(model.bodies().size()); ++k)
    bodies.push_back(k);
  return bodies;
}

Json body_to_json(const Model& model, int body, const BodyPartials& partials) {
  Json out;
  out["body"] = model.bodies()[body].name;
  out["angular"] = matrix_to_json(partials.angular);
  out["linear"] = matrix_to_json(partials.linear);
  out["centre"] = matrix_to_json(partials.centre);
  out["angular_rest"] = to_json(partials.angular_rest);
  out["linear_rest"] = to_json(partials.linear_rest);
  out["centre_rest"] = to_json(partials.centre_rest);
  if (partials.angular_rate.cols() == partials.angular.cols()) {
    out["angular_rate"] = matrix_to_json(partials.angular_rate);
    out["linear_rate"] = matrix_to_json(partials.linear_rate);
    out["centre_rate"] = matrix_to_json(partials.centre_rate);
  }
  return out;
}

void print_quantities_json(const Model& model, const GeneralizedSpeeds& speeds,
                           const RobotState& state, const KaneQuantities& k,
                           const std::vector<int>& bodies) {
  Json out = json_object();
  out["speeds"] = speeds.name;
  out["names"] = k.names;
  for (const auto& [key, vector] : {std::pair{"u", &k.u},
                                    {"u_dot", &k.u_dot},
                                    {"y", &k.y},
                                    {"Z", &k.Z},
                                    {"K_star", &k.K_star},
                                    {"K", &k.K},
                                    {"K_applied", &k.K_applied},
                                    {"tau", &k.tau}})
    out[key] = to_json(*vector);
  out["Y"] = matrix_to_json(k.Y);
  out["B"] = matrix_to_json(k.B);
  out["F"] = matrix_to_json(k.F);
  add_closed_state(out, model, state, "qva");
  out["bodies"] = Json::array();
  for (const int body : bodies)
    out["bodies"].push_back(
        body_to_json(model, body, k.bodies[static_cast<std::size_t>(body) - 1]));
  print_json(out);
}

void print_quantities(const Model& model, const KaneQuantities& k, const std::vector<int>& bodies) {
  print(heading("generalized speeds and forces"));
  print(Table()
            .words("speed", k.names)
            .numbers("u", k.u)
            .numbers("du/dt", k.u_dot)
            .numbers("K*", k.K_star)
            .numbers("K", k.K)
            .numbers("K_applied", k.K_applied)
            .numbers("Z", k.Z)
            .text());
  print(heading("\nF, inertia matrix"));
  print(Table().words("", k.names).matrix(k.names, k.F).text());
  print(heading("\nY, speeds u = Y v + y"));
  print(Table().words("", k.names).matrix(model.speed_names(), k.Y).numbers("y", k.y).text());
  print(heading("\nefforts"));
  print(Table()
            .words("effort", model.speed_names())
            .numbers("tau", k.tau)
            .words("unit", effort_units(model))
            .text());
  for (const int body : bodies) {
    const BodyPartials& p = k.bodies[static_cast<std::size_t>(body) - 1];
    Eigen::MatrixXd all(9, p.angular.cols());
    all << p.angular, p.linear, p.centre;
    print(heading(fmt::format("\npartial velocities of {}", model.bodies()[body].name)));
    print(Table()
              .words("", {"angular x", "angular y", "angular z", "origin x", "origin y", "origin z",
                          "centre x", "centre y", "centre z"})
              .matrix(k.names, all)
              .text());
  }
}

int run(const Options& options) {
  const Model model = load(options);
  const RobotState state = closed_state(model, options);
  const GeneralizedSpeeds speeds = speeds_from(model, options);
  const DynamicsOptions asked = dynamics_options(model, Question::inverse, options);
  const std::vector<ExternalWrench> wrenches = wrenches_from(model, options.wrenches);
  const std::vector<int> bodies = chosen(model, options.bodies);
  Dynamics dynamics(model, asked);  // knows whether the motors suit
  const KaneQuantities k =
      Kane(model).quantities(dynamics.work(), state.q, state.v, state.a, speeds,
                             options.time.value_or(0), wrenches, {asked.actuated, asked.weights});
  require_finite(k.F, "F");
  require_finite(k.K, "K");
  require_finite(k.tau, "tau");
  if (options.json)
    print_quantities_json(model, speeds, state, k, bodies);
  else
    print_quantities(model, k, bodies);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::kane_detail

namespace ulna::cli {

Command add_kane(CLI::App& program) {
  auto options = std::make_shared<kane_detail::Options>();
  CLI::App* app = add_robot_command(program, "kane", "All quantities of Kane's equations",
                                    kane_detail::examples, *options);
  add_state_options(*app, *options, "qva");
  add_wrench_option(*app, options->wrenches);
  add_speeds_options(*app, *options, "Generalized speeds (default: the joint rates)");
  add_actuator_options(*app, *options);
  add_texts(*app, "--body", options->bodies, "BODY",
            "Body whose partial velocities are shown; may be repeated (default: all bodies)");
  return {app, [options] { return kane_detail::run(*options); }};
}

}  // namespace ulna::cli
