#pragma once
// Keys `beam` (one map) and `beams` (a list of them) of a body: docs/robot-file.md, Beams.

#include <string>
#include <vector>

#include "ulna/model/beam.hpp"
#include "yaml_values.hpp"

namespace ulna {

std::vector<BeamData> read_beams(YamlContext& context, const YamlMap& body);

/// A material by its name or its numbers, also of a command's options.
std::optional<Material> read_material(YamlContext& context, const YamlNode& node,
                                      const std::string& element);

/// "{from: [...], to: [...], ...}", all on one line.
std::string write_beam(const BeamData& beam);

}  // namespace ulna
