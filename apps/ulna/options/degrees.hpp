#pragma once
// `--degrees`: plain numbers for angles and their rates are degrees, and tables show degrees. JSON
// stays in radians. One choice for the whole program, made by the option.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "options/vector_text.hpp"

namespace ulna::cli {

/// The choice itself, which the option sets.
bool& degrees_flag();
bool in_degrees();

/// Values of a table as they are shown: angles in degrees where that was asked for.
Eigen::VectorXd shown(Eigen::VectorXd values, const std::vector<Entry>& entries);
/// The units that go with them.
std::vector<std::string> shown_units(const std::vector<Entry>& entries,
                                     const std::string& rate = {});
/// One angle, and the unit of angles: "deg" or "rad".
double shown_angle(double radians);
const char* angle_unit();

}  // namespace ulna::cli
