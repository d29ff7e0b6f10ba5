#pragma once

#include <memory>

#include "ulna/formats/read_robot.hpp"
#include "ulna/simulation/experiment.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// One controller; its gains are checked against the joints it drives. Null with the problems
/// noted. `folder`: where the file of its model is looked for.
std::shared_ptr<const Controller> read_controller(YamlContext& context, const YamlNode& node,
                                                  const Experiment& experiment,
                                                  const std::string& folder,
                                                  const ReadOptions& options);

}  // namespace ulna
