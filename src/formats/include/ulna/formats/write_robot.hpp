#pragma once
// Writing a robot: as a YAML robot file (docs/robot-file.md), without loss, or in the formats of
// other programs (docs/formats.md), with a list of what they cannot say. Numbers are the shortest
// decimals that read back to the same double, and what has its default value is left out.

#include <optional>
#include <string>
#include <vector>

#include "ulna/formats/import_report.hpp"
#include "ulna/model/robot.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

class Model;

/// Throws InputError when a number is not finite (limits excepted: infinite means none).
ULNA_API std::string write_robot_yaml(const Robot& robot);

/// The robot for a file in this folder: relative names of mesh files, which count from the folder
/// of the robot's own file, lead to the same files from there.
ULNA_API Robot with_meshes_seen_from(const std::string& folder, Robot robot);

enum class RobotFormat { yaml, urdf, mjcf, sdf };

/// By the ending of a file's name: .yaml or .yml, .urdf, .xml or .mjcf (MuJoCo), .sdf.
ULNA_API std::optional<RobotFormat> robot_format(const std::string& file_name);

struct WriteOptions {
  bool strict = false;  ///< anything that is lost is an InputError
  /// How a URDF says its loops: <constraint>, <loop_joint>, or not at all.
  enum class UrdfLoops { constraint, loop_joint, none } urdf_loops = UrdfLoops::constraint;
};

struct WrittenRobot {
  std::string text;
  std::vector<ImportNote> lost;  ///< what the file does not say, or says otherwise
};

ULNA_API WrittenRobot write_robot(const Model& model, RobotFormat format,
                                  const WriteOptions& options = {});
/// Into a file, by its ending; the file appears complete or not at all. Returns what is lost.
ULNA_API std::vector<ImportNote> write_robot(const Model& model, const std::string& file,
                                             const WriteOptions& options = {});

}  // namespace ulna
