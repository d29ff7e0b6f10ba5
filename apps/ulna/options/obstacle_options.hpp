#pragma once
// `--obstacle sphere:X,Y,Z,R`, `--obstacle box:X,Y,Z,DX,DY,DZ`, `--obstacle
// half-space:X,Y,Z,NX,NY,NZ`,
// `--clearance`, `--keep-out`.

#include <optional>
#include <string>
#include <vector>

#include "ulna/kinematics/obstacle.hpp"

namespace CLI {
class App;
}

namespace ulna::cli {

struct ObstacleOptions {
  std::vector<std::string> obstacles;
  std::optional<std::string> clearance, keep_out;
};

void add_obstacle_options(CLI::App& command, ObstacleOptions& options);
std::vector<Obstacle> obstacles_from(const Model& model, const ObstacleOptions& options);

}  // namespace ulna::cli
