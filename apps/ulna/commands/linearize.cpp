#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>

#include "command.hpp"
#include "commands/linearize_system.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "options/state_options.hpp"
#include "options/vector_text.hpp"
#include "output/closing_output.hpp"
#include "output/json_output.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/model/internal/recut.hpp"
#include "ulna/model/internal/requirements.hpp"
#include "ulna/model/parts/closing_names.hpp"
#include "ulna/simulation/internal/reference.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/state_feedback.hpp"

namespace ulna::cli::linearize_detail {
namespace {

constexpr const char* examples = R"(  ulna linearize puma560 --q 0,45deg,0,0,0,0
  ulna linearize puma560 --q 0,45deg,0,0,0,0 --frame wrist --json
  ulna linearize puma560 --lqr 100,1,0.01
  ulna linearize arm.yaml --poles=-5,-6,-4+2i,-4-2i
  ulna linearize examples/intelledex605.yaml --times 0,0.5,1 --json
  ulna linearize five-bar --q left=120deg,right=60deg --independent left,right
  ulna linearize puma560 --actuators joint2,joint3 --outputs q.joint2,frame.tool.z --bode bode.svg
  ulna linearize puma560 --sample-time 1ms --lqr 100,1,0.01 -o model.m
  ulna linearize crane.yaml --q 30deg --actuators element.jack

Without --tau the efforts are those that hold the state. The state x is the change of q (in the tangent)
and of v, the input u is the change of the efforts, and the output y is the change of q, or the rotation
and displacement of the frame. For an experiment file, the system is linearized along its motions, under
the efforts that they need. With loops, x and u have one speed per degree of freedom: those of
--independent, the drives of a platform, or a selection by pivoting. The modes of flexible bodies are
part of x. With --sample-time, A and B describe the system whose efforts are held between samples;
gains, Gramians and frequency responses are those of that system.)";

struct Options : RobotOptions, StateWords {
  VectorOption tau;
  std::optional<std::string> frame, lqr, poles, times, independent;
  std::optional<std::string> actuators, outputs, Q, R, sample_time, bode, output;
  bool gramians = false;
};

Json complex_to_json(const Eigen::VectorXcd& values) {
  Json list = Json::array();
  for (const std::complex<double>& x : values) list.push_back({x.real(), x.imag()});
  return list;
}

[[noreturn]] void refuse_pole(const std::string& text) {
  throw InputError(Problem{{},
                           "--poles",
                           fmt::format("'{}' found", text),
                           "numbers such as -5 or -4+2i, comma separated",
                           {}});
}

/// "-4+2i" or "-5".
std::complex<double> pole_from(const std::string& text) {
  double real = 0, imaginary = 0;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, real);
  if (error != std::errc()) refuse_pole(text);
  if (at == end) return {real, 0};
  const char sign = *at;
  auto [last, failed] = std::from_chars(at + 1, end, imaginary);
  if ((sign != '+' && sign != '-') || failed != std::errc() || last + 1 != end || *last != 'i')
    refuse_pole(text);
  return {real, sign == '-' ? -imaginary : imaginary};
}

Eigen::VectorXcd poles_from(const std::string& text) {
  std::vector<std::complex<double>> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    list.push_back(pole_from(text.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return Eigen::Map<const Eigen::VectorXcd>(list.data(), static_cast<long>(list.size()));
}

/// A square matrix from a file without titles.
Eigen::MatrixXd read_matrix(const std::string& option, const std::string& file, long n) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream)
    throw InputError(Problem{{file}, option, "the file cannot be read", "a file of numbers", {}});
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
  long row = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || line[0] == '#') continue;
    if (row == n) row = n + 1;
    if (row > n) break;
    M.row(row++) = parse_vector(fmt::format("{}, {}, row {}", option, file, row), line,
                                std::vector<Entry>(static_cast<std::size_t>(n), Entry{"weight"}));
  }
  if (row != n)
    throw InputError(Problem{{file},
                             option,
                             fmt::format("{} rows", row > n ? "too many" : std::to_string(row)),
                             fmt::format("{} rows of {} numbers", n, n),
                             {}});
  return M;
}

/// One number for all, a diagonal, or a file of numbers (.csv) with the whole matrix.
Eigen::MatrixXd weight_from(const std::string& option, const std::string& text, long n) {
  if (text.ends_with(".csv")) return read_matrix(option, text, n);
  const auto count = std::count(text.begin(), text.end(), ',') + 1;
  if (count == 1) return parse_number(option, text) * Eigen::MatrixXd::Identity(n, n);
  return parse_vector(option, text,
                      std::vector<Entry>(static_cast<std::size_t>(n), Entry{"weight"}))
      .asDiagonal();
}

/// Weights of --lqr, or of --Q and --R.
std::pair<Eigen::MatrixXd, Eigen::MatrixXd> weights(const Options& options, long n, long m) {
  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(n, n), R = Eigen::MatrixXd::Identity(m, m);
  if (options.lqr) {
    const Eigen::VectorXd w =
        parse_vector("--lqr", *options.lqr, {{"of q"}, {"of v"}, {"of efforts"}});
    if (!(w.array() >= 0).all() || !(w(2) > 0))
      throw InputError(Problem{{},
                               "--lqr",
                               fmt::format("'{}' found", *options.lqr),
                               "weights of q and v of 0 or more, of efforts above 0",
                               {}});
    Q.diagonal() << Eigen::VectorXd::Constant(n / 2, w(0)), Eigen::VectorXd::Constant(n / 2, w(1));
    R *= w(2);
  }
  if (options.Q) Q = weight_from("--Q", *options.Q, n);
  if (options.R) R = weight_from("--R", *options.R, m);
  return {Q, R};
}

std::optional<Eigen::MatrixXd> gains(const Options& options, const Eigen::MatrixXd& A,
                                     const Eigen::MatrixXd& B, double period) {
  const bool regulator = options.lqr || options.Q || options.R;
  if (regulator && options.poles)
    throw InputError("--lqr (--Q, --R) and --poles are two ways to choose gains", "one of them");
  if (options.poles) return place_poles(A, B, poles_from(*options.poles));
  if (!regulator) return std::nullopt;
  const auto [Q, R] = weights(options, A.rows(), B.cols());
  // The cost of a sample is that of its period.
  return period > 0 ? discrete_regulator(A, B, period * Q, period * R).K
                    : linear_quadratic_regulator(A, B, Q, R).K;
}

/// Actuators, outputs and the frame.
void choose_channels(const Options& options, const Model& model, LinearOutput& output) {
  if (options.frame && options.outputs)
    throw InputError("--frame and --outputs are two ways to choose outputs", "one of them");
  if (options.frame) output.frame = model.frame(*options.frame);
  if (options.outputs) output.outputs = listed_names(*options.outputs);
  if (!options.actuators) return;
  std::string speeds;
  for (const std::string& name : listed_names(*options.actuators)) {
    constexpr std::string_view element = "element.";
    if (name.starts_with(element))
      output.elements.push_back(model.actuator(name.substr(element.size())));
    else
      speeds += (speeds.empty() ? "" : ",") + name;
  }
  if (!speeds.empty()) output.actuators = speeds_named_in(model, "--actuators", speeds);
}

double period_of(const Options& options) {
  if (!options.sample_time) return 0;
  const double period = parse_number("--sample-time", *options.sample_time, Dimension::time);
  if (!(period > 0))
    throw InputError(
        Problem{{}, "--sample-time", fmt::format("{} s found", period), "a time above 0", {}});
  return period;
}

/// The system as it is printed: in discrete time where a sample time is given.
SystemMatrices matrices_of(const Model& model, const LinearSystem& linear, double period) {
  SystemMatrices s{linear.A, linear.B, linear.C, linear.D, period, {}, {}, linear.outputs};
  for (const char* kind : {"q ", "v "})
    for (const std::string& name : names_of(model, linear.speeds)) s.states.push_back(kind + name);
  s.inputs = names_of(model, linear.inputs);
  for (const int k : linear.elements)
    s.inputs.push_back("element." + model.elements()[static_cast<std::size_t>(k)].name);
  if (period > 0) {
    const DiscreteSystem discrete = discretize(linear.A, linear.B, period);
    s.A = discrete.A;
    s.B = discrete.B;
  }
  return s;
}

std::string pole_text(const Eigen::VectorXcd& values) {
  std::string text;
  for (const std::complex<double>& x : values)
    text += x.imag() == 0 ? fmt::format("  {:.7g}\n", x.real())
                          : fmt::format("  {:.7g}{:+.7g}i\n", x.real(), x.imag());
  return text;
}

/// As many as the text has.
std::vector<Entry> entries_of(const std::string& name, const std::string& text) {
  return std::vector<Entry>(static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1,
                            Entry{name, Dimension::time});
}

/// The linear system, and the gains asked for, at one time of a motion.
struct Station {
  double t;
  Eigen::VectorXd q, v, tau;
  LinearSystem linear;
  std::optional<Eigen::MatrixXd> K;
};

Station station_at(const Options& options, const Model& model, Reference& reference, double t) {
  reference.update(t);
  Workspace work(model);
  Station s{t, reference.q, reference.v, {}, {}, {}};
  s.tau = inverse_dynamics(model, work, s.q, s.v, reference.a);
  LinearOutput output;
  choose_channels(options, model, output);
  s.linear = linearize(model, s.q, s.v, s.tau, output);
  require_finite(s.linear.A, "A");
  require_finite(s.linear.B, "B");
  s.K = gains(options, s.linear.A, s.linear.B, 0);
  return s;
}

int run_along(const Options& options) {
  refuse_beside_experiment({{options.q.has_value(), "--q"},
                            {options.v.has_value(), "--v"},
                            {options.tau.has_value(), "--tau"}},
                           "the motion says it; --times says when");
  for (const auto& [given, name] : {std::pair{options.sample_time.has_value(), "--sample-time"},
                                    {options.bode.has_value(), "--bode"},
                                    {options.output.has_value(), "--output"},
                                    {options.gramians, "--gramians"}})
    if (given)
      throw InputError(std::string(name) + " is for one state, not for times of a motion",
                       "a robot and its posture");
  const Experiment experiment = read_experiment(options.robot, read_options(options)).experiment;
  const Model& model = *experiment.model;
  model.require_tree("linearization along motions");
  Reference reference(experiment);
  Eigen::VectorXd times = Eigen::VectorXd::LinSpaced(11, 0, experiment.end);
  if (options.times)
    times = parse_vector("--times", *options.times, entries_of("t", *options.times));
  Json points = Json::array();
  std::vector<std::string> fastest;
  Eigen::VectorXd growth(times.size());
  for (long k = 0; k < times.size(); ++k) {
    if (!(times(k) >= 0) || times(k) > experiment.end)
      throw InputError(fmt::format("--times: {} s", times(k)),
                       fmt::format("times from 0 to {} s", experiment.end));
    const Station s = station_at(options, model, reference, times(k));
    const Eigen::VectorXcd open = poles(s.linear.A);
    growth(k) = open.size() > 0 ? open(0).real() : 0;
    Json point = {{"t", s.t},
                  {"q", to_json(s.q)},
                  {"v", to_json(s.v)},
                  {"tau", to_json(s.tau)},
                  {"A", matrix_to_json(s.linear.A)},
                  {"B", matrix_to_json(s.linear.B)},
                  {"C", matrix_to_json(s.linear.C)},
                  {"D", matrix_to_json(s.linear.D)},
                  {"poles", complex_to_json(open)}};
    if (s.K) {
      point["K"] = matrix_to_json(*s.K);
      point["closed_loop_poles"] = complex_to_json(poles(s.linear.A - s.linear.B * *s.K));
    }
    points.push_back(std::move(point));
  }
  if (options.json) {
    Json out = json_object();
    out["points"] = std::move(points);
    print_json(out);
    return 0;
  }
  print(heading(
      fmt::format("{} along its motion: the pole that grows fastest, 1/s", experiment.name)));
  print(Table().numbers("t [s]", times).numbers("real part", growth).text());
  print("\n--json has A, B, C, D and all poles at each time\n");
  return 0;
}

/// Joints that close loops may be independent, too: then others of their loops are cut.
std::shared_ptr<const Model> load_with_independent(const Options& options) {
  const auto model = std::make_shared<const Model>(load(options));
  if (!options.independent) return model;
  require_loops(*model, "--independent", ": all speeds are independent");
  const std::string list = "," + *options.independent + ",";
  std::vector<std::string> joints;
  for (const Loop& loop : model->loops())
    for (const std::string& name : closing_speed_names(loop))
      if (list.find("," + name + ",") != list.npos) joints.push_back(loop.joint);
  if (joints.empty()) return model;
  for (const auto& [option, text] :
       {std::pair{"--q", &options.q}, {"--v", &options.v}, {"--tau", &options.tau}})
    if (*text && !is_named(**text))
      throw InputError(
          Problem{{},
                  option,
                  fmt::format("a list, while '{}' of --independent closes a loop: with another "
                              "joint cut the coordinates are others",
                              joints[0]),
                  "values by name, such as joint1=0.3",
                  {}});
  for (const Joint& joint : model->joints())
    if (list.find("," + joint.name + ",") != list.npos) joints.push_back(joint.name);
  return with_joints_in_tree(model, joints);
}

int run(const Options& options) {
  if (is_experiment_file(options.robot)) return run_along(options);
  if (options.times) throw InputError("--times requires an experiment file");
  const std::shared_ptr<const Model> loaded = load_with_independent(options);
  const Model& model = *loaded;
  LinearOutput output;
  choose_channels(options, model, output);
  const RobotState state = closed_state(model, options);
  const Eigen::VectorXd &q = state.q, &v = state.v;
  output.independent = independent_for_linearization(
      model, q,
      options.independent ? speeds_named_in(model, "--independent", *options.independent)
                          : std::vector<int>{});
  const Eigen::VectorXd tau = options.tau ? efforts_from(model, options.tau)
                                          : holding_efforts(model, q, v, output.independent);
  const LinearSystem linear = linearize(model, q, v, tau, output);
  require_finite(linear.A, "A");
  require_finite(linear.B, "B");
  const double period = period_of(options);
  const SystemMatrices system = matrices_of(model, linear, period);
  const Eigen::VectorXcd open = poles(system.A);
  const std::optional<Eigen::MatrixXd> K = gains(options, system.A, system.B, period);
  const Eigen::VectorXcd closed = K ? poles(system.A - system.B * *K) : Eigen::VectorXcd();
  std::optional<Gramians> grams;
  if (options.gramians)
    grams = period > 0 ? discrete_gramians(system.A, system.B, system.C)
                       : gramians(system.A, system.B, system.C);
  if (options.bode)
    write_bode(*options.bode, bode_table(system), "Frequency response of " + model.name());
  if (options.output) write_system(*options.output, system, K);
  if (options.json) {
    Json out = json_object();
    add_system(out, system);
    out["poles"] = complex_to_json(open);
    out["tau"] = to_json(tau);
    out["a"] = to_json(linear.acceleration);
    out["speeds"] = names_of(model, linear.speeds);
    add_closed_state(out, model, state, "qv");
    if (grams) add_gramians(out, *grams);
    if (K) {
      out["K"] = matrix_to_json(*K);
      out["closed_loop_poles"] = complex_to_json(closed);
    }
    print_json(out);
    return 0;
  }
  print(heading("A"));
  print(Table().words("", system.states).matrix(system.states, system.A).text());
  print(heading("\nB"));
  print(Table().words("", system.states).matrix(system.inputs, system.B).text());
  if (options.outputs || options.frame) {
    print(heading("\nC"));
    print(Table().words("", system.outputs).matrix(system.states, system.C).text());
  }
  const char* const unit = period > 0 ? "" : ", 1/s";
  print(heading(fmt::format("\nPoles{}", unit)));
  print(pole_text(open));
  if (K) {
    print(heading("\nGains, u = -K x"));
    print(Table().words("", system.inputs).matrix(system.states, *K).text());
    print(heading(fmt::format("\nPoles with these gains{}", unit)));
    print(pole_text(closed));
  }
  if (grams) {
    print(heading("\nHankel's singular values"));
    for (const double x : grams->hankel) print(fmt::format("  {:.7g}\n", x));
  }
  for (const auto& file : {options.bode, options.output})
    if (file) print(fmt::format("wrote     {}\n", *file));
  return 0;
}

}  // namespace
}  // namespace ulna::cli::linearize_detail

namespace ulna::cli {

Command add_linearize(CLI::App& program) {
  auto options = std::make_shared<linearize_detail::Options>();
  CLI::App* app = add_robot_command(
      program, "linearize", "Linear state-space model near a state, poles and feedback gains",
      linearize_detail::examples, *options);
  add_state_options(*app, *options, "qv");
  add_text(*app, "--tau", options->tau, "T1,T2,...",
           "Joint efforts (default: those that hold the state)");
  add_text(*app, "--frame", options->frame, "FRAME",
           "Use the rotation and displacement of this frame as output");
  add_text(*app, "--independent", options->independent, "NAMES",
           "With loops: the independent speeds of x and u, one for each degree of freedom");
  add_text(*app, "--actuators", options->actuators, "NAMES",
           "Inputs u: names of speeds for their efforts, then element.NAME for forces of actuator "
           "elements (default: the "
           "efforts of x)");
  add_text(*app, "--outputs", options->outputs, "NAMES",
           "y: q, v, q.NAME, v.NAME, frame.NAME, or one of rx, ry, rz, x, y, z of a frame");
  add_text(*app, "--sample-time", options->sample_time, "TIME",
           "Sample time of the discrete-time system, whose efforts are held between samples");
  add_text(*app, "--lqr", options->lqr, "QQ,QV,R",
           "Compute LQR gains with these weights of q, v and efforts");
  add_text(*app, "--Q", options->Q, "WEIGHTS",
           "Weights of x: a number, a diagonal, or a matrix in a file (.csv)");
  add_text(*app, "--R", options->R, "WEIGHTS", "Weights of the efforts, likewise");
  add_flag(*app, "--gramians", options->gramians,
           "Add the controllability and observability Gramians");
  add_text(*app, "--bode", options->bode, "FILE",
           "Write frequency responses as a plot (.svg, .png) or table (.csv)");
  add_text(*app, "-o,--output", options->output, "FILE", "Write the system: .m, .csv or .json");
  add_text(*app, "--times", options->times, "T1,T2,...",
           "Times along the motions of an experiment (default: eleven evenly spaced ones)");
  add_text(*app, "--poles", options->poles, "P1,P2,...", "Compute gains that place the poles here");
  return {app, [options] { return linearize_detail::run(*options); }};
}

}  // namespace ulna::cli
