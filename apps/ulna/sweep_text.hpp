#pragma once
// --sweep: "joint2=0deg:180deg:5deg", "payload=0:50:5", "arm.material=steel,aluminium",
// "arm.section.ratio=1.3,2,3".

#include <string>
#include <vector>

#include "ulna/structure/sweep.hpp"

namespace ulna::cli {

struct Sweep {
  std::string parameter;  ///< "joint2"
  std::string unit;       ///< of its values; may be empty
  std::vector<StructureVariant> variants;
};

/// "A:B:STEP" or a list "A,B,C" of plain numbers.
std::vector<double> parse_range(const std::string& option, const std::string& text);

Sweep parse_sweep(const std::string& text, const Model& model, const Eigen::VectorXd& q);

}  // namespace ulna::cli
