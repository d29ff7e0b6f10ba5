#pragma once
// What of a robot is drawn. Bodies keep the visual shapes and meshes of their file; one without is
// made up from the mechanism: tapered links from its own joint to the next ones, plates where three
// or more joints span one (platforms and their bases), drums for turning joints, boxes for sliding
// ones, balls for spherical ones. Sizes follow the reach of the robot and get thinner towards the
// tip.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ulna/formats/internal/mesh.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

struct SceneShape {
  enum class Kind { box, cylinder, sphere, capsule, taper, mesh };
  enum class Role { link, joint, base, given };  ///< decides the colour; `given` has its own
  Kind kind;
  Role role;
  int body;           ///< index into Model::bodies(); 0 is the world
  Pose<double> X_BS;  ///< cylinders, capsules and tapers run along z, centred
  /// box: edges; cylinder, capsule: radius, length; sphere: radius; taper: radius at -z and +z,
  /// length.
  Vector3<double> size;
  std::optional<std::array<double, 4>> colour;
  int mesh = -1;  ///< index into Scene::meshes; `size` is its scale
};

struct SceneAxis {
  std::string joint;
  int body;  ///< the joint's child
  Vector3<double> position, direction;
};

struct Scene {
  double reach;  ///< greatest length of a chain of links
  std::vector<SceneShape> shapes;
  std::vector<SceneAxis> axes;
  std::vector<Triangles> meshes;
  std::vector<std::string> left_out;  ///< meshes that could not be read, and why
};

/// Mesh files are looked for where they say, or beside the robot's file.
ULNA_API Scene scene_of(const Model& model);

}  // namespace ulna
