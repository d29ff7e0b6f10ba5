#pragma once
// Mode shapes as one HTML file: a frame of members swinging in each of its modes, with a list of
// frequencies and, for a sweep of a parameter, a slider through its steps (docs/report.md). What
// the modes are of is the caller's: nodes in the world, members as polylines over them.

#include <string>
#include <vector>

#include "ulna/model/parts/workspace.hpp"

namespace ulna {

struct ModeShape {
  double frequency_hz = 0;
  double damping = 0;             ///< part of critical
  std::string note;               ///< such as "joint2 61 %"
  Eigen::Matrix3Xd displacement;  ///< of every node, any scale
};

/// The modes at one value of the parameter.
struct ModesStep {
  std::string label;  ///< "q2 = 30 deg"
  double value = 0;   ///< on the abscissa
  Eigen::Matrix3Xd nodes;
  std::vector<ModeShape> modes;
  Eigen::VectorXd q = {};  ///< where the robot stands then; empty: as the report says
};

struct ModesReport {
  std::string title;                      ///< empty: the robot's name
  std::string parameter;                  ///< "q2 [deg]"; empty for a single step
  std::vector<std::vector<int>> members;  ///< indices of nodes along each
  std::vector<ModesStep> steps;
  std::string summary;  ///< a JSON object of facts; empty: none
};

/// The robot stands translucent at q, or at the posture of the step shown. InputError when members
/// or shapes do not fit the nodes.
ULNA_API std::string modes_html(const Model& model, const VectorRef& q, const ModesReport& modes);
/// Its data: one JSON object, safe inside <script>.
ULNA_API std::string modes_json(const Model& model, const VectorRef& q, const ModesReport& modes);

}  // namespace ulna
