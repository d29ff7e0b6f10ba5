#pragma once
// Ranges on the command line: "A:B:STEP" or a list, and coordinates over them (--map).

#include <array>
#include <string>
#include <vector>

#include "options/vector_text.hpp"
#include "ulna/model/model.hpp"

namespace ulna::cli {

/// "A:B:STEP" or a list "A,B,C".
std::vector<double> parse_range(const std::string& option, const std::string& text,
                                Dimension dimension = Dimension::number,
                                const std::string& rate = {});

/// Values of a coordinate of the robot: "joint2=0deg:180deg:5deg".
struct CoordinateRange {
  std::string name, unit;
  int coordinate = 0;
  std::vector<double> values;
};
/// "q2=A:B:STEP,q3=A:B:STEP": two coordinates that differ.
std::array<CoordinateRange, 2> parse_map(const std::string& text, const Model& model);

/// q with some coordinates given. Of a mechanism these are moved in small pieces and the loops
/// closed again after each, so that it stays the same branch; ComputationError where it cannot
/// follow.
Eigen::VectorXd posture_with(const Model& model, const Eigen::VectorXd& q,
                             const std::vector<int>& coordinates,
                             const std::vector<double>& values);

}  // namespace ulna::cli
