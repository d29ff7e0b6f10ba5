#pragma once
// Where the files behind package://NAME/... are. Looked for in this order: the folders given by the
// user; the package that the robot file itself is in (a package.xml or a folder of that name above
// it) and its neighbours; the environment variables ROS_PACKAGE_PATH (FOLDER/NAME) and
// AMENT_PREFIX_PATH (FOLDER/share/NAME).

#include <map>
#include <string>
#include <vector>

#include "ulna/model/robot.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct PackageFolder {
  std::string folder;              ///< empty: not found
  std::vector<std::string> tried;  ///< folders that were looked for
};

ULNA_API PackageFolder find_package(const std::string& name, const std::string& robot_file,
                                    const std::map<std::string, std::string>& given = {});

/// Replaces package:// names of meshes by paths where their package is found. Returns sentences
/// about visual meshes that are not found, with the places tried. `option`: how the caller is given
/// the folder of a package, {} its name.
ULNA_API std::vector<std::string> resolve_meshes(
    Robot& robot, const std::map<std::string, std::string>& packages = {},
    const std::string& option = "--package {}=FOLDER");

}  // namespace ulna
