#pragma once
// A number over a grid of two parameters as SVG: a cell for each point, coloured from dark (least)
// to light (greatest) with a scale beside it, and, if the points have places, a second panel that
// shows the same cells where they lie in a plane. Points without a number are left white.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct HeatAxis {
  std::string label;       ///< "joint2 [rad]"
  Eigen::VectorXd values;  ///< of the grid, in one direction
};

struct HeatMap {
  std::string title, label;  ///< label: of the number, "mode 1 [Hz]"
  HeatAxis x, y;
  Eigen::MatrixXd values;            ///< x by y points; NaN: none
  Eigen::MatrixXd place_x, place_y;  ///< of the points, alike; empty: no second panel
  std::string place_x_label, place_y_label;
};

/// InputError: sizes that do not fit, fewer than two points along an axis, no number at all.
ULNA_API std::string heat_map_svg(const HeatMap& map);

}  // namespace ulna
