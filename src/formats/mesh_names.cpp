#include <filesystem>

#include "ulna/formats/write_robot.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

/// A name that the folder of the robot's file says more of. package:// and file:// name theirs.
bool is_relative(const std::string& mesh) {
  return !mesh.empty() && mesh.find("://") == std::string::npos && fs::path(mesh).is_relative();
}

}  // namespace

Robot with_meshes_seen_from(const std::string& folder, Robot robot) {
  const fs::path old_folder = fs::path(robot.source).parent_path();
  for (BodyData& body : robot.bodies)
    for (Geometry& shape : body.geometry) {
      if (shape.shape != Geometry::Shape::mesh || !is_relative(shape.mesh)) continue;
      std::error_code error;
      const fs::path there =
          fs::relative(old_folder / shape.mesh, folder.empty() ? "." : folder, error);
      if (!error && !there.empty()) shape.mesh = there.generic_string();
    }
  return robot;
}

}  // namespace ulna
