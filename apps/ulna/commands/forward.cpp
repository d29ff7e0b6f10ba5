#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/loop_state.hpp"
#include "options/method.hpp"
#include "options/robot_options.hpp"
#include "options/wrench_options.hpp"
#include "output/json_output.hpp"
#include "output/rigid_warning.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/dynamics/loops.hpp"

namespace ulna::cli::forward_detail {
namespace {

constexpr const char* examples = R"(  ulna forward puma560 --q 0,45deg,0,0,0,0 --tau 0,-50,0,0,0,0
  ulna forward puma560 --q 0,0.5,1,0,0,0 --v 1,0,0,0,0,0 --method composite-body --json
  ulna forward arm.urdf --q 0,0.5,1 --wrench hand:0,0,-20

Without --tau the joints are free. Exit status 1: the mass matrix is singular.)";

template <ForwardMethod method>
Eigen::VectorXd by(const Model& model, const VectorRef& q, const VectorRef& v, const VectorRef& tau,
                   ExternalWrenches wrenches) {
  Workspace work(model);
  return forward_dynamics(model, work, q, v, tau, wrenches, method);
}

Eigen::VectorXd kane(const Model& model, const VectorRef& q, const VectorRef& v,
                     const VectorRef& tau, ExternalWrenches wrenches) {
  Workspace work(model);
  return Kane(model).forward(work, q, v, tau, joint_rate_speeds(model), wrenches);
}

struct Method {
  const char* name;
  Eigen::VectorXd (*compute)(const Model&, const VectorRef& q, const VectorRef& v,
                             const VectorRef& tau, ExternalWrenches);
};
constexpr Method methods[] = {{"automatic", by<ForwardMethod::automatic>},
                              {"articulated-body", by<ForwardMethod::articulated_body>},
                              {"composite-body", by<ForwardMethod::composite_body>},
                              {"kane", kane},
                              {"lagrange-4x4", forward_dynamics_lagrange_4x4}};

struct Options : RobotOptions {
  VectorOption elastic, q, v, tau;
  std::optional<std::string> method, speeds;
  std::vector<std::string> wrenches;
};

struct LoopChoice {
  const char* name;
  LoopMethod method;
};
constexpr LoopChoice loop_methods[] = {{"multipliers", LoopMethod::multipliers},
                                       {"embedding", LoopMethod::embedding}};

void print_accelerations(const Model& model, const Eigen::VectorXd& a) {
  print(Table()
            .words("acceleration", model.speed_names())
            .numbers("a", a)
            .words("unit", units_of(speed_entries(model), "/s^2"))
            .text());
}

int run_with_loops(const Model& model, const Options& options) {
  for (const Method& tree_method : methods)
    if (options.method == tree_method.name)
      throw InputError(Problem{{},
                               "--method",
                               fmt::format("'{}' is for trees, and robot '{}' has loops",
                                           tree_method.name, model.name()),
                               method_names<LoopChoice>(loop_methods, " or "),
                               {}});
  const LoopChoice& choice = choose_method<LoopChoice>(loop_methods, options.method);
  if (options.speeds) throw InputError("--speeds goes with --method kane", "the method kane");
  const RobotState state =
      closed_state(model, with_elastic(model, options.q, options.elastic), options.v);
  warn_if_rigid(model, state.q);
  const Eigen::VectorXd tau = efforts_from(model, options.tau);
  Workspace work(model);
  LoopDynamics loops(model);
  const Eigen::VectorXd a = loops.forward(work, state.q, state.v, tau,
                                          wrenches_from(model, options.wrenches), choice.method);
  require_finite(a, "a");
  if (options.json) {
    Json out = json_object();
    out["method"] = choice.name;
    out["a"] = to_json(a);
    out["q"] = to_json(state.q);
    out["v"] = to_json(state.v);
    print_json(out);
  } else {
    print_accelerations(model, a);
  }
  return 0;
}

int run(const Options& options) {
  const Model model = load(options);
  if (!model.loops().empty()) return run_with_loops(model, options);
  const Method& method = choose_method<Method>(methods, options.method);
  const Eigen::VectorXd q = coordinates_from(model,
                                             with_elastic(model, options.q, options.elastic)),
                        v = speeds_from(model, options.v), tau = efforts_from(model, options.tau);
  const std::vector<ExternalWrench> wrenches = wrenches_from(model, options.wrenches);
  if (options.speeds && method.compute != kane)
    throw InputError("--speeds goes with --method kane", "the method kane");
  Workspace work(model);
  const Eigen::VectorXd a =
      options.speeds ? Kane(model).forward(work, q, v, tau,
                                           speeds_named(model, q, v, *options.speeds), wrenches)
                     : method.compute(model, q, v, tau, wrenches);
  require_finite(a, "a");
  if (options.json) {
    Json out = json_object();
    out["method"] = &method == methods ? name_of(automatic_method(model)) : method.name;
    out["a"] = to_json(a);
    print_json(out);
  } else {
    print_accelerations(model, a);
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::forward_detail

namespace ulna::cli {

Command add_forward(CLI::App& program) {
  auto options = std::make_shared<forward_detail::Options>();
  CLI::App* app =
      add_robot_command(program, "forward", "Accelerations under efforts (forward dynamics)",
                        forward_detail::examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "--elastic", options->elastic, "E1,E2,...", elastic_help);
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds; zero when absent");
  add_text(*app, "--tau", options->tau, "T1,T2,...", "Efforts (N m, N); zero when absent");
  add_wrench_option(*app, options->wrenches);
  add_text(*app, "--method", options->method,
           method_names<forward_detail::Method>(forward_detail::methods) + "|" +
               method_names<forward_detail::LoopChoice>(forward_detail::loop_methods),
           "How to compute it; the last two are for robots with loops");
  add_text(*app, "--speeds", options->speeds, "joint-rates|body:NAME",
           "Generalized speeds of --method kane");
  return {app, [options] { return forward_detail::run(*options); }};
}

}  // namespace ulna::cli
