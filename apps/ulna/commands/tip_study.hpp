#pragma once
// `ulna study tip EXPERIMENT`: how well a frame of a flexible robot follows, by each method.

#include <optional>
#include <string>

namespace ulna::cli {

/// `output`: a folder for tip.csv and tip.svg. Returns the exit status.
int run_tip_study(const std::string& experiment, const std::optional<std::string>& output,
                  bool json);

inline constexpr const char* tip_examples =
    R"(  ulna study tip examples/flexible/tip_tracking.yaml -o tip

tip runs the experiment of a flexible robot with joint control alone, with the feedback of its
controllers, with input shaping (zv, zvd, robust), and with causal and stable inversion. It compares the
peak and residual distance of the frame from its path on the robot with rigid links.)";

}  // namespace ulna::cli
