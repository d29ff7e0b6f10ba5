#pragma once
// A command as main sees it: its place in the parser and what to run once the words are parsed.
// Each has a file of its own, which owns its options; `run` returns the exit status 0 (done) or 1
// (the computation has no answer, already said), and throws InputError or ComputationError.

#include <functional>

namespace CLI {
class App;
}

namespace ulna::cli {

struct Command {
  CLI::App* app;
  std::function<int()> run;
};

Command add_info(CLI::App& program);
Command add_check(CLI::App& program);
Command add_assemble(CLI::App& program);
Command add_fk(CLI::App& program);
Command add_jacobian(CLI::App& program);
Command add_ik(CLI::App& program);
Command add_init(CLI::App& program);
Command add_inverse(CLI::App& program);
Command add_forward(CLI::App& program);
Command add_mass(CLI::App& program);
Command add_kane(CLI::App& program);
Command add_matrices(CLI::App& program);
Command add_energy(CLI::App& program);
Command add_influence(CLI::App& program);
Command add_platform(CLI::App& program);
Command add_regressor(CLI::App& program);
Command add_base_parameters(CLI::App& program);
Command add_identify(CLI::App& program);
Command add_motion(CLI::App& program);
Command add_simulate(CLI::App& program);
Command add_study(CLI::App& program);
Command add_optimize(CLI::App& program);
Command add_sweep(CLI::App& program);
Command add_linearize(CLI::App& program);
Command add_equilibrium(CLI::App& program);
Command add_generate(CLI::App& program);
Command add_study(CLI::App& program);
Command add_synthesize(CLI::App& program);
Command add_verify(CLI::App& program);
Command add_plot(CLI::App& program);
Command add_report(CLI::App& program);
Command add_view(CLI::App& program);
Command add_robots(CLI::App& program);
Command add_modes(CLI::App& program);
Command add_condense(CLI::App& program);
Command add_deflection(CLI::App& program);
Command add_convert(CLI::App& program);
Command add_fmu(CLI::App& program);
Command add_completion(CLI::App& program);

}  // namespace ulna::cli
