#pragma once
// The keys `path` and `timing` of experiment files: a frame led along a curve, and how fast the
// motions are run. They are only read here; `plan` computes the motions (simulation).

#include "ulna/simulation/internal/draft.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// Null with the problems noted.
std::optional<PathRequest> read_path(YamlContext& context, const YamlNode& node,
                                     const Model& model);
std::optional<TimingRequest> read_timing(YamlContext& context, const YamlNode& node,
                                         const Model& model);

}  // namespace ulna
