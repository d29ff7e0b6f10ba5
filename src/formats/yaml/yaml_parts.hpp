#pragma once
// The parts that bodies, joints, frames and payloads of a robot file share.

#include <optional>
#include <vector>

#include "ulna/formats/read_robot.hpp"
#include "ulna/model/robot.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

/// The pose under `key`; identity when the key is missing. Written [x, y, z], or as a map with
/// `position` and one of `rpy`, `quaternion`, `rotation`, `axis` and `angle`.
Pose<double> read_pose(YamlContext& context, const YamlMap& map, const std::string& key);

/// Keys `mass`, `centre` and `inertia` of a body or payload.
Inertial read_inertial(YamlContext& context, const YamlMap& map);

/// One item of `payloads`, also of experiments.
PayloadData read_payload(YamlContext& context, const YamlNode& node);

/// A whole robot file.
ReadResult read_robot_yaml_tree(const YamlNode& root, const std::string& file_name,
                                const ReadOptions& options);

/// One item of `geometry`.
Geometry read_geometry(YamlContext& context, const YamlNode& node, const std::string& element);

/// A torsion constant that was given as the polar moment stays that when its section changes.
void keep_polar(const Robot& before, Robot& after);

}  // namespace ulna
