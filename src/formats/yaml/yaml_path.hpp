#pragma once
// The keys `path` and `timing` of experiment files: a frame led along a curve, and how fast the
// motions are run.

#include "ulna/simulation/internal/plan.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// Plans the motions of the joints for the path; `near` is the posture from which the start is
/// looked for, and where the path begins unless it says so. `duration`: of the experiment, 0 when
/// it is not given.
void read_path(YamlContext& context, const YamlNode& node, const Eigen::VectorXd& near,
               double duration, Experiment& experiment);

/// Changes the motions as `timing` says; null with the problem noted.
std::optional<TimingResult> read_timing(YamlContext& context, const YamlNode& node,
                                        Experiment& experiment);

}  // namespace ulna
