#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "commands/inverse_experiment.hpp"
#include "commands/inverse_log.hpp"
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
#include "ulna/kinematics/influence_coefficients.hpp"

namespace ulna::cli::inverse_detail {
namespace {

constexpr const char* examples = R"(  ulna inverse puma560 --q 0,45deg,0,0,0,0
  ulna inverse puma560 --q 0,0.5,1,0,0,0 --v 1,0,0,0,0,0 --a 0,2,0,0,0,0 --json
  ulna inverse arm.urdf --q 0,0.5,1 --wrench hand:0,0,-20
  ulna inverse four-bar --q joint4=30deg --v joint4=2 --actuated joint4
  ulna inverse puma560 --q 0,0.5,1,0,0,0 --reactions --expressed-in world
  ulna inverse examples/intelledex605.yaml --reactions -o torques.csv
  ulna inverse arm.urdf --csv log.csv -o efforts.csv

Without --v and --a the result is the efforts that hold the robot at rest. With loops the motors are at
the joints whose motion is given by name, if they are as many as the degrees of freedom; otherwise they
are selected by pivoting, slides and hinges first. A reaction is the wrench that the parent of a joint exerts on its child, at the
frame of the joint and in the axes of the child; joints that close loops have one too. For an experiment
file, the efforts along its motions are computed; joints without a motion move as the experiment
prescribes, and reactions are at the joints in world axes. --csv computes the efforts along a measured
log, whose positions are filtered and differentiated, and compares them with measured efforts in it.)";

struct Options : RobotOptions, DynamicsWords, SpeedWords, StateWords {
  std::vector<std::string> wrenches;
  bool reactions = false;
  std::optional<std::string> at, expressed_in;
  ExperimentOptions experiment;
  std::optional<std::string> csv;
  LogWords log;
};

ReactionQuery query_from(const Model& model, const Options& options) {
  ReactionQuery query;
  if (options.at) query.at = model.frame(*options.at);
  if (options.expressed_in) query.expressed_in = model.frame(*options.expressed_in);
  return query;
}

/// Names of the joints and six columns, force and moment: those of the tree, then those that close
/// loops.
struct ReactionTable {
  std::vector<std::string> joints, children;
  Eigen::MatrixXd rows;
  bool unique = true;
};

ReactionTable reactions_of(const Dynamics& dynamics, const std::vector<int>& actuated,
                           const RobotState& state, const Options& options,
                           ExternalWrenches wrenches) {
  const Model& model = dynamics.model();
  DynamicsOptions asked = dynamics.options();
  if (!state.closing.empty()) asked.actuated = actuated;
  Dynamics with_motors(model, asked);
  const Reactions& found =
      with_motors.reactions(state.q, state.v, state.a, wrenches, query_from(model, options));
  ReactionTable table;
  table.unique = found.unique;
  const auto add = [&](const std::string& joint, int child, const Wrench<double>& F) {
    table.joints.push_back(joint);
    table.children.push_back(model.bodies()[child].name);
    table.rows.conservativeResize(std::ssize(table.joints), 6);
    table.rows.bottomRows<1>() << F.force.transpose(), F.moment.transpose();
  };
  table.rows.resize(0, 6);
  for (std::size_t k = 0; k < found.joints.size(); ++k)
    add(model.joints()[k].name, model.joints()[k].child, found.joints[k]);
  for (std::size_t k = 0; k < found.closing.size(); ++k) {
    const Loop& loop = model.loops()[k];
    if (loop.kind != LoopKind::coupling) add(loop.joint, loop.child, found.closing[k]);
  }
  return table;
}

Json reactions_to_json(const ReactionTable& reactions) {
  Json out = Json::object();
  for (std::size_t k = 0; k < reactions.joints.size(); ++k) {
    const auto row = reactions.rows.row(static_cast<Eigen::Index>(k));
    out[reactions.joints[k]] = {{"force", to_json(row.head(3).transpose())},
                                {"moment", to_json(row.tail(3).transpose())}};
  }
  return out;
}

void print_reactions(const Options& options, const ReactionTable& reactions) {
  print(heading(fmt::format("\nreactions on the child, N and N m, at {}, in the axes of {}{}",
                            options.at ? *options.at : "the joint",
                            options.expressed_in ? *options.expressed_in : "the child",
                            reactions.unique ? ""
                                             : ", not unique: those for which the closing joints "
                                               "carry least")));
  print(Table()
            .words("joint", reactions.joints)
            .words("on", reactions.children)
            .matrix({"fx", "fy", "fz"}, reactions.rows.leftCols(3))
            .matrix({"mx", "my", "mz"}, reactions.rows.rightCols(3))
            .text());
}

/// Modes of flexible bodies have efforts, and no motors.
bool is_mode(const Model& model, int speed) {
  return speed >= model.joint_speeds() && speed < model.speeds();
}

/// Where only some joints have motors, theirs alone: the others are zero.
void print_efforts(const Model& model, const LoopEfforts& efforts) {
  const bool some = !efforts.actuated.empty();
  std::vector<int> rows;
  for (int k = 0; k < model.speeds(); ++k)
    if (!some || std::ranges::count(efforts.actuated, k) > 0) rows.push_back(k);
  const std::vector<std::string> units = effort_units(model);
  std::vector<std::string> names, shown_units;
  for (const int k : rows) {
    names.push_back(model.speed_names()[static_cast<std::size_t>(k)]);
    shown_units.push_back(units[static_cast<std::size_t>(k)]);
  }
  const Eigen::VectorXd shown = efforts.tau(rows);
  if (model.speeds() == 0)
    print(fmt::format("robot '{}' has no degree of freedom: there are no efforts\n",
                      printable(model.name())));
  if (!rows.empty())
    print(Table().words("effort", names).numbers("tau", shown).words("unit", shown_units).text());
  std::vector<int> motors = efforts.actuated;
  std::erase_if(motors, [&](int k) { return is_mode(model, k); });
  if (some)
    print(fmt::format("  motors at {}\n",
                      printable(fmt::format("{}", fmt::join(names_of(model, motors), ", ")))));
  if (efforts.redundant_actuation)
    print(fmt::format("  more motors than the {} degrees of freedom: minimum-norm efforts\n",
                      efforts.dof));
}

Json efforts_to_json(Dynamics& dynamics, const RobotState& state, const LoopEfforts& efforts) {
  Json out = json_object();
  out["method"] = dynamics.formulation(Question::inverse).name;
  out["tau"] = to_json(efforts.tau);
  if (state.closing.empty()) return out;
  out["dof"] = efforts.dof;
  out["actuated"] = names_of(dynamics.model(), efforts.actuated);
  out["redundant_actuation"] = efforts.redundant_actuation;
  add_closed_state(
      out, dynamics.model(), state, "qva",
      ClosingColumns{.rates = true, .accelerations = true, .efforts = &efforts.closing});
  return out;
}

/// The degrees whose motion was given: by name in --a, else in --v, else in --q, or as the entries
/// of --a or --v that are not zero.
std::vector<int> moved_by_name(const Model& model, const Options& options) {
  const std::vector<std::string> known = all_speed_names(model);
  for (const VectorOption* text : {&options.a, &options.v, &options.q}) {
    if (!text->has_value()) continue;
    std::vector<int> degrees;
    if (!is_named(**text)) {
      if (text == &options.q) return {};
      const std::vector<std::string> parts = listed_names(**text);
      for (std::size_t k = 0; k < parts.size(); ++k)
        if (parts[k].find_first_of("123456789") != std::string::npos)
          degrees.push_back(static_cast<int>(k));
      return degrees;
    }
    for (const std::string& part : listed_names(**text)) {
      const auto at = std::find(known.begin(), known.end(), part.substr(0, part.find('=')));
      if (at != known.end()) degrees.push_back(static_cast<int>(at - known.begin()));
    }
    return degrees;
  }
  return {};
}

/// Where no motors are named, they are at the degrees whose motion was given, if these can drive
/// the robot; that is noted.
LoopEfforts with_given_motors(Dynamics& dynamics, const RobotState& state, const Options& options,
                              ExternalWrenches wrenches) {
  const Model& model = dynamics.model();
  const MotorChoice choice =
      motors_for_motion(dynamics, state.q, state.v, state.a, moved_by_name(model, options));
  if (choice.motors.empty()) return dynamics.inverse(state.q, state.v, state.a, wrenches);
  DynamicsOptions asked = dynamics.options();
  asked.actuated = choice.motors;
  LoopEfforts efforts = Dynamics(model, asked).inverse(state.q, state.v, state.a, wrenches);
  note_motors(model, choice);
  return efforts;
}

/// The options that only a state has make no sense with an experiment.
int run_experiment(const Options& options) {
  refuse_beside_experiment({{options.q.has_value(), "--q"},
                            {options.v.has_value(), "--v"},
                            {options.a.has_value(), "--a"},
                            {options.elastic.has_value(), "--elastic"},
                            {options.level.has_value(), "--level"},
                            {options.actuated.has_value(), "--actuated"},
                            {options.weights.has_value(), "--weights"},
                            {options.speeds.has_value(), "--speeds"},
                            {options.at.has_value(), "--at"},
                            {options.expressed_in.has_value(), "--expressed-in"},
                            {options.csv.has_value(), "--csv"},
                            {!options.wrenches.empty(), "--wrench"},
                            {options.gravity.has_value(), "--gravity"}});
  ExperimentOptions experiment = options.experiment;
  experiment.file = options.robot;
  experiment.method = options.method;
  experiment.packages = options.packages;
  experiment.strict = options.strict;
  experiment.json = options.json;
  experiment.reactions = options.reactions;
  return run_inverse_experiment(experiment);
}

void refuse_beside_log(const Options& options) {
  for (const auto& [given, name] : {std::pair{options.q.has_value(), "--q"},
                                    {options.v.has_value(), "--v"},
                                    {options.a.has_value(), "--a"},
                                    {options.speeds.has_value(), "--speeds"},
                                    {options.reactions, "--reactions"},
                                    {!options.wrenches.empty(), "--wrench"}})
    if (given)
      throw InputError(Problem{{}, name, "it does not go with --csv", "the log alone", {}});
}

int run(const Options& options) {
  if (is_experiment_file(options.robot)) return run_experiment(options);
  if (options.experiment.output && !options.csv)
    throw InputError("-o requires an experiment file or with --csv",
                     "an experiment instead of a robot, or a log");
  const Model model = load_at_level(options, options);
  const DynamicsOptions asked = dynamics_options(model, Question::inverse, options);
  Dynamics dynamics(model, asked);
  if (options.csv) {
    refuse_beside_log(options);
    return run_inverse_log(dynamics, *options.csv, options.log, options.experiment.output,
                           options.json);
  }
  if (options.speeds && options.method != "kane")
    throw InputError("--speeds requires --method kane", "the method kane");
  const RobotState state = closed_state(model, options);
  warn_if_rigid(model, state.q);
  const std::vector<ExternalWrench> wrenches = wrenches_from(model, options.wrenches);
  LoopEfforts efforts = with_given_motors(dynamics, state, options, wrenches);
  if (options.speeds)
    efforts.tau = Kane(model).inverse(
        dynamics.work(), state.q, state.v, state.a,
        speed_map(model, speeds_from(model, options), state.q, state.v, options.time.value_or(0)),
        wrenches, {efforts.actuated, asked.weights});
  require_finite(efforts.tau, "tau");
  ReactionTable reactions;
  if (options.reactions) {
    reactions = reactions_of(dynamics, efforts.actuated, state, options, wrenches);
    require_finite(reactions.rows, "a reaction");
  }
  if (options.json) {
    Json out = efforts_to_json(dynamics, state, efforts);
    if (options.reactions) {
      if (!state.closing.empty()) out["reactions_unique"] = reactions.unique;
      out["reactions"] = reactions_to_json(reactions);
    }
    print_json(out);
  } else {
    print_efforts(model, efforts);
    print_closing(model, state,
                  {.rates = true, .accelerations = true, .efforts = &efforts.closing});
    if (options.reactions) print_reactions(options, reactions);
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::inverse_detail

namespace ulna::cli {

Command add_inverse(CLI::App& program) {
  auto options = std::make_shared<inverse_detail::Options>();
  CLI::App* app = add_robot_command(
      program, "inverse", "Joint efforts and reactions for a given motion (inverse dynamics)",
      inverse_detail::examples, *options);
  add_state_options(*app, *options, "qeva");
  add_wrench_option(*app, options->wrenches);
  add_actuator_options(*app, *options);
  add_method_option(*app, Question::inverse, *options);
  add_level_option(*app, *options);
  add_speeds_options(*app, *options, "Generalized speeds of --method kane");
  const Option reactions =
      add_flag(*app, "--reactions", options->reactions,
               "Add the reaction wrench of every joint, including fixed joints");
  add_text(*app, "--at", options->at, "FRAME",
           "Frame at whose origin reactions are given (default: that of each joint)")
      .needs(reactions);
  add_text(*app, "--expressed-in", options->expressed_in, "FRAME",
           "Frame whose axes reactions use, or world (default: the child of each joint)")
      .needs(reactions);
  add_text(*app, "--csv", options->csv, "FILE",
           "Measured log (.csv) along whose motion the efforts are computed");
  add_log_options(*app, options->log);
  add_text(
      *app, "-o,--output", options->experiment.output, "DIR|FILE",
      "With an experiment: write the run, or its table (.csv); with --csv: a table (.csv) or plot "
      "(.svg, .png, .pdf)");
  return {app, [options] { return inverse_detail::run(*options); }};
}

}  // namespace ulna::cli
