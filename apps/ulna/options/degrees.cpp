#include "options/degrees.hpp"

#include <numbers>

namespace ulna::cli {
namespace {

bool chosen = false;

}  // namespace

bool& degrees_flag() { return chosen; }
bool in_degrees() { return chosen; }

double shown_angle(double radians) { return chosen ? radians * (180 / std::numbers::pi) : radians; }

const char* angle_unit() { return chosen ? "deg" : "rad"; }

Eigen::VectorXd shown(Eigen::VectorXd values, const std::vector<Entry>& entries) {
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (entries[k].dimension == Dimension::angle) {
      double& x = values(static_cast<Eigen::Index>(k));
      x = shown_angle(x);
    }
  return values;
}

std::vector<std::string> shown_units(const std::vector<Entry>& entries, const std::string& rate) {
  std::vector<std::string> units;
  for (const Entry& entry : entries)
    units.push_back(entry.dimension == Dimension::angle ? angle_unit() + rate
                                                        : unit_of(entry.dimension, rate));
  return units;
}

}  // namespace ulna::cli
