#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "output/closing_output.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/centroidal.hpp"
#include "ulna/dynamics/dynamics.hpp"

namespace ulna::cli::energy_detail {
namespace {

constexpr const char* examples = R"(  ulna energy puma560 --q 0,45deg,0,0,0,0 --v 1,0,0,0,0,0
  ulna energy arm.urdf --q 0,0.5,1 --v 1,0,0 --json

The potential energy is zero at the world's origin and includes all springs, also those of joints that
close loops. The momentum is about the world's origin in world axes, angular part first. The centre of
mass is that of all moving bodies.)";

struct Options : RobotOptions, StateWords {};

/// None when nothing that moves has mass: energy and momentum are zero then, and no error.
std::optional<CentreOfMass> centre_if_any(const Model& model, Workspace& work, const VectorRef& q,
                                          const VectorRef& v) {
  if (!has_moving_mass(model)) return {};
  return centre_of_mass_motion(model, work, q, v);
}

int run(const Options& options) {
  const Model model = load(options);
  const RobotState state = closed_state(model, options);
  const Eigen::VectorXd &q = state.q, &v = state.v;
  Dynamics dynamics(model);
  Workspace& work = dynamics.work();
  const Energy result = dynamics.energy(q, v);
  const Vector6<double> h = momentum(model, work, q, v);
  require_finite(Eigen::Vector2d(result.kinetic, result.potential), "the energy");
  require_finite(h, "the momentum");
  const std::optional<CentreOfMass> centre = centre_if_any(model, work, q, v);
  if (options.json) {
    Json out = json_object();
    out["kinetic"] = result.kinetic;
    out["potential"] = result.potential;
    out["momentum"] = to_json(h);
    out["centre_of_mass"] = centre ? to_json(centre->position) : Json();
    out["centre_of_mass_velocity"] = centre ? to_json(centre->velocity) : Json();
    add_closed_state(out, model, state, "", ClosingColumns{.rates = true});
    print_json(out);
  } else {
    print(fmt::format("  kinetic   {} J\n", number_text(result.kinetic)));
    print(fmt::format("  potential {} J\n", number_text(result.potential)));
    print(fmt::format("  angular momentum  {} kg m^2/s\n", numbers_text(h.head<3>())));
    print(fmt::format("  linear momentum   {} kg m/s\n", numbers_text(h.tail<3>())));
    if (centre) {
      print(fmt::format("  centre of mass    {} m\n", numbers_text(centre->position)));
      print(fmt::format("  its velocity      {} m/s\n", numbers_text(centre->velocity)));
    }
    print_closing(model, state, {.rates = true});
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::energy_detail

namespace ulna::cli {

Command add_energy(CLI::App& program) {
  auto options = std::make_shared<energy_detail::Options>();
  CLI::App* app = add_robot_command(program, "energy", "Kinetic and potential energy, and momentum",
                                    energy_detail::examples, *options);
  add_state_options(*app, *options, "qev");
  return {app, [options] { return energy_detail::run(*options); }};
}

}  // namespace ulna::cli
