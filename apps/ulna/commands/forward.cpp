#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/degrees.hpp"
#include "options/dynamics_options.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "options/speeds_options.hpp"
#include "options/wrench_options.hpp"
#include "output/closing_output.hpp"
#include "output/json_output.hpp"
#include "output/rigid_warning.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"

namespace ulna::cli::forward_detail {
namespace {

constexpr const char* examples = R"(  ulna forward puma560 --q 0,45deg,0,0,0,0 --tau 0,-50,0,0,0,0
  ulna forward puma560 --q 0,0.5,1,0,0,0 --v 1,0,0,0,0,0 --method composite-body --json
  ulna forward flexible-two-link --q 0,90deg --v 1,1 --elastic 0.01,0,0,0,0,0,0,0 --level ruthless
  ulna forward arm.urdf --q 0,0.5,1 --wrench hand:0,0,-20

Without --tau the joints move freely. Exit status 1: the mass matrix is singular.)";

struct Options : RobotOptions, DynamicsWords, SpeedWords, StateWords {
  VectorOption tau;
  std::vector<std::string> wrenches;
};

void print_accelerations(const Model& model, const Eigen::VectorXd& a) {
  print(Table()
            .words("acceleration", model.speed_names())
            .numbers("a", shown(a, speed_entries(model)))
            .words("unit", shown_units(speed_entries(model), "/s^2"))
            .text());
}

int run(const Options& options) {
  const Model model = load_at_level(options, options);
  const DynamicsOptions asked = dynamics_options(model, Question::forward, options);
  Dynamics dynamics(model, asked);
  if (options.speeds && asked.method != "kane")
    throw InputError("--speeds requires --method kane", "the method kane");
  RobotState state = closed_state(model, options);
  warn_if_rigid(model, state.q);
  warn_if_singular(model, state.q);
  const Eigen::VectorXd tau = efforts_at(model, state.q, options.tau);
  const std::vector<ExternalWrench> wrenches = wrenches_from(model, options.wrenches);
  const Eigen::VectorXd a =
      options.speeds ? Kane(model).forward(dynamics.work(), state.q, state.v, tau,
                                           speed_map(model, speeds_from(model, options), state.q,
                                                     state.v, options.time.value_or(0)),
                                           wrenches)
                     : dynamics.forward(state.q, state.v, tau, wrenches);
  require_finite(a, "a");
  state = complete_state(model, {state.q, state.v, a});
  if (!options.json) {
    print_accelerations(model, a);
    print_closing(model, state, {.rates = true, .accelerations = true});
    return 0;
  }
  Json out = json_object();
  out["method"] = dynamics.formulation(Question::forward).name;
  if (!state.closing.empty()) out["closing"] = name_of(asked.closing);
  out["a"] = to_json(a);
  add_closed_state(out, model, state, "qv", ClosingColumns{.rates = true, .accelerations = true});
  print_json(out);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::forward_detail

namespace ulna::cli {

Command add_forward(CLI::App& program) {
  auto options = std::make_shared<forward_detail::Options>();
  CLI::App* app =
      add_robot_command(program, "forward", "Accelerations under given efforts (forward dynamics)",
                        forward_detail::examples, *options);
  add_state_options(*app, *options, "qev");
  add_text(*app, "--tau", options->tau, "T1,T2,...", "Joint efforts in N m or N (default: zero)");
  add_wrench_option(*app, options->wrenches);
  add_method_option(*app, Question::forward, *options);
  add_level_option(*app, *options);
  add_closing_option(*app, *options);
  add_speeds_options(*app, *options, "Generalized speeds of --method kane");
  return {app, [options] { return forward_detail::run(*options); }};
}

}  // namespace ulna::cli
