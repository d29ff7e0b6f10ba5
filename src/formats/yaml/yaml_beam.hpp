#pragma once
// Keys `beam` (one map) and `beams` (a list of them) of a body: docs/robot-file.md, Beams.

#include <string>
#include <vector>

#include "ulna/elastic/modal_body.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// `modal` is filled for a beam whose modes come from a file.
std::vector<BeamData> read_beams(YamlContext& context, const YamlMap& body,
                                 std::shared_ptr<const ModalBody>& modal);

/// A material by its name or its numbers, also of a command's options.
std::optional<Material> read_material(YamlContext& context, const YamlNode& node,
                                      const std::string& element);

/// "{from: [...], to: [...], ...}", all on one line. `modal`: of its body, may be null; modes from
/// a file are written out.
std::string write_beam(const BeamData& beam, const ModalBody* modal = nullptr);

}  // namespace ulna
