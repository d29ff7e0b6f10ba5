#pragma once
// `ulna study stability ROBOT`: where a flexible body on a moving base buckles.

#include <optional>
#include <string>

#include "options/robot_options.hpp"

namespace ulna::cli {

struct StabilityOptions : RobotOptions {
  std::optional<std::string> body, spin, axial, output;
};

constexpr const char* stability_examples =
    R"(  ulna study stability flexible-two-link --body outboard
  ulna study stability spinning-beam --spin 0.25:3:0.25 --axial -1:1:0.25 -o surface.svg

stability: the boundary of a flexible body (with what is attached to it) on a base that spins, moves across
its axis and is accelerated along it. --spin in units of its first frequency w1, --axial of l w1^2; the
table gives the transverse velocity on the boundary in units of l w1.)";

int run_stability_study(const StabilityOptions& options);

}  // namespace ulna::cli
