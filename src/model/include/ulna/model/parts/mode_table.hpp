#pragma once
// Modes of a straight member given by numbers: what a finite-element code, a test or another of
// Ulna's reductions (`ulna condense --write`) knows of it. Shapes stand at nodes along the axis, in
// the axes of the section (x from start to end); mass and stiffness are matrices over the modes.
// The member is held at its start, where no shape moves. Read and written by
// formats/mode_table_file.hpp; docs/robot-file.md tells the format.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct ModeTable {
  double length = 0;               ///< of the axis
  std::vector<std::string> names;  ///< of the modes; empty: m1, m2, ...
  std::vector<double> nodes;       ///< places along the axis, rising from 0 to length
  /// 3 rows for each node (x, y, z), one column for each mode, per unit of the modal coordinate.
  Eigen::MatrixXd translations, rotations;
  Eigen::MatrixXd stiffness;  ///< modes x modes
  Eigen::MatrixXd mass;     ///< of the member alone; empty: from the shapes and its mass per length
  Eigen::MatrixXd damping;  ///< empty: as the robot file says

  int modes() const { return static_cast<int>(stiffness.cols()); }
};

/// What is wrong with it, in plain words; empty when nothing is.
ULNA_API std::vector<std::string> problems_of(const ModeTable& table);

}  // namespace ulna
