#pragma once
// Reading robots: Ulna's YAML robot file (docs/robot-file.md), URDF, MuJoCo's MJCF, SDF
// (docs/formats.md), and the robots shipped with the library. Readers fill plain data and mark
// every element with its place in the file; `Model` checks the mechanics. All problems of a file
// are collected into one InputError.
//
// Hostile files are refused early: YAML above 8 MB, URDF above 16 MB, deep nesting, binary data,
// anchors, tags, duplicate keys, document types. Meshes are opened only for masses that a MuJoCo
// model leaves to them.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ulna/formats/import_report.hpp"
#include "ulna/model/robot.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct ReadOptions {
  bool strict = false;                          ///< anything changed or ignored is an InputError
  std::map<std::string, std::string> packages;  ///< folder of each package:// name
  /// Set: a .xacro file is expanded by the program of that name with these NAME:=VALUE. It
  /// evaluates expressions of the file.
  std::optional<std::vector<std::string>> xacro = std::nullopt;
};

struct ReadResult {
  Robot robot;
  ImportReport report;
};

/// A robot from a file (.yaml, .yml, .urdf, .xml, .sdf; the content decides in doubt) or a shipped
/// name.
ULNA_API ReadResult read_robot(const std::string& path_or_name, const ReadOptions& options = {});

/// The same from text in memory, of any of these formats: the content decides. `file_name` appears
/// in marks and messages, and what a file names is looked for beside it.
ULNA_API ReadResult read_robot_text(const std::string& text, const std::string& file_name,
                                    const ReadOptions& options = {});

/// One format each.
ULNA_API ReadResult read_robot_yaml_text(const std::string& text, const std::string& file_name,
                                         const ReadOptions& options = {});
ULNA_API ReadResult read_urdf_text(const std::string& text, const std::string& file_name,
                                   const ReadOptions& options = {});
/// A MuJoCo model. Its equalities become hard loops and couplings; files it includes are read from
/// the folder of `file_name`.
ULNA_API ReadResult read_mjcf_text(const std::string& text, const std::string& file_name,
                                   const ReadOptions& options = {});

/// An SDF file of one model or world, read by libsdformat; InputError where Ulna was built without.
ULNA_API ReadResult read_sdf_text(const std::string& text, const std::string& file_name,
                                  const ReadOptions& options = {});

struct ShippedRobot {
  std::string name;
  std::string description;
  /// "arms" of today, "classic" ones, "mechanisms" with loops, "flexible" ones, "benchmarks".
  std::string group;
};

/// The robots compiled into the library, by name.
ULNA_API std::vector<ShippedRobot> shipped_robots();

/// The robot file of a shipped robot, comments included; InputError for an unknown name.
ULNA_API std::string shipped_robot_text(const std::string& name);

}  // namespace ulna
