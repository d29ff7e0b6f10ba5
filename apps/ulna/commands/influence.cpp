#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "commands/matrices_experiment.hpp"
#include "options/loop_state.hpp"
#include "options/pose_options.hpp"
#include "options/robot_options.hpp"
#include "options/wrench_options.hpp"
#include "output/json_output.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/coordinate_transfer.hpp"
#include "ulna/kinematics/internal/drive_choice.hpp"
#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna::cli::influence_detail {
namespace {

constexpr const char* examples = R"(  ulna influence puma560 --q 0,45deg,0,0,0,0 --frame wrist
  ulna influence ddts --turn=-30deg,0,0
  ulna influence ddts --inputs leg1_hinge,leg2_hinge,leg3_hinge,leg4_hinge,leg5_hinge,leg6_hinge
  ulna influence five-bar --q left=120deg,right=60deg --inputs left,right --json
  ulna influence ddts --wrench platform:-5000,0,0
  ulna influence examples/ddts.yaml -o ddts-influence.csv

Computes first and second order influence coefficients of a frame with respect to the inputs: velocity = G u,
acceleration = G u' + u' H u, rotation rows first, world axes; and the dynamics in these inputs:
effort = I* u' + u' P* u + gravity + load, where load contains the wrenches. For an experiment file, all
coefficients are evaluated at its records and -o writes them as a table. Inputs may be any joints that
determine the robot, including closing ones (leg1_ball.1). The default inputs are all speeds of a tree,
the drives of a parallel robot (of redundant ones as many as are independent), and an independent speed
of a mechanism with one degree of freedom. Only the symmetric part of a plane of H or P* has an effect.
Exit status 1: the inputs do not determine the robot at this posture.)";

struct Options : RobotOptions {
  VectorOption q, v;
  std::optional<std::string> frame, inputs, output;
  std::vector<std::string> wrenches;
  PoseOptions pose;
};

Json planes_json(const std::vector<Eigen::MatrixXd>& planes) {
  Json list = Json::array();
  for (const Eigen::MatrixXd& plane : planes) list.push_back(matrix_to_json(plane));
  return list;
}

void print_planes(const std::vector<Eigen::MatrixXd>& planes, const std::string& of,
                  const std::vector<std::string>& names) {
  for (std::size_t k = 0; k < planes.size(); ++k) {
    print(fmt::format("  {} {}\n", of, printable(names[k])));
    print(matrix_text(planes[k]));
  }
}

struct Answer {
  Eigen::VectorXd q;
  std::vector<std::string> inputs;
  std::string frame;
  CoordinateMap map;
  DynamicModel dynamics;
  std::vector<std::string> legs;
  Eigen::VectorXd drives;
  Eigen::VectorXd v;
};

Json json_of(const Answer& a, bool with_v) {
  Json out = json_object();
  out["q"] = to_json(a.q);
  out["inputs"] = a.inputs;
  out["frame"] = a.frame;
  out["G"] = matrix_to_json(a.map.G);
  out["H"] = planes_json(a.map.H);
  out["I"] = matrix_to_json(a.dynamics.I);
  out["P"] = planes_json(a.dynamics.P);
  out["gravity"] = to_json(a.dynamics.gravity);
  out["load"] = to_json(a.dynamics.load);
  if (!a.legs.empty()) {
    out["legs"] = Json::object();
    for (std::size_t k = 0; k < a.legs.size(); ++k)
      out["legs"][a.legs[k]] = a.drives(static_cast<Eigen::Index>(k));
  }
  if (with_v) {
    out["velocity_efforts"] = to_json(a.dynamics.from_velocities(a.v));
    out["coriolis"] = matrix_to_json(a.dynamics.coriolis(a.v));
  }
  return out;
}

void print_answer(const Answer& a, bool with_v) {
  if (!a.legs.empty()) {
    print(heading("legs"));
    print(Table().words("leg", a.legs).numbers("length or angle", a.drives).text());
  }
  print(heading(fmt::format("G of '{}', rotation rows first", printable(a.frame))));
  print(Table().words("", {"wx", "wy", "wz", "vx", "vy", "vz"}).matrix(a.inputs, a.map.G).text());
  print(heading("H, a plane for each row of G"));
  print_planes(a.map.H, "plane", {"wx", "wy", "wz", "vx", "vy", "vz"});
  print(heading("effective inertia I*"));
  print(Table().words("", a.inputs).matrix(a.inputs, a.dynamics.I).text());
  print(heading("inertia power array P*, a plane for each input"));
  print_planes(a.dynamics.P, "plane", a.inputs);
  print(heading("efforts that hold the weights"));
  Table weights;
  weights.words("", a.inputs).numbers("gravity", a.dynamics.gravity);
  if (!a.dynamics.load.isZero(0)) weights.numbers("load", a.dynamics.load);
  print(weights.text());
  if (!with_v) return;
  print(heading("at these speeds"));
  print(Table()
            .words("", a.inputs)
            .numbers("u'P*u", a.dynamics.from_velocities(a.v))
            .matrix(std::vector<std::string>(a.inputs.size(), "C"), a.dynamics.coriolis(a.v))
            .text());
}

/// Where the inputs fail, a platform's pose says more than its coordinates.
CoordinateMap speeds_from(const Model& model, const PlatformData* data, LoopClosure& closure,
                          Workspace& work, const Eigen::VectorXd& q,
                          const std::vector<int>& inputs) {
  try {
    return map_from_inputs(closure, work, q, inputs);
  } catch (const ComputationError& failure) {
    if (!data) throw;
    throw ComputationError(fmt::format("{}, at {}", failure.what(),
                                       pose_text(platform_pose(model, Platform(*data), q))),
                           failure.measure());
  }
}

/// The coefficients at a posture that closes the loops.
void fill(const Model& model, LoopClosure& closure, Workspace& work, int frame,
          const std::vector<int>& inputs, const std::vector<ExternalWrench>& wrenches,
          Answer& answer) {
  const CoordinateMap speeds =
      speeds_from(model, model.platform(), closure, work, answer.q, inputs);
  for (int k : inputs) answer.inputs.push_back(all_speed_names(model)[k]);
  answer.frame = model.frames()[frame].name;
  answer.dynamics = transfer(dynamic_model(model, work, answer.q, wrenches), speeds);
  answer.map = compose(influence_coefficients(model, work, frame), speeds);
  require_finite(answer.map.G, "G");
  require_finite(answer.dynamics.I, "I*");
}

/// Named inputs, or those of usual_inputs.
std::vector<int> inputs_of(const Model& model, const LoopClosure& closure,
                           const std::optional<std::string>& names) {
  model.require_rigid("the map of influence coefficients");
  if (names) return degrees_named_in(model, "--inputs", *names);
  return usual_inputs(closure);
}

/// Titles and values of everything at one record, in the order G, H, I*, P*, gravity, load.
void add_record(const Answer& a, RecordTable& table, Eigen::Index row, double t) {
  constexpr const char* parts[] = {"wx", "wy", "wz", "vx", "vy", "vz"};
  std::vector<std::string> titles = {"t[s]"};
  std::vector<double> values = {t};
  const auto add = [&](const std::string& title, double value) {
    titles.push_back(title);
    values.push_back(value);
  };
  const auto n = a.dynamics.I.rows();
  const auto name = [&](Eigen::Index k) { return a.inputs[static_cast<std::size_t>(k)]; };
  for (int r = 0; r < 6; ++r)
    for (Eigen::Index j = 0; j < n; ++j)
      add(fmt::format("G.{}.{}", parts[r], name(j)), a.map.G(r, j));
  for (int r = 0; r < 6; ++r)
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        add(fmt::format("H.{}.{}.{}", parts[r], name(i), name(j)), a.map.H[r](i, j));
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      add(fmt::format("I.{}.{}", name(i), name(j)), a.dynamics.I(i, j));
  for (Eigen::Index k = 0; k < n; ++k)
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        add(fmt::format("P.{}.{}.{}", name(k), name(i), name(j)),
            a.dynamics.P[static_cast<std::size_t>(k)](i, j));
  for (Eigen::Index k = 0; k < n; ++k) add("gravity." + name(k), a.dynamics.gravity(k));
  for (Eigen::Index k = 0; k < n; ++k) add("load." + name(k), a.dynamics.load(k));
  if (table.titles.empty()) {
    table.titles = titles;
    table.values.resize(table.values.rows(), std::ssize(titles));
  }
  table.values.row(row) = Eigen::Map<const Eigen::RowVectorXd>(values.data(), std::ssize(values));
}

int run_experiment(const Options& options) {
  refuse_beside_experiment({{options.q.has_value(), "--q"},
                            {options.v.has_value(), "--v"},
                            {options.pose.given(), "--position"},
                            {!options.wrenches.empty(), "--wrench"},
                            {options.gravity.has_value(), "--gravity"}});
  ExperimentOptions file;
  file.file = options.robot;
  file.packages = options.packages;
  file.strict = options.strict;
  file.json = options.json;
  const RecordedMotion motion = recorded_motion(file);
  const Model& model = *motion.experiment.model;
  Workspace work(model);
  LoopClosure closure(model);
  const PlatformData* data = model.platform();
  const int frame =
      !options.frame && data ? model.body(data->platform_body) : frame_or_tip(model, options.frame);
  RecordTable table;
  table.values.resize(std::ssize(motion.states), 1);
  std::vector<int> inputs;
  Json records = Json::array();
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    const RecordedState& state = motion.states[k];
    closure.update(work, state.q);
    if (inputs.empty()) inputs = inputs_of(model, closure, options.inputs);
    Answer answer;
    answer.q = state.q;
    fill(model, closure, work, frame, inputs, state.wrenches, answer);
    add_record(answer, table, static_cast<Eigen::Index>(k), state.t);
    if (options.json && !options.output) {
      Json record = json_of(answer, false);
      record["t"] = state.t;
      records.push_back(record);
    }
  }
  require_finite(table.values, "a coefficient");
  if (options.output) write_table(*options.output, table, motion.experiment.name);
  if (options.json) {
    Json out = json_object();
    out["experiment"] = motion.experiment.name;
    if (options.output)
      out["outputs"] = {*options.output};
    else
      out["records"] = records;
    print_json(out);
  } else if (options.output) {
    print(fmt::format("wrote {} ({} records of {} numbers)\n", printable(*options.output),
                      motion.states.size(), table.titles.size() - 1));
  } else {
    throw InputError("an experiment without -o or --json", "a file for the table");
  }
  return 0;
}

/// The posture of a parallel robot without closed form at the pose asked for.
Eigen::VectorXd posture_at(const Model& model, const Options& options) {
  const ParallelRobot robot(model);
  const std::string& body = model.bodies()[static_cast<std::size_t>(robot.body())].name;
  const ParallelPosture found = robot.at_pose(pose_from(robot.home().pose, options.pose, body));
  if (found.off > 1e-7)
    note(
        fmt::format("the platform cannot take this pose: the nearest one is {:.3g} m away (turns "
                    "by its radius), {}",
                    found.off, shown_pose_text(found.pose)));
  return found.q;
}

int run(const Options& options) {
  if (is_experiment_file(options.robot)) return run_experiment(options);
  if (options.output)
    throw InputError("-o requires an experiment file", "an experiment instead of a robot");
  const Model model = load(options);
  const PlatformData* data = model.platform();
  Answer answer;
  Workspace work(model);
  LoopClosure closure(model);
  std::vector<int> inputs;
  if (options.pose.given() && options.q)
    throw InputError(Problem{{}, "--q", "given together with a pose", "one of them", {}});
  int frame = frame_or_tip(model, options.frame);
  if (data) {
    const Platform platform(*data);
    answer.q = options.q
                   ? closed_state(model, options.q).q
                   : platform_posture(model, platform,
                                      pose_from(data->home, options.pose, data->platform_body));
    for (const PlatformLeg& leg : data->legs) answer.legs.push_back(leg.name);
    PlatformMotion motion(platform);
    platform.inverse(platform_pose(model, platform, answer.q), motion);
    answer.drives = motion.q();
    if (!options.frame) frame = model.body(data->platform_body);
  } else if (options.pose.given()) {
    answer.q = posture_at(model, options);
  } else {
    answer.q = closed_state(model, options.q).q;
  }
  closure.update(work, answer.q);
  inputs = inputs_of(model, closure, options.inputs);
  fill(model, closure, work, frame, inputs, wrenches_from(model, options.wrenches), answer);
  if (options.v) {
    std::vector<Entry> all = speed_entries(model), entries;
    for (const Entry& entry : closing_speed_entries(model)) all.push_back(entry);
    for (const int k : inputs) entries.push_back(all[static_cast<std::size_t>(k)]);
    answer.v = Eigen::VectorXd::Zero(std::ssize(entries));
    if (is_named(*options.v)) {
      const NamedNumbers named = parse_named("--v", *options.v, entries, "/s");
      for (std::size_t k = 0; k < named.places.size(); ++k)
        answer.v(named.places[k]) = named.values[k];
    } else {
      answer.v = parse_vector("--v", *options.v, entries, "/s");
    }
  }
  options.json ? print_json(json_of(answer, options.v.has_value()))
               : print_answer(answer, options.v.has_value());
  return 0;
}

}  // namespace
}  // namespace ulna::cli::influence_detail

namespace ulna::cli {

Command add_influence(CLI::App& program) {
  auto options = std::make_shared<influence_detail::Options>();
  CLI::App* app = add_robot_command(
      program, "influence", "Influence coefficients G and H; dynamics I* and P* in any inputs",
      influence_detail::examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_pose_options(*app, options->pose);
  add_text(*app, "--inputs", options->inputs, "NAME,...", "Joints to use as inputs");
  add_text(*app, "--frame", options->frame, "NAME",
           "Frame of G and H (default: the platform or the tip)");
  add_text(*app, "--v", options->v, "V1,...",
           "Rates of the inputs (SI); adds u'P*u and the Coriolis matrix");
  add_wrench_option(*app, options->wrenches);
  add_text(*app, "-o,--output", options->output, "FILE",
           "With an experiment: write a table of all coefficients at its records (.csv)");
  return {app, [options] { return influence_detail::run(*options); }};
}

}  // namespace ulna::cli
