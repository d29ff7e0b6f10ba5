#pragma once
// A table of modes as it stands in a file of its own, or in a robot file under `modes:`.

#include "ulna/model/parts/mode_table.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// Keys of such a map, without the version.
const std::vector<std::string>& mode_table_keys();

/// Mistakes go to the problems of the context.
ModeTable read_mode_table(YamlContext& context, const YamlMap& map);

/// One flow map: {length: ..., nodes: [...], ...}.
std::string mode_table_map(const ModeTable& table);

}  // namespace ulna
