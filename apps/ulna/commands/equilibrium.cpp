#include "ulna/simulation/equilibrium.hpp"

#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/degrees.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "options/state_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli::equilibrium_detail {
namespace {

constexpr const char* examples = R"(  ulna equilibrium puma560 --q 0,0.5,1,0,0,0
  ulna equilibrium arm.yaml --q 0.3,0.2 --tau 5,0 --json
  ulna equilibrium five-bar --q left=120deg,right=60deg

The search starts at --q and stays within the joint limits; with loops it follows the closed postures.
Exit status 1: no equilibrium was found from this start.)";

struct Options : RobotOptions {
  VectorOption q, tau;
};

int run(const Options& options) {
  const Model model = load(options);
  const Eigen::VectorXd start = closed_state(model, options.q).q,
                        tau = efforts_from(model, options.tau);
  const Equilibrium found = find_equilibrium(model, start, tau);
  if (options.json) {
    Json out = json_object();
    out["found"] = found.found;
    out["q"] = to_json(found.q);
    out["residual"] = found.residual;
    if (found.found)
      out["stable"] = found.stable;
    else
      out["reason"] = found.reason;
    if (!found.note.empty()) out["note"] = found.note;
    print_json(out);
  } else if (found.found) {
    print(Table()
              .words("coordinate", model.coordinate_names())
              .numbers("q", shown(found.q, coordinate_entries(model)))
              .words("unit", shown_units(coordinate_entries(model)))
              .text());
    print(fmt::format("\n{}, residual {:.3g}\n", found.stable ? "stable" : "unstable",
                      found.residual));
    if (!found.note.empty()) print(found.note + "\n");
  }
  if (found.found) return 0;
  error(fmt::format("no equilibrium was found from there: {} (missing effort {:.3g})", found.reason,
                    found.residual));
  return 1;
}

}  // namespace
}  // namespace ulna::cli::equilibrium_detail

namespace ulna::cli {

Command add_equilibrium(CLI::App& program) {
  auto options = std::make_shared<equilibrium_detail::Options>();
  CLI::App* app = add_robot_command(program, "equilibrium",
                                    "Postures of static equilibrium under given efforts",
                                    equilibrium_detail::examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "--tau", options->tau, "T1,T2,...", "Joint efforts (default: zero)");
  return {app, [options] { return equilibrium_detail::run(*options); }};
}

}  // namespace ulna::cli
