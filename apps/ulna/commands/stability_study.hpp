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

stability computes the stability boundary of a flexible body (with everything attached to it) on a base
that spins, moves transversely and is accelerated axially. --spin is relative to the first frequency w1 of
the body, --axial to l w1^2; the table gives the transverse velocity on the boundary relative to l w1.)";

int run_stability_study(const StabilityOptions& options);

}  // namespace ulna::cli
