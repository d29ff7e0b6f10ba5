#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "command.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "options/state_options.hpp"
#include "options/vector_text.hpp"
#include "output/closing_output.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/model/internal/requirements.hpp"
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

Without --tau the efforts are those that hold the state. x = (change of q in the tangent, change of
v), u = change of the efforts; y = change of q, or turn and displacement of the frame. With an experiment
file instead of a robot: along its motions, under the efforts that they need. With loops x and u are of
as many speeds as degrees of freedom: those of --independent, the drives of a platform, or chosen by
pivoting.)";

struct Options : RobotOptions, StateWords {
  VectorOption tau;
  std::optional<std::string> frame, lqr, poles, times, independent;
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

std::optional<Eigen::MatrixXd> gains(const Options& options, const LinearSystem& linear) {
  if (options.lqr && options.poles)
    throw InputError("--lqr and --poles are two ways to choose gains", "one of them");
  if (options.poles) return place_poles(linear.A, linear.B, poles_from(*options.poles));
  if (!options.lqr) return std::nullopt;
  const long n = linear.B.cols();
  const Eigen::VectorXd w =
      parse_vector("--lqr", *options.lqr, {{"of q"}, {"of v"}, {"of efforts"}});
  Eigen::VectorXd Q(2 * n);
  Q << Eigen::VectorXd::Constant(n, w(0)), Eigen::VectorXd::Constant(n, w(1));
  return linear_quadratic_regulator(linear.A, linear.B, Q.asDiagonal(),
                                    w(2) * Eigen::MatrixXd::Identity(n, n))
      .K;
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
  if (options.frame) output.frame = model.frame(*options.frame);
  s.linear = linearize(model, s.q, s.v, s.tau, output);
  require_finite(s.linear.A, "A");
  require_finite(s.linear.B, "B");
  s.K = gains(options, s.linear);
  return s;
}

int run_along(const Options& options) {
  refuse_beside_experiment({{options.q.has_value(), "--q"},
                            {options.v.has_value(), "--v"},
                            {options.tau.has_value(), "--tau"}},
                           "the motion says it; --times says when");
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

int run(const Options& options) {
  if (is_experiment_file(options.robot)) return run_along(options);
  if (options.times) throw InputError("--times goes with an experiment file");
  const Model model = load(options);
  if (options.independent) require_loops(model, "--independent", ": all speeds are independent");
  LinearOutput output;
  if (options.frame) output.frame = model.frame(*options.frame);
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
  const Eigen::VectorXcd open = poles(linear.A);
  const std::optional<Eigen::MatrixXd> K = gains(options, linear);
  const Eigen::VectorXcd closed = K ? poles(linear.A - linear.B * *K) : Eigen::VectorXcd();
  if (options.json) {
    Json out = json_object();
    out["A"] = matrix_to_json(linear.A);
    out["B"] = matrix_to_json(linear.B);
    out["C"] = matrix_to_json(linear.C);
    out["D"] = matrix_to_json(linear.D);
    out["poles"] = complex_to_json(open);
    out["tau"] = to_json(tau);
    out["a"] = to_json(linear.acceleration);
    out["speeds"] = names_of(model, linear.speeds);
    add_closed_state(out, model, state, "qv");
    if (K) {
      out["K"] = matrix_to_json(*K);
      out["closed_loop_poles"] = complex_to_json(closed);
    }
    print_json(out);
    return 0;
  }
  const std::vector<std::string> inputs = names_of(model, linear.speeds);
  std::vector<std::string> states;
  for (const char* kind : {"q ", "v "})
    for (const std::string& name : inputs) states.push_back(kind + name);
  print(heading("A"));
  print(Table().words("", states).matrix(states, linear.A).text());
  print(heading("\nB"));
  print(Table().words("", states).matrix(inputs, linear.B).text());
  print(heading("\nPoles, 1/s"));
  print(pole_text(open));
  if (K) {
    print(heading("\nGains, u = -K x"));
    print(Table().words("", inputs).matrix(states, *K).text());
    print(heading("\nPoles with these gains, 1/s"));
    print(pole_text(closed));
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::linearize_detail

namespace ulna::cli {

Command add_linearize(CLI::App& program) {
  auto options = std::make_shared<linearize_detail::Options>();
  CLI::App* app = add_robot_command(program, "linearize",
                                    "The robot near a state as a linear system, its poles, gains",
                                    linearize_detail::examples, *options);
  add_state_options(*app, *options, "qv");
  add_text(*app, "--tau", options->tau, "T1,T2,...", "Efforts; absent: those that hold the state");
  add_text(*app, "--frame", options->frame, "FRAME", "Output: turn and displacement of this frame");
  add_text(*app, "--independent", options->independent, "NAMES",
           "With loops: the speeds that x and u are made of, as many as degrees of freedom");
  add_text(*app, "--lqr", options->lqr, "QQ,QV,R",
           "Gains of least cost, with these weights of q, v and efforts");
  add_text(*app, "--times", options->times, "T1,T2,...",
           "Along the motions of an experiment: at these times; eleven equal ones when absent");
  add_text(*app, "--poles", options->poles, "P1,P2,...", "Gains that give these poles");
  return {app, [options] { return linearize_detail::run(*options); }};
}

}  // namespace ulna::cli
