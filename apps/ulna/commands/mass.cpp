#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/dynamics_options.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "options/speeds_options.hpp"
#include "output/closing_output.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"

namespace ulna::cli::mass_detail {
namespace {

constexpr const char* examples = R"(  ulna mass puma560 --q 0,45deg,-90deg,0,0,0
  ulna mass puma560 --q 0,0.5,1,0,0,0 --terms --v 1,0,0,0,0,0 --json
  ulna mass puma560 --q 0,0.5,1,0,0,0 --centroidal
  ulna mass intelledex605 --q 0.5,1.3,0.5,0.5,0.5,0.5 --speeds body:C

The equations of motion are M a + C v + gravity = tau, apart from damping, friction and springs.
A_G v is the momentum about the centre of mass in world axes, angular part first. With --speeds the
matrix is that of the generalized speeds u = Y v + y of Kane's method.)";

struct Options : RobotOptions, DynamicsWords, SpeedWords, StateWords {
  bool terms = false, centroidal = false;
};

// In generalized speeds, of trees and of loops: B' M B.
int run_in_speeds(const Model& model, const Options& options) {
  if (options.terms || options.centroidal)
    throw InputError(Problem{
        {},
        "--speeds",
        fmt::format("{} is given in joint rates only", options.terms ? "--terms" : "--centroidal"),
        "no --speeds (the terms of Kane's equations: ulna kane)",
        {}});
  if (options.method && *options.method != "kane")
    throw InputError("--speeds requires --method kane", "the method kane");
  const RobotState state = closed_state(model, options);
  const SpeedMap map =
      speed_map(model, speeds_from(model, options), state.q, state.v, options.time.value_or(0));
  Workspace work(model);
  const Eigen::MatrixXd M = Kane(model).matrix(work, state.q, map);
  require_finite(M, "M");
  if (options.json) {
    Json out = json_object();
    out["M"] = matrix_to_json(M);
    out["speeds"] = map.name;
    out["names"] = map.names;
    out["q"] = to_json(state.q);
    print_json(out);
  } else {
    print(heading("M, mass matrix in the speeds " + printable(map.name)));
    print(Table().words("", map.names).matrix(map.names, M).text());
  }
  return 0;
}

/// The equations of motion on the speeds named, and what was asked for beside them.
struct Terms {
  std::vector<std::string> names;
  EquationsOfMotion equations;
  std::optional<Eigen::MatrixXd> C;  ///< where no speed depends on others
  std::optional<Jacobian> A_G;
  Vector3<double> centre;
};

Terms terms_of(const Model& model, const Options& options, const RobotState& state) {
  Dynamics dynamics(model, dynamics_options(model, Question::mass, options));
  Terms terms;
  terms.equations = dynamics.equations(state.q, state.v);
  terms.names = names_of(model, terms.equations.speeds);
  require_finite(terms.equations.M, "M");
  if (options.terms) {
    if (state.closing.empty()) terms.C = coriolis_matrix(model, state.q, state.v);
    if (terms.C) require_finite(*terms.C, "C");
    require_finite(terms.equations.coriolis, "the Coriolis terms");
    require_finite(terms.equations.gravity, "gravity");
  }
  if (options.centroidal) {
    terms.A_G = centroidal_momentum_matrix(model, dynamics.work(), state.q);
    terms.centre = centre_of_mass(model, dynamics.work());
    require_finite(*terms.A_G, "A_G");
    require_finite(terms.centre, "the centre of mass");
  }
  return terms;
}

void print_terms_json(const Model& model, const Options& options, const RobotState& state,
                      const Terms& terms) {
  Json out = json_object();
  out["M"] = matrix_to_json(terms.equations.M);
  if (!state.closing.empty()) out["independent"] = terms.names;
  add_closed_state(out, model, state, options.terms ? "qv" : "q");
  if (options.terms) {
    if (terms.C)
      out["C"] = matrix_to_json(*terms.C);
    else
      out["coriolis"] = to_json(terms.equations.coriolis);
    out["gravity"] = to_json(terms.equations.gravity);
  }
  if (terms.A_G) {
    out["A_G"] = matrix_to_json(*terms.A_G);
    out["centre_of_mass"] = to_json(terms.centre);
  }
  print_json(out);
}

void print_terms(const Model& model, const Options& options, const RobotState& state,
                 const Terms& terms) {
  const auto print_matrix = [&](const std::string& title, const Eigen::MatrixXd& matrix) {
    print(heading(title));
    print(Table().words("", terms.names).matrix(terms.names, matrix).text());
  };
  print_matrix(state.closing.empty() ? "M, mass matrix" : "M, mass matrix on independent speeds",
               terms.equations.M);
  if (terms.C) {
    print("\n");
    print_matrix("C, Coriolis and centrifugal", *terms.C);
    print("\n" + Table()
                     .words("gravity", terms.names)
                     .numbers("effort", terms.equations.gravity)
                     .words("unit", effort_units(model))
                     .text());
  } else if (options.terms) {
    print("\n" + Table()
                     .words("effort", terms.names)
                     .numbers("Coriolis and centrifugal", terms.equations.coriolis)
                     .numbers("gravity", terms.equations.gravity)
                     .text());
  }
  if (terms.A_G) {
    print(heading("\nA_G, momentum about the centre of mass"));
    print(
        Table()
            .words("", {"angular x", "angular y", "angular z", "linear x", "linear y", "linear z"})
            .matrix(model.speed_names(), *terms.A_G)
            .text());
    print(fmt::format("\n  centre of mass  {} m\n", numbers_text(terms.centre)));
  }
}

int run(const Options& options) {
  const Model model = load_at_level(options, options);
  if (options.speeds) return run_in_speeds(model, options);
  const RobotState state = closed_state(model, options);
  const Terms terms = terms_of(model, options, state);
  if (options.json)
    print_terms_json(model, options, state, terms);
  else
    print_terms(model, options, state, terms);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::mass_detail

namespace ulna::cli {

Command add_mass(CLI::App& program) {
  auto options = std::make_shared<mass_detail::Options>();
  CLI::App* app =
      add_robot_command(program, "mass", "Mass matrix, Coriolis matrix and gravity terms",
                        mass_detail::examples, *options);
  add_state_options(*app, *options, "qe");
  add_method_option(*app, Question::mass, *options);
  add_level_option(*app, *options);
  add_speeds_options(*app, *options, "Generalized speeds (default: the joint rates)");
  const Option terms = add_flag(*app, "--terms", options->terms,
                                "Add the Coriolis matrix C and the gravity efforts");
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds for C with --terms (default: zero)")
      .needs(terms);
  add_flag(*app, "--centroidal", options->centroidal,
           "Add the centroidal momentum matrix and the centre of mass");
  return {app, [options] { return mass_detail::run(*options); }};
}

}  // namespace ulna::cli
