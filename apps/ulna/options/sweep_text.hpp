#pragma once
// --sweep: "joint2=0deg:180deg:5deg", "payload=0:50:5", "arm.material=steel,aluminium",
// "arm.section.ratio=1.3,2,3".

#include <array>
#include <string>
#include <vector>

#include "options/vector_text.hpp"
#include "ulna/structure/sweep.hpp"

namespace ulna::cli {

struct Sweep {
  std::string parameter;  ///< "joint2"
  std::string unit;       ///< of its values; may be empty
  std::vector<StructureVariant> variants;
};

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

Sweep parse_sweep(const std::string& text, const Model& model, const Eigen::VectorXd& q);

}  // namespace ulna::cli
