#pragma once
// Names and limits of coordinates and speeds, collected as joints and modes are numbered.

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

struct CoordinateTable {
  std::vector<std::string> coordinate_names, speed_names;
  std::vector<Dimension> coordinate_dimensions, speed_dimensions;
  std::vector<double> lower, upper;                  ///< per coordinate
  std::vector<double> velocity_limit, effort_limit;  ///< per speed

  void add(const JointData& joint);
  /// A modal coordinate: it has no limits. Those of torsion are angles, the others displacements.
  void add_mode(const std::string& body, const std::string& mode);
};

}  // namespace ulna
