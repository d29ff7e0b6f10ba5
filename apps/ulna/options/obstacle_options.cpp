#include "options/obstacle_options.hpp"

#include <fmt/format.h>

#include <sstream>

#include "options/command_line.hpp"
#include "options/vector_text.hpp"

namespace ulna::cli {
namespace {

constexpr const char* obstacle_form =
    "sphere:X,Y,Z,RADIUS or box:X,Y,Z,DX,DY,DZ or half-space:X,Y,Z,NX,NY,NZ";

std::vector<Entry> then(std::vector<Entry> entries, const std::vector<Entry>& more) {
  entries.insert(entries.end(), more.begin(), more.end());
  return entries;
}

Obstacle obstacle_from(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string shape = text.substr(0, colon);
  const std::string numbers = colon == std::string::npos ? "" : text.substr(colon + 1);
  const std::vector<Entry> place = xyz(Dimension::length);
  const auto values = [&](const std::vector<Entry>& more) {
    return parse_vector("--obstacle", numbers, then(place, more));
  };
  if (shape == "sphere") {
    const Eigen::VectorXd v = values({{"radius", Dimension::length}});
    return Obstacle::sphere(v.head<3>(), v(3));
  }
  if (shape == "box") {
    const Eigen::VectorXd v = values(xyz(Dimension::length, "d"));
    Pose<double> centre;
    centre.position = v.head<3>();
    return Obstacle::box(centre, v.tail<3>());
  }
  if (shape == "half-space") {
    const Eigen::VectorXd v = values(xyz(Dimension::number, "n"));
    return Obstacle::half_space(v.head<3>(), v.tail<3>());
  }
  throw InputError(Problem{{}, "--obstacle", fmt::format("'{}' found", text), obstacle_form, {}});
}

}  // namespace

void add_obstacle_options(CLI::App& command, ObstacleOptions& options) {
  add_texts(
      command, "--obstacle", options.obstacles, "SHAPE:NUMBERS",
      "Obstacle in the world: sphere:X,Y,Z,RADIUS, box:X,Y,Z,DX,DY,DZ (centre and side lengths), "
      "half-space:X,Y,Z,NX,NY,NZ (the side of the point opposite to the normal); may be repeated");
  add_text(command, "--clearance", options.clearance, "D",
           "Distance kept from obstacles (default: 0)");
  add_text(command, "--keep-out", options.keep_out, "NAME,...",
           "Bodies and frames that stay out of obstacles (default: all)");
}

std::vector<Obstacle> obstacles_from(const Model& model, const ObstacleOptions& options) {
  std::vector<Obstacle> obstacles;
  double clearance = 0;
  if (options.clearance)
    clearance =
        parse_vector("--clearance", *options.clearance, {{"clearance", Dimension::length}})(0);
  std::vector<int> frames;
  if (options.keep_out) {
    std::istringstream names(*options.keep_out);
    for (std::string name; std::getline(names, name, ',');) frames.push_back(model.frame(name));
  }
  for (const std::string& text : options.obstacles) {
    Obstacle obstacle = obstacle_from(text);
    obstacle.clearance = clearance;
    obstacle.frames = frames;
    obstacles.push_back(obstacle);
  }
  if (obstacles.empty() && (options.clearance || options.keep_out))
    throw InputError(Problem{{},
                             options.clearance ? "--clearance" : "--keep-out",
                             "no obstacle was given",
                             "--obstacle as well",
                             {}});
  return obstacles;
}

}  // namespace ulna::cli
