#include "commands/matrices_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "options/dynamics_options.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "options/wrench_options.hpp"
#include "output/closing_output.hpp"
#include "output/json_output.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/dynamics/parts/newton_euler_4x4.hpp"

namespace ulna::cli::matrices_detail {
namespace {

constexpr const char* examples = R"(  ulna matrices scara --v 1,2,0 --a 10,20,0
  ulna matrices stanford --q 0,0.5,0.2,0,0.3,0 --body link3
  ulna matrices puma560 --q 0,0.5,1,0,0,0 --wrench link6:0,0,-20 --json
  ulna matrices four-bar --q joint1=30deg --v joint1=2
  ulna matrices examples/intelledex605.yaml -o matrices.csv

Prints twelve 4x4 matrices of each link: position M, velocity W, acceleration H, pseudo-inertia J and
actions Y; and the coefficients of tau_i = D_i + sum_j D_ij a_j + sum_jk D_ijk v_j v_k, which do not
include rotors, friction, springs and external wrenches. With loops, the links are those of the open
tree under the actions of the closing joints; the matrices of these joints are added, and the
coefficients are those on independent speeds. For an experiment file, the matrices are evaluated at the
times of its records. See docs/theory/homogeneous.md.)";

struct Options : RobotOptions, DynamicsWords, StateWords {
  std::vector<std::string> wrenches, bodies;
  std::optional<std::string> output;  ///< with an experiment
};

struct Named {
  const char* key;
  const char* title;
  Matrix4<double> matrix;
};

/// In the order in which the program of Legnani et al. prints them.
std::vector<Named> matrices_of(const LinkMatrices& link) {
  return {
      {"relative_position", "M, relative position", link.relative_position.matrix},
      {"absolute_position", "M, absolute position", link.absolute_position.matrix},
      {"relative_velocity_local", "W, relative velocity in the frame of its parent",
       link.relative_velocity_local.matrix},
      {"relative_velocity_base", "W, relative velocity in the world",
       link.relative_velocity_base.matrix},
      {"absolute_velocity", "W, absolute velocity in the world", link.absolute_velocity.matrix},
      {"relative_acceleration_local", "H, relative acceleration in the frame of its parent",
       link.relative_acceleration_local.matrix},
      {"relative_acceleration_base", "H, relative acceleration in the world",
       link.relative_acceleration_base.matrix},
      {"absolute_acceleration", "H, absolute acceleration in the world",
       link.absolute_acceleration.matrix},
      {"inertia_local", "J, inertia in its own frame", link.inertia_local.matrix},
      {"inertia_base", "J, inertia in the world", link.inertia_base.matrix},
      {"link_action", "Y, action of its inertia, weight and loads", link.link_action.matrix},
      {"joint_action", "Y, action on its joint of it and all behind", link.joint_action.matrix}};
}

/// Of a joint that closes a loop.
std::vector<Named> matrices_of(const ClosingMatrices& joint) {
  return {{"relative_position", "M, relative position", joint.relative_position.matrix},
          {"absolute_position", "M, absolute position", joint.absolute_position.matrix},
          {"relative_velocity_local", "W, relative velocity in the frame of its parent",
           joint.relative_velocity_local.matrix},
          {"relative_velocity_base", "W, relative velocity in the world",
           joint.relative_velocity_base.matrix},
          {"relative_acceleration_local", "H, relative acceleration in the frame of its parent",
           joint.relative_acceleration_local.matrix},
          {"relative_acceleration_base", "H, relative acceleration in the world",
           joint.relative_acceleration_base.matrix},
          {"joint_action", "Y, action on the joint of its child", joint.joint_action.matrix}};
}

/// The links that were asked for; all when none was.
std::vector<LinkMatrices> chosen(const Model& model, std::vector<LinkMatrices> links,
                                 const std::vector<std::string>& names) {
  if (names.empty()) return links;
  std::vector<LinkMatrices> some;
  for (const std::string& name : names) {
    const int body = model.body(name);
    const auto found = std::find_if(links.begin(), links.end(),
                                    [&](const LinkMatrices& link) { return link.body == body; });
    if (found == links.end())
      throw InputError(Problem{{}, "--body", "the world is not a link", "a body of the robot", {}});
    some.push_back(*found);
  }
  return some;
}

const std::string& joint_of(const Model& model, const LinkMatrices& link) {
  return model.joints()[link.joint].name;
}
const std::string& joint_of(const Model& model, const ClosingMatrices& joint) {
  return model.loops()[joint.loop].joint;
}

/// A link, or a joint that closes a loop.
template <class Matrices>
Json link_to_json(const Model& model, const Matrices& link) {
  Json out;
  out["body"] = model.bodies()[link.body].name;
  out["parent"] = model.bodies()[link.parent].name;
  out["joint"] = joint_of(model, link);
  for (const Named& named : matrices_of(link)) out[named.key] = matrix_to_json(named.matrix);
  out["screws"] = Json::array();
  for (const ScrewMatrix<double>& L : link.screws)
    out["screws"].push_back(matrix_to_json(L.matrix));
  return out;
}

template <class Matrices>
void print_link(const Model& model, const Matrices& link, const char* how) {
  print(heading(fmt::format("{}, {} {} through {}", model.bodies()[link.body].name, how,
                            model.bodies()[link.parent].name, joint_of(model, link))));
  const auto show = [](const std::string& title, const Matrix4<double>& X) {
    print(fmt::format("  {}\n", title));
    print(matrix_text(X));
  };
  for (const Named& named : matrices_of(link)) show(named.title, named.matrix);
  for (std::size_t k = 0; k < link.screws.size(); ++k)
    show(link.screws.size() == 1 ? "L, screw of its joint in the world"
                                 : fmt::format("L{}, screw of its joint in the world", k + 1),
         link.screws[k].matrix);
  print("\n");
}

void print_coefficients(const Model& model, const LagrangeCoefficients& D) {
  const std::vector<std::string> names = names_of(model, D.speeds);
  // A matrix of nothing but rounding reads as zero.
  const double noise = 1e-14 * (D.D_ij.size() > 0 ? D.D_ij.cwiseAbs().maxCoeff() : 0);
  print(heading("D_i, gravity"));
  print(Table().words("", names).numbers("D_i", D.D_i).text());
  print(heading("\nD_ij, inertia"));
  print(Table().words("", names).matrix(names, D.D_ij).text());
  for (std::size_t i = 0; i < D.D_ijk.size(); ++i) {
    print(heading(fmt::format("\nD_ijk, i = {}: centrifugal and Coriolis", names[i])));
    print(Table()
              .words("", names)
              .matrix(names, (D.D_ijk[i].array().abs() > noise).select(D.D_ijk[i], 0))
              .text());
  }
}

void require_finite_all(const std::vector<LinkMatrices>& links, const LagrangeCoefficients& D) {
  for (const LinkMatrices& link : links)
    for (const Named& named : matrices_of(link)) require_finite(named.matrix, named.title);
  require_finite(D.D_i, "D_i");
  require_finite(D.D_ij, "D_ij");
  for (const Eigen::MatrixXd& matrix : D.D_ijk) require_finite(matrix, "D_ijk");
}

void add_loops_to_json(const Model& model, const RobotState& state, const MechanismMatrices& all,
                       const LagrangeCoefficients& D, Json& out) {
  if (state.closing.empty()) return;
  out["closing"] = Json::array();
  for (const ClosingMatrices& joint : all.closing)
    out["closing"].push_back(link_to_json(model, joint));
  out["actions_unique"] = all.unique;
  out["tau"] = to_json(all.tau);
  out["independent"] = names_of(model, D.speeds);
  add_closed_state(out, model, state, "qva");
}

int run(const Options& options) {
  const Model model = load(options);
  const RobotState state = closed_state(model, options);
  const std::vector<ExternalWrench> wrenches = wrenches_from(model, options.wrenches);
  const DynamicsOptions asked = dynamics_options(model, Question::inverse, options);
  const Dynamics dynamics(model, asked);  // knows whether the motors suit
  const MechanismMatrices all = mechanism_matrices(model, state.q, state.v, state.a, wrenches,
                                                   {asked.actuated, asked.weights});
  const std::vector<LinkMatrices> links = chosen(model, all.links, options.bodies);
  const LagrangeCoefficients D = lagrange_coefficients(model, state.q);
  require_finite_all(links, D);
  if (options.json) {
    Json out = json_object();
    out["links"] = Json::array();
    for (const LinkMatrices& link : links) out["links"].push_back(link_to_json(model, link));
    add_loops_to_json(model, state, all, D, out);
    out["D_i"] = to_json(D.D_i);
    out["D_ij"] = matrix_to_json(D.D_ij);
    out["D_ijk"] = Json::array();
    for (const Eigen::MatrixXd& matrix : D.D_ijk) out["D_ijk"].push_back(matrix_to_json(matrix));
    print_json(out);
  } else {
    for (const LinkMatrices& link : links) print_link(model, link, "held by");
    for (const ClosingMatrices& joint : all.closing) print_link(model, joint, "closed on");
    if (!all.unique)
      print(
          "  the loops are redundant: actions through the joints that close them are the "
          "minimum-norm ones\n\n");
    print_coefficients(model, D);
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::matrices_detail

namespace ulna::cli::matrices_detail {
namespace {

struct MatricesAt {
  double t;
  std::vector<LinkMatrices> links;
  std::vector<ClosingMatrices> closing;
};

/// Titles such as link1.absolute_position.14, row and column of the matrix.
void add_columns(const std::string& name, const std::vector<Named>& matrices,
                 std::vector<std::string>& titles) {
  for (const Named& named : matrices)
    for (int entry = 0; entry < 16; ++entry)
      titles.push_back(fmt::format("{}.{}.{}{}", name, named.key, entry / 4 + 1, entry % 4 + 1));
}

/// One row per record.
RecordTable table_of(const Model& model, const std::vector<MatricesAt>& records) {
  RecordTable table;
  table.titles = {"t[s]"};
  for (const LinkMatrices& link : records.front().links)
    add_columns(model.bodies()[link.body].name, matrices_of(link), table.titles);
  for (const ClosingMatrices& joint : records.front().closing)
    add_columns("closing." + joint_of(model, joint), matrices_of(joint), table.titles);
  table.values.resize(std::ssize(records), std::ssize(table.titles));
  for (Eigen::Index r = 0; r < table.values.rows(); ++r) {
    const MatricesAt& at = records[static_cast<std::size_t>(r)];
    Eigen::Index column = 0;
    table.values(r, column++) = at.t;
    const auto add = [&](const std::vector<Named>& matrices) {
      for (const Named& named : matrices)
        for (int entry = 0; entry < 16; ++entry)
          table.values(r, column++) = named.matrix(entry / 4, entry % 4);
    };
    for (const LinkMatrices& link : at.links) add(matrices_of(link));
    for (const ClosingMatrices& joint : at.closing) add(matrices_of(joint));
  }
  return table;
}

void print_records(const Model& model, const std::vector<MatricesAt>& records) {
  for (const MatricesAt& at : records) {
    print(heading(fmt::format("t = {:.9g} s", at.t)));
    for (const LinkMatrices& link : at.links) print_link(model, link, "held by");
    for (const ClosingMatrices& joint : at.closing) print_link(model, joint, "closed on");
  }
}

Json records_to_json(const Model& model, const std::vector<MatricesAt>& records) {
  Json out = Json::array();
  for (const MatricesAt& at : records) {
    Json record = {{"t", at.t}, {"links", Json::array()}};
    for (const LinkMatrices& link : at.links) record["links"].push_back(link_to_json(model, link));
    for (const ClosingMatrices& joint : at.closing)
      record["closing"].push_back(link_to_json(model, joint));
    out.push_back(std::move(record));
  }
  return out;
}

int run_experiment(const Options& options) {
  refuse_beside_experiment({{options.q.has_value(), "--q"},
                            {options.v.has_value(), "--v"},
                            {options.a.has_value(), "--a"},
                            {!options.wrenches.empty(), "--wrench"},
                            {options.actuated.has_value(), "--actuated"},
                            {options.weights.has_value(), "--weights"},
                            {options.gravity.has_value(), "--gravity"}});
  ExperimentOptions file;
  file.file = options.robot;
  file.packages = options.packages;
  file.strict = options.strict;
  const RecordedMotion motion = recorded_motion(file);
  const Model& model = *motion.experiment.model;
  std::vector<MatricesAt> records;
  for (const RecordedState& state : motion.states) {
    MechanismMatrices all =
        mechanism_matrices(model, state.q, state.v, state.a, state.wrenches, {motion.motors, {}});
    records.push_back(
        {state.t, chosen(model, std::move(all.links), options.bodies),
         options.bodies.empty() ? std::move(all.closing) : std::vector<ClosingMatrices>{}});
  }
  const RecordTable table = table_of(model, records);
  require_finite(table.values, "a matrix");
  if (options.output) write_table(*options.output, table, motion.experiment.name);
  if (options.json) {
    Json out = json_object();
    out["experiment"] = motion.experiment.name;
    if (options.output)
      out["outputs"] = {*options.output};
    else
      out["records"] = records_to_json(model, records);
    print_json(out);
  } else if (options.output) {
    print(fmt::format("wrote {} ({} records of {} matrices)\n", printable(*options.output),
                      records.size(), (table.titles.size() - 1) / 16));
  } else {
    print_records(model, records);
  }
  return 0;
}

int run_any(const Options& options) {
  if (is_experiment_file(options.robot)) return run_experiment(options);
  if (options.output)
    throw InputError("-o requires an experiment file", "an experiment instead of a robot");
  return run(options);
}

}  // namespace
}  // namespace ulna::cli::matrices_detail

namespace ulna::cli {

Command add_matrices(CLI::App& program) {
  auto options = std::make_shared<matrices_detail::Options>();
  CLI::App* app = add_robot_command(
      program, "matrices", "4x4 matrices of every link, coefficients of Lagrange's equations",
      matrices_detail::examples, *options);
  add_state_options(*app, *options, "qva");
  add_wrench_option(*app, options->wrenches);
  add_actuator_options(*app, *options);
  add_texts(*app, "--body", options->bodies, "BODY",
            "Body whose matrices are shown; may be repeated (default: all bodies)");
  add_text(*app, "-o,--output", options->output, "FILE.csv",
           "With an experiment: write a table with a row for each record");
  return {app, [options] { return matrices_detail::run_any(*options); }};
}

}  // namespace ulna::cli
