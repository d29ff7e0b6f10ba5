#pragma once
// The keys `path`, `timing`, `shaping` and `tip` of experiment files: a frame led along a curve,
// how fast the motions are run, and what is made of them for a flexible robot. They are only read
// here; `plan` computes the motions (simulation).

#include "ulna/simulation/internal/draft.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// Null with the problems noted.
std::optional<PathRequest> read_path(YamlContext& context, const YamlNode& node,
                                     const Model& model);
std::optional<TimingRequest> read_timing(YamlContext& context, const YamlNode& node,
                                         const Model& model);
std::optional<ShapingRequest> read_shaping(YamlContext& context, const YamlNode& node);
std::optional<TipRequest> read_tip(YamlContext& context, const YamlNode& node, const Model& model);

}  // namespace ulna
