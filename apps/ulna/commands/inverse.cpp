#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "commands/inverse_experiment.hpp"
#include "commands/inverse_loops.hpp"
#include "options/method.hpp"
#include "options/robot_options.hpp"
#include "options/wrench_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/compact_tree.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/dynamics/newton_euler_4x4.hpp"
#include "ulna/dynamics/reactions.hpp"

namespace ulna::cli::inverse_detail {
namespace {

constexpr const char* examples = R"(  ulna inverse puma560 --q 0,45deg,0,0,0,0
  ulna inverse puma560 --q 0,0.5,1,0,0,0 --v 1,0,0,0,0,0 --a 0,2,0,0,0,0 --json
  ulna inverse arm.urdf --q 0,0.5,1 --wrench hand:0,0,-20
  ulna inverse puma560 --q 0,0.5,1,0,0,0 --reactions --expressed-in world
  ulna inverse examples/intelledex605.yaml -o out/torques

Without --v and --a these are the efforts that hold the robot still. A reaction is the wrench that
the parent of a joint exerts on its child, at the joint's frame in the axes of the child. With an
experiment file instead of a robot: the efforts along its motions; joints without one move as the
experiment says.)";

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

using Reactions = std::vector<Wrench<double>>;

Reactions newton_euler_reactions(const Model& model, const VectorRef& q, const VectorRef& v,
                                 const VectorRef& a, ExternalWrenches wrenches,
                                 const ReactionQuery& query) {
  Workspace work(model);
  return JointReactions(model).compute(work, q, v, a, wrenches, query);
}

Eigen::VectorXd newton_euler_compact(const Model& model, const VectorRef& q, const VectorRef& v,
                                     const VectorRef& a, ExternalWrenches wrenches) {
  if (!wrenches.empty())
    throw InputError("--wrench does not go with --method newton-euler-compact",
                     "a method that takes external wrenches", "use --method newton-euler");
  return inverse_dynamics_compact(model, q, v, a);
}

struct Method {
  const char* name;
  Eigen::VectorXd (*compute)(const Model&, const VectorRef& q, const VectorRef& v,
                             const VectorRef& a, ExternalWrenches);
  /// Null for methods in whose equations reactions do not appear.
  Reactions (*reactions)(const Model&, const VectorRef& q, const VectorRef& v, const VectorRef& a,
                         ExternalWrenches, const ReactionQuery&);
};
constexpr Method methods[] = {
    {"newton-euler", newton_euler, newton_euler_reactions},
    {"newton-euler-compact", newton_euler_compact, nullptr},
    {"newton-euler-4x4", inverse_dynamics_newton_euler_4x4, joint_reactions_newton_euler_4x4},
    {"lagrange-4x4", inverse_dynamics_lagrange_4x4, nullptr},
    {"kane", kane, nullptr}};

struct Options : InverseOptions {
  ExperimentOptions experiment;
};

ReactionQuery query_from(const Model& model, const Options& options) {
  ReactionQuery query;
  if (options.at) query.at = model.frame(*options.at);
  if (options.expressed_in) query.expressed_in = model.frame(*options.expressed_in);
  return query;
}

/// Six columns: force, moment.
Eigen::MatrixXd rows_of(const Reactions& reactions) {
  Eigen::MatrixXd rows(reactions.size(), 6);
  for (std::size_t j = 0; j < reactions.size(); ++j)
    rows.row(static_cast<Eigen::Index>(j)) << reactions[j].force.transpose(),
        reactions[j].moment.transpose();
  return rows;
}

Json reactions_to_json(const Model& model, const Reactions& reactions) {
  Json out = Json::object();
  for (std::size_t j = 0; j < reactions.size(); ++j)
    out[model.joints()[j].name] = {{"force", to_json(reactions[j].force)},
                                   {"moment", to_json(reactions[j].moment)}};
  return out;
}

void print_reactions(const Model& model, const Options& options, const Reactions& reactions) {
  std::vector<std::string> joints, children;
  for (const Joint& joint : model.joints()) {
    joints.push_back(joint.name);
    children.push_back(model.bodies()[joint.child].name);
  }
  const Eigen::MatrixXd rows = rows_of(reactions);
  print(heading(fmt::format("\nreactions on the child, N and N m, at {}, in the axes of {}",
                            options.at ? *options.at : "the joint",
                            options.expressed_in ? *options.expressed_in : "the child")));
  print(Table()
            .words("joint", joints)
            .words("on", children)
            .matrix({"fx", "fy", "fz"}, rows.leftCols(3))
            .matrix({"mx", "my", "mz"}, rows.rightCols(3))
            .text());
}

/// The options that only a state has make no sense with an experiment.
int run_experiment(const Options& options) {
  for (const auto& [given, name] : {std::pair{options.q.has_value(), "--q"},
                                    {options.v.has_value(), "--v"},
                                    {options.a.has_value(), "--a"},
                                    {options.method.has_value(), "--method"},
                                    {options.speeds.has_value(), "--speeds"},
                                    {options.reactions, "--reactions"},
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
  const Model model = load(options);
  if (!model.loops().empty()) return run_inverse_with_loops(model, options);
  if (options.actuated || options.weights)
    throw InputError(
        Problem{{},
                options.actuated ? "--actuated" : "--weights",
                fmt::format("robot '{}' has no loops: every joint has its effort", model.name()),
                "a robot with loops",
                {}});
  const Method& method = choose_method<Method>(methods, options.method);
  const Eigen::VectorXd q = coordinates_from(model,
                                             with_elastic(model, options.q, options.elastic)),
                        v = speeds_from(model, options.v), a = accelerations_from(model, options.a);
  const std::vector<ExternalWrench> wrenches = wrenches_from(model, options.wrenches);
  if (options.speeds && method.compute != kane)
    throw InputError("--speeds goes with --method kane", "the method kane");
  if (options.reactions && !method.reactions)
    throw InputError(Problem{{},
                             "--reactions",
                             fmt::format("the equations of method '{}' have none", method.name),
                             "--method newton-euler or newton-euler-4x4",
                             {}});
  const ReactionQuery query = query_from(model, options);
  Workspace work(model);
  const Eigen::VectorXd tau =
      options.speeds
          ? Kane(model).inverse(work, q, v, a, speeds_named(model, q, v, *options.speeds), wrenches)
          : method.compute(model, q, v, a, wrenches);
  require_finite(tau, "tau");
  Reactions reactions;
  if (options.reactions) {
    reactions = method.reactions(model, q, v, a, wrenches, query);
    require_finite(rows_of(reactions), "a reaction");
  }
  if (options.json) {
    Json out = json_object();
    out["method"] = method.name;
    out["tau"] = to_json(tau);
    if (options.reactions) out["reactions"] = reactions_to_json(model, reactions);
    print_json(out);
  } else {
    print(Table()
              .words("effort", model.speed_names())
              .numbers("tau", tau)
              .words("unit", effort_units(model))
              .text());
    if (options.reactions) print_reactions(model, options, reactions);
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::inverse_detail

namespace ulna::cli {

Command add_inverse(CLI::App& program) {
  auto options = std::make_shared<inverse_detail::Options>();
  CLI::App* app =
      add_robot_command(program, "inverse", "Efforts that give accelerations (inverse dynamics)",
                        inverse_detail::examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "--elastic", options->elastic, "E1,E2,...", elastic_help);
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds; zero when absent");
  add_text(*app, "--a", options->a, "A1,A2,...", "Accelerations; zero when absent");
  add_wrench_option(*app, options->wrenches);
  add_text(*app, "--actuated", options->actuated, "NAME,...",
           "With loops: the joints that have a motor; as many as degrees of freedom, or more");
  add_text(*app, "--weights", options->weights, "W1,W2,...",
           "With more motors than needed: minimise the sum of W effort^2 (1 each)");
  add_text(*app, "--method", options->method,
           method_names<inverse_detail::Method>(inverse_detail::methods), "How to compute it");
  add_text(*app, "--speeds", options->speeds, "joint-rates|body:NAME",
           "Generalized speeds of --method kane");
  const Option reactions = add_flag(*app, "--reactions", options->reactions,
                                    "The wrench through every joint, fixed ones included");
  add_text(*app, "--at", options->at, "FRAME",
           "Reactions at this frame's origin; each joint's own frame when absent")
      .needs(reactions);
  add_text(*app, "--expressed-in", options->expressed_in, "FRAME",
           "Frame whose axes reactions use, or world; the joint's child when absent")
      .needs(reactions);
  add_text(*app, "-o,--output", options->experiment.output, "DIR",
           "With an experiment: write the run");
  return {app, [options] { return inverse_detail::run(*options); }};
}

}  // namespace ulna::cli
