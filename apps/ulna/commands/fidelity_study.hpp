#pragma once
// `ulna study fidelity EXPERIMENT`: the levels of flexible bodies side by side.

#include <optional>
#include <string>

namespace ulna::cli {

/// `levels`: names separated by commas; all when absent. `output`: a folder or a picture. Returns
/// the exit status.
int run_fidelity_study(const std::string& experiment, const std::optional<std::string>& levels,
                       const std::optional<std::string>& output, bool json);

inline constexpr const char* fidelity_examples =
    R"(  ulna study fidelity examples/flexible/spin_up.yaml
  ulna study fidelity examples/flexible/spin_up.yaml --levels consistent,ruthless -o fidelity
  ulna study fidelity examples/flexible/smooth_2.yaml --levels exact,consistent,ruthless --json

fidelity runs the experiment at each level of modelling flexible bodies and compares peak deflections,
the final joint positions with those of the level exact, the energy balance and the computing time; it
also states where a level fails. -o writes a plot of all deflections (fidelity.svg) and the records of
each level (.csv).)";

}  // namespace ulna::cli
