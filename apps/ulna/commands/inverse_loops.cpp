#include "commands/inverse_loops.hpp"

#include <fmt/format.h>

#include "options/wrench_options.hpp"
#include "output/json_output.hpp"
#include "output/rigid_warning.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/loop_reactions.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna::cli::inverse_loops_detail {
namespace {

LoopInverseOptions motors_from(const Model& model, const InverseOptions& options) {
  LoopInverseOptions motors;
  if (options.actuated)
    motors.actuated = speeds_named_in(model, "--actuated", *options.actuated);
  else if (const auto platform = platform_if_any(model.robot()))
    motors.actuated = drive_speeds(model, Platform(*platform));
  if (!options.weights) return motors;
  std::vector<Entry> entries;
  for (int k : motors.actuated) entries.push_back({model.speed_names()[k], Dimension::number});
  if (entries.empty())
    throw InputError(Problem{{}, "--weights", "given without --actuated", "--actuated too", {}});
  motors.weights = parse_vector("--weights", *options.weights, entries);
  return motors;
}

void refuse(const Model& model, const InverseOptions& options) {
  const auto say = [](const char* option, const std::string& what) {
    throw InputError(Problem{{}, option, what, "a robot without loops", {}});
  };
  if (options.method)
    say("--method",
        fmt::format("'{}' is for trees, and robot '{}' has loops", *options.method, model.name()));
  if (options.speeds) say("--speeds", "generalized speeds of Kane's method are for trees");
  if (options.at || options.expressed_in)
    say(options.at ? "--at" : "--expressed-in",
        "reactions of loops are at the joint, in the axes of the child");
}

/// Names of the joints and six columns, force and moment: those of the tree, then those that close
/// loops.
struct ReactionTable {
  std::vector<std::string> joints, children;
  Eigen::MatrixXd rows;
};

ReactionTable reaction_table(const Model& model, const LoopReactions& reactions) {
  ReactionTable table;
  std::vector<Wrench<double>> all = reactions.joints;
  for (const Joint& joint : model.joints()) {
    table.joints.push_back(joint.name);
    table.children.push_back(model.bodies()[joint.child].name);
  }
  for (std::size_t k = 0; k < model.loops().size(); ++k) {
    if (model.loops()[k].kind == LoopKind::coupling) continue;  // an effort, no wrench
    table.joints.push_back(model.loops()[k].joint);
    table.children.push_back(model.bodies()[model.loops()[k].child].name);
    all.push_back(reactions.loops[k]);
  }
  table.rows.resize(static_cast<Eigen::Index>(all.size()), 6);
  for (std::size_t k = 0; k < all.size(); ++k)
    table.rows.row(static_cast<Eigen::Index>(k)) << all[k].force.transpose(),
        all[k].moment.transpose();
  return table;
}

Json result_json(const Model& model, const RobotState& state, const LoopEfforts& efforts,
                 const ReactionTable& reactions, bool with_reactions) {
  Json out = json_object();
  out["method"] = "loops";
  out["tau"] = to_json(efforts.tau);
  out["dof"] = efforts.dof;
  out["actuated"] = Json::array();
  for (const int k : efforts.actuated) out["actuated"].push_back(model.speed_names()[k]);
  out["redundant_actuation"] = efforts.redundant_actuation;
  out["q"] = to_json(state.q);
  out["v"] = to_json(state.v);
  out["a"] = to_json(state.a);
  if (!with_reactions) return out;
  // Where rows are redundant the reactions are those of least norm.
  out["reactions_unique"] = !efforts.redundant_rows;
  out["reactions"] = Json::object();
  for (std::size_t k = 0; k < reactions.joints.size(); ++k) {
    const auto row = reactions.rows.row(static_cast<Eigen::Index>(k));
    out["reactions"][reactions.joints[k]] = {{"force", to_json(row.head(3).transpose())},
                                             {"moment", to_json(row.tail(3).transpose())}};
  }
  return out;
}

void print_result(const Model& model, const LoopEfforts& efforts, const ReactionTable& reactions,
                  bool with_reactions) {
  print(Table()
            .words("effort", model.speed_names())
            .numbers("tau", efforts.tau)
            .words("unit", effort_units(model))
            .text());
  std::vector<std::string> motors;
  for (const int k : efforts.actuated) motors.push_back(model.speed_names()[k]);
  print(fmt::format("  motors at {}\n", printable(fmt::format("{}", fmt::join(motors, ", ")))));
  if (efforts.redundant_actuation)
    print(fmt::format("  more motors than the {} degrees of freedom: efforts of least norm\n",
                      efforts.dof));
  if (!with_reactions) return;
  print(heading(fmt::format("\nreactions on the child, N and N m{}",
                            efforts.redundant_rows ? ", of least norm" : "")));
  print(Table()
            .words("joint", reactions.joints)
            .words("on", reactions.children)
            .matrix({"fx", "fy", "fz"}, reactions.rows.leftCols(3))
            .matrix({"mx", "my", "mz"}, reactions.rows.rightCols(3))
            .text());
}

}  // namespace
}  // namespace ulna::cli::inverse_loops_detail

namespace ulna::cli {

int run_inverse_with_loops(const Model& model, const InverseOptions& options) {
  inverse_loops_detail::refuse(model, options);
  const RobotState state = closed_state(model, options.q, options.v, options.a);
  warn_if_rigid(model, state.q);
  Workspace work(model);
  LoopDynamics loops(model);
  const std::vector<ExternalWrench> wrenches = wrenches_from(model, options.wrenches);
  const LoopEfforts efforts = loops.inverse(
      work, state.q, state.v, state.a, inverse_loops_detail::motors_from(model, options), wrenches);
  require_finite(efforts.tau, "tau");
  inverse_loops_detail::ReactionTable reactions;
  if (options.reactions) {
    reactions = inverse_loops_detail::reaction_table(
        model,
        loop_reactions(loops, model, work, state.q, state.v, state.a, efforts.lambda, wrenches));
    require_finite(reactions.rows, "a reaction");
  }
  if (options.json)
    print_json(
        inverse_loops_detail::result_json(model, state, efforts, reactions, options.reactions));
  else
    inverse_loops_detail::print_result(model, efforts, reactions, options.reactions);
  return 0;
}

}  // namespace ulna::cli
