#include <fmt/format.h>

#include <CLI/App.hpp>
#include <charconv>
#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "robot_options.hpp"
#include "state_options.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/simulation/linearize.hpp"
#include "ulna/simulation/state_feedback.hpp"

namespace ulna::cli {
namespace {

constexpr const char* examples = R"(  ulna linearize puma560 --q 0,45deg,0,0,0,0
  ulna linearize puma560 --q 0,45deg,0,0,0,0 --frame tool --json
  ulna linearize puma560 --lqr 100,1,0.01
  ulna linearize arm.yaml --poles=-5,-6,-4+2i,-4-2i

Without --tau the efforts are those that hold the state. x = (change of q in the tangent, change of
v), u = change of the efforts; y = change of q, or turn and displacement of the frame.)";

struct Options : RobotOptions {
  VectorOption q, v, tau;
  std::optional<std::string> frame, lqr, poles;
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

int run(const Options& options) {
  const Model model = load(options);
  const Eigen::VectorXd q = coordinates_from(model, options.q), v = speeds_from(model, options.v);
  Workspace work(model);
  const Eigen::VectorXd tau = options.tau ? efforts_from(model, options.tau)
                                          : Eigen::VectorXd(bias_efforts(model, work, q, v));
  LinearOutput output;
  if (options.frame) output.frame = model.frame(*options.frame);
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
    if (K) {
      out["K"] = matrix_to_json(*K);
      out["closed_loop_poles"] = complex_to_json(closed);
    }
    print_json(out);
    return 0;
  }
  std::vector<std::string> states, inputs = model.speed_names();
  for (const char* kind : {"q ", "v "})
    for (const std::string& name : model.speed_names()) states.push_back(kind + name);
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

Command add_linearize(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = add_robot_command(program, "linearize",
                                    "The robot near a state as a linear system, its poles, gains",
                                    examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", "Coordinates; neutral when absent");
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds; zero when absent");
  add_text(*app, "--tau", options->tau, "T1,T2,...", "Efforts; absent: those that hold the state");
  add_text(*app, "--frame", options->frame, "FRAME", "Output: turn and displacement of this frame");
  add_text(*app, "--lqr", options->lqr, "QQ,QV,R",
           "Gains of least cost, with these weights of q, v and efforts");
  add_text(*app, "--poles", options->poles, "P1,P2,...", "Gains that give these poles");
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
