#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "print/landmarks.hpp"
#include "trace/tracing.hpp"
#include "ulna/kinematics/kernels/loop_rows.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace generate {
namespace {

using Trace = Traced (*)(const Tracing&);

/// Robots without loops, with loops, or any: then of the spanning tree, at coordinates that close
/// the loops.
enum class RobotsOf { trees, loops, any };

/// Which of q, v, a, tau a function takes, one letter each, and what it gives.
struct FunctionKind {
  const char* name;
  const char* inputs;
  std::vector<Argument> (*outputs)(const Model&);
  Trace trace;
  RobotsOf of = RobotsOf::trees;
};

/// "joint1 (rad/s)" for every speed; efforts have units of their own.
std::vector<std::string> speed_entries(const Model& model, const std::string& rate, bool efforts) {
  std::vector<std::string> entries = model.speed_names();
  for (int k = 0; k < model.joint_speeds(); ++k) {
    const Dimension dimension = model.speed_dimensions()[k];
    const std::string unit = !efforts                         ? si_unit(dimension) + rate
                             : dimension == Dimension::length ? "N"
                                                              : "N m";
    entries[k] += fmt::format(" ({})", unit);
  }
  return entries;
}

std::vector<std::string> coordinate_entries(const Model& model) {
  std::vector<std::string> entries = model.coordinate_names();
  for (int k = 0; k < model.joint_coordinates(); ++k)
    entries[k] += fmt::format(" ({})", si_unit(model.coordinate_dimensions()[k]));
  return entries;
}

Argument speeds_argument(const Model& model, const char* name, const char* meaning,
                         const char* rate, bool efforts = false) {
  return {name, model.speeds(), 1, meaning, {}, speed_entries(model, rate, efforts)};
}

Argument efforts_argument(const Model& model, const char* name, const char* meaning) {
  return speeds_argument(model, name, meaning, "", true);
}

Argument square(const Model& model, const char* name, const char* meaning, const char* unit) {
  return {name, model.speeds(), model.speeds(), meaning, unit, {}};
}

std::vector<Argument> kinematics_outputs(const Model&) {
  return {{"position", 3, 1, "origin of the frame in the world", "m", {}},
          {"rotation", 3, 3, "axes of the frame in the world, as columns", "1", {}}};
}
std::vector<Argument> frame_poses_outputs(const Model& model) {
  const int frames = static_cast<int>(model.frames().size());
  return {{"positions", frames, 3, "origins of all frames in the world", "m", {}},
          {"rotations", 3 * frames, 3, "axes of each in the world, as columns", "1", {}}};
}
std::vector<Argument> jacobian_outputs(const Model& model) {
  return {{"J",
           6,
           model.speeds(),
           "Jacobian of the frame, world axes, rotation rows first",
           "rad or m by coordinate",
           {}}};
}
std::vector<Argument> matrices_outputs(const Model& model) {
  const int rows = 4 * (static_cast<int>(model.bodies().size()) - 1);
  return {{"relative", rows, 4, "position matrix of each body in its parent", "1, m", {}},
          {"absolute", rows, 4, "position matrix of each body in the world", "1, m", {}}};
}
std::vector<Argument> partial_velocity_outputs(const Model& model) {
  const int rows = 3 * (static_cast<int>(model.bodies().size()) - 1);
  return {{"angular",
           rows,
           model.speeds(),
           "partial angular velocities of each body, a column per speed, in its axes",
           "by speed",
           {}},
          {"linear",
           rows,
           model.speeds(),
           "partial velocities of the origin of each body, in its axes",
           "by speed",
           {}}};
}
std::vector<Argument> inverse_outputs(const Model& model) {
  return {efforts_argument(model, "tau", "efforts")};
}
std::vector<Argument> bias_outputs(const Model& model) {
  return {efforts_argument(model, "bias", "efforts without acceleration")};
}
std::vector<Argument> gravity_outputs(const Model& model) {
  return {efforts_argument(model, "gravity", "efforts that hold the robot against gravity")};
}
std::vector<Argument> mass_outputs(const Model& model) {
  return {square(model, "M", "mass matrix", "kg m^2, kg m, kg")};
}
std::vector<Argument> forward_outputs(const Model& model) {
  return {speeds_argument(model, "a", "accelerations", "/s^2")};
}
std::vector<Argument> energy_outputs(const Model&) {
  return {
      {"kinetic", 1, 1, "kinetic energy, of rotors too", "J", {}},
      {"potential", 1, 1, "potential energy, of springs too; zero at the world's origin", "J", {}}};
}
std::vector<Argument> inverse_derivative_outputs(const Model& model) {
  return {square(model, "dtau_dq", "derivatives of efforts by q (tangent)", "effort by coordinate"),
          square(model, "dtau_dv", "derivatives of efforts by v", "effort by speed"),
          square(model, "dtau_da", "the mass matrix", "effort by acceleration")};
}
std::vector<Argument> forward_derivative_outputs(const Model& model) {
  return {speeds_argument(model, "a", "accelerations", "/s^2"),
          square(model, "da_dq", "derivatives of a by q (tangent)", "acceleration by coordinate"),
          square(model, "da_dv", "derivatives of a by v", "acceleration by speed"),
          square(model, "da_dtau", "the inverse of the mass matrix", "acceleration by effort")};
}
std::vector<Argument> regressor_outputs(const Model& model) {
  const int bodies = static_cast<int>(model.bodies().size()) - 1;
  return {{"Y",
           model.speeds(),
           10 * bodies,
           "tau = Y parameters; of each body m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the "
           "origin of its frame, in its axes",
           "effort by parameter",
           {}}};
}

/// "close: row 2 (m)": turns first, then lengths.
std::vector<std::string> row_entries(const Model& model, const std::string& rate) {
  std::vector<std::string> entries;
  for (const Loop& loop : model.loops())
    for (int k = 0; k < loop.rows; ++k) {
      const std::string unit = loop.kind == LoopKind::coupling ? "its own unit"
                               : k < turn_rows(loop)           ? "rad" + rate
                                                               : "m" + rate;
      entries.push_back(fmt::format("{}: row {} ({})", loop.joint, k, unit));
    }
  return entries;
}
std::vector<Argument> loop_residual_outputs(const Model& model) {
  const std::vector<std::string> rows = row_entries(model, "");
  const int count = static_cast<int>(rows.size());
  return {{"r", count, 1, "rows of the loops, zero where they are closed", {}, rows},
          {"A", count, model.speeds(), "rates of r by v", "row by coordinate", {}},
          {"b", count, 1, "what A a must be", {}, row_entries(model, "/s^2")}};
}
std::vector<Argument> loop_forward_outputs(const Model& model) {
  return {speeds_argument(model, "a", "accelerations", "/s^2"),
          efforts_argument(model, "loads", "efforts of the loops on the tree, A' lambda")};
}
std::vector<Argument> loop_inverse_outputs(const Model& model) {
  return {efforts_argument(model, "tau", "efforts of the motors, zero elsewhere"),
          efforts_argument(model, "loads", "efforts of the loops on the tree, A' lambda")};
}

const FunctionKind kinds[] = {
    {"forward-kinematics", "q", kinematics_outputs, trace_forward_kinematics, RobotsOf::any},
    {"frame-poses", "q", frame_poses_outputs, trace_frame_poses, RobotsOf::any},
    {"jacobian", "q", jacobian_outputs, trace_jacobian, RobotsOf::any},
    {"matrices", "q", matrices_outputs, trace_matrices, RobotsOf::any},
    {"partial-velocities", "q", partial_velocity_outputs, trace_partial_velocities},
    {"inverse", "qva", inverse_outputs, trace_inverse},
    {"bias", "qv", bias_outputs, trace_bias},
    {"gravity", "q", gravity_outputs, trace_gravity},
    {"mass", "q", mass_outputs, trace_mass},
    {"forward", "qvt", forward_outputs, trace_forward},
    {"energy", "qv", energy_outputs, trace_energy},
    {"inverse-derivatives", "qva", inverse_derivative_outputs, trace_inverse_derivatives},
    {"forward-derivatives", "qvt", forward_derivative_outputs, trace_forward_derivatives},
    {"regressor", "qva", regressor_outputs, trace_regressor},
    {"loop-residual", "qv", loop_residual_outputs, trace_loop_residual, RobotsOf::loops},
    {"loop-inverse", "qva", loop_inverse_outputs, trace_loop_inverse, RobotsOf::loops},
    {"loop-forward", "qvt", loop_forward_outputs, trace_loop_forward, RobotsOf::loops}};

RobotsOf kind_of(const Model& model) {
  return model.loops().empty() ? RobotsOf::trees : RobotsOf::loops;
}

const FunctionKind& find_kind(const std::string& name) {
  std::string list;
  for (const FunctionKind& kind : kinds) {
    if (name == kind.name) return kind;
    list += (list.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw InputError(Problem{{},
                           "function",
                           fmt::format("'{}' is not available", name),
                           "one of " + list,
                           nearest_name_hint(name, function_names())});
}

/// InputError where a function is not for robots of this kind.
void check_kind(const FunctionKind& kind, const Model& model, const std::string& function) {
  if (kind.of == RobotsOf::any || kind.of == kind_of(model)) return;
  if (kind.of == RobotsOf::trees)
    throw InputError(
        fmt::format("robot '{}' has a loop closed by joint '{}': {} is generated for trees",
                    model.name(), model.loops()[0].joint, function),
        "a robot without loops",
        "with loops there are inverse, forward, loop-residual and the kinematics of frames");
  throw InputError(
      fmt::format("robot '{}' has no loops: {} is for robots with loops", model.name(), function),
      "a robot with loops", "without loops there are inverse and forward");
}

Argument input_argument(const Model& model, char letter) {
  switch (letter) {
    case 'q':
      return {"q", model.coordinates(), 1, "coordinates", {}, coordinate_entries(model)};
    case 'v':
      return speeds_argument(model, "v", "speeds", "/s");
    case 'a':
      return speeds_argument(model, "a", "accelerations", "/s^2");
    default:
      return efforts_argument(model, "tau", "efforts");
  }
}

/// Elements act in what computes efforts or accelerations, or their derivatives.
bool takes_inputs(const std::string& function) {
  for (const char* word : {"inverse", "bias", "gravity", "forward"})
    if (function.find(word) != function.npos) return function != "forward-kinematics";
  return false;
}

Expressions make_inputs(const Argument& argument) {
  Expressions inputs;
  for (int k = 0; k < argument.size(); ++k)
    inputs.push_back(Graph::current().input(fmt::format("{}[{}]", argument.name, k)));
  return inputs;
}

void make_state(const TracedFunction& f, Tracing& t) {
  t.q = zeros(t.model.coordinates());
  t.v = t.a = t.tau = zeros(t.speeds());
  t.u = zeros(input_names(t.model).size());
  for (const Argument& argument : f.inputs) {
    Expressions& symbols = argument.name == "q"   ? t.q
                           : argument.name == "v" ? t.v
                           : argument.name == "a" ? t.a
                           : argument.name == "u" ? t.u
                                                  : t.tau;
    symbols = make_inputs(argument);
  }
}

void make_parameters(TracedFunction& f, Tracing& t) {
  if (!t.options.symbolic()) {
    t.parameters = converted<Expression>(t.model.parameters());
    return;
  }
  SymbolicParameters symbolic = symbolic_parameters(t.model, t.options);
  const int count = static_cast<int>(symbolic.values.size());
  f.inputs.push_back({"p", count, 1, "parameters of the robot", {}, std::move(symbolic.names)});
  f.parameters = std::move(symbolic.values);
  t.parameters = std::move(symbolic.parameters);
}

}  // namespace

Parameters<Expression> Tracing::grouped(bool gravity) const {
  Parameters<Expression> out = parameters;
  Vector3<double> g = Vector3<double>::Zero();
  if (gravity)
    for (int k = 0; k < 3; ++k) g(k) = model.parameters().gravity[k];
  group_parameters(model.topology(), out, {g, true});
  return out;
}

int cost(std::span<const Expression> expressions) {
  const OperationCount n = count_operations(expressions);
  return n.multiplications + n.additions + 8 * (n.divisions + n.square_roots) + 30 * n.sincos_pairs;
}

Traced cheapest(std::vector<Traced> ways) {
  std::size_t best = 0;
  int least = cost(ways[0].expressions);
  for (std::size_t k = 1; k < ways.size(); ++k) {
    const int other = cost(ways[k].expressions);
    if (other < least) best = k, least = other;
  }
  return std::move(ways[best]);
}

std::vector<std::string> input_names(const Model& model) {
  std::vector<std::string> names;
  for (const Element& e : model.elements())
    if (e.input) names.push_back(e.name + " (N)");
  if (model.has_timed_elements()) names.emplace_back("t (s)");
  return names;
}

Expressions zeros(std::size_t count) { return Expressions(count, Expression(0.0)); }

Expressions by_rows(const Expressions& columns, int rows, int cols) {
  Expressions out;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) out.push_back(columns[i + rows * j]);
  return out;
}

}  // namespace generate

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const generate::FunctionKind& kind : generate::kinds) out.emplace_back(kind.name);
    return out;
  }();
  return names;
}

std::string TracedFunction::identifier() const {
  std::string out;
  for (const char c : robot + "_" + name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) && static_cast<signed char>(c) > 0;
    out += plain ? c : '_';
  }
  if (!std::isalpha(static_cast<unsigned char>(out[0]))) out = "robot_" + out;
  // MATLAB cuts names at 63 characters: the function must stay in sight.
  constexpr std::size_t longest = 55;
  if (out.size() > longest)
    out = out.substr(0, longest - name.size() - 1) + out.substr(out.size() - name.size() - 1);
  return out;
}

OperationCount TracedFunction::operations() const { return count_operations(expressions, *graph); }

namespace generate {

namespace {

/// Methods and speeds go with the functions that have a choice of them.
void check_choices(const std::string& function, const TraceOptions& options) {
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), function) != names.end();
  };
  const bool dynamics = is({"inverse", "bias", "forward", "mass", "loop-inverse", "loop-forward"});
  if (!options.method.empty() && !dynamics)
    throw InputError(Problem{{},
                             "method",
                             fmt::format("there is no choice for {}", function),
                             "the function inverse, bias, forward or mass",
                             {}});
  if (options.speeds.joint_rates() || is({"partial-velocities"})) return;
  if (options.method != "kane" || !is({"inverse", "bias", "forward"}))
    throw InputError(
        Problem{{},
                "speeds",
                fmt::format("'{}' given for {}{}", options.speeds.name, function,
                            options.method == "kane" ? "" : " without the method kane"),
                "partial-velocities, or inverse, bias or forward by the method kane",
                {}});
}

}  // namespace

std::string table_name(const Model& model, const std::string& function) {
  const bool either = function == "inverse" || function == "forward";
  return either && kind_of(model) == RobotsOf::loops ? "loop-" + function : function;
}

bool is_plain_tree(const Model& model) {
  return kind_of(model) == RobotsOf::trees && model.modes() == 0 && model.elements().empty();
}

TracedFunction described(const Model& model, const std::string& function,
                         const TraceOptions& options) {
  const FunctionKind& kind = find_kind(table_name(model, function));
  check_kind(kind, model, function);
  if (kind.of == RobotsOf::loops) model.require_rigid("generated " + function + " of loops");
  check_choices(function, options);
  if (model.speeds() == 0)
    throw InputError(fmt::format("robot '{}' has no moving joint", model.name()),
                     "a robot that moves");
  TracedFunction f;
  f.robot = model.name();
  f.name = function;
  f.outputs = kind.outputs(model);
  for (const char* letter = kind.inputs; *letter; ++letter)
    f.inputs.push_back(input_argument(model, *letter));
  const std::vector<std::string> inputs = input_names(model);
  if (!inputs.empty() && takes_inputs(kind.name))
    f.inputs.push_back(
        {"u", static_cast<int>(inputs.size()), 1, "forces of actuators and time", {}, inputs});
  return f;
}

}  // namespace generate

TracedFunction trace(const Model& model, const std::string& function, const TraceOptions& options) {
  const generate::FunctionKind& kind = generate::find_kind(generate::table_name(model, function));
  TracedFunction f = generate::described(model, function, options);
  f.graph = std::make_shared<Graph>();
  const Graph::Scope scope(*f.graph);
  generate::Tracing t{model, options, {}, {}, {}, {}, {}, {}};
  if (t.options.frame < 0) t.options.frame = model.tip_frame();
  generate::make_state(f, t);
  generate::make_parameters(f, t);
  generate::Traced traced;
  try {
    traced = model.modes() > 0 ? generate::trace_flexible(t, function) : kind.trace(t);
  } catch (const std::domain_error& error) {
    throw ComputationError(fmt::format(
        "{} of robot '{}' cannot be generated: {}; a joint of it moves no inertia, give the bodies "
        "behind it mass or a rotor",
        function, model.name(), error.what()));
  }
  f.expressions = std::move(traced.expressions);
  f.method = std::move(traced.method);
  f.loop_rows = std::move(traced.loop_rows);
  f.actuated = std::move(traced.actuated);
  // A formulation is wanted as it is; inverse dynamics of trees has been through more than that.
  const std::string_view name = kind.name;
  if (options.method.empty() && name != "inverse" && name != "bias")
    generate::shorten(f.expressions, *f.graph);
  if (!f.parameters.empty())
    generate::hoist_parameters(f);
  else if (model.modes() == 0)
    f.landmarks = std::make_shared<const generate::Landmarks>(generate::landmarks(model));
  return f;
}

}  // namespace ulna
