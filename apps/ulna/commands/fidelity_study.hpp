#pragma once
// `ulna study fidelity EXPERIMENT`: the levels of flexible bodies side by side.

#include <optional>
#include <string>

namespace ulna::cli {

/// `levels`: names separated by commas; all when absent. Returns the exit status.
int run_fidelity_study(const std::string& experiment, const std::optional<std::string>& levels,
                       bool json);

inline constexpr const char* fidelity_examples =
    R"(  ulna study fidelity examples/flexible/spin_up.yaml
  ulna study fidelity examples/flexible/smooth_2.yaml --levels exact,consistent,ruthless --json

fidelity: the experiment at each level of modelling flexible bodies: peak deflections, where the
joints end against exact, energy balance, time, and where a level fails.)";

}  // namespace ulna::cli
