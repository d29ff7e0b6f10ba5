#include "freeze/coordinate_table.hpp"

#include "ulna/model/joints/joint_traits.hpp"

namespace ulna {

void CoordinateTable::add(const JointData& joint) {
  const JointTraits& traits = traits_of(joint.type);
  const auto degree = [&](int k) {
    return k >= 0 && k < static_cast<int>(joint.degrees.size()) ? joint.degrees[k] : DegreeData{};
  };
  for (int k = 0; k < static_cast<int>(traits.speeds.size()); ++k) {
    speed_names.push_back(joint.name + traits.speeds[k].suffix);
    speed_dimensions.push_back(traits.speeds[k].dimension);
    velocity_limit.push_back(degree(k).velocity_limit);
    effort_limit.push_back(degree(k).effort_limit);
  }
  for (int k = 0; k < static_cast<int>(traits.coordinates.size()); ++k) {
    coordinate_names.push_back(joint.name + traits.coordinates[k].suffix);
    coordinate_dimensions.push_back(traits.coordinates[k].dimension);
    lower.push_back(degree(traits.speed_of_limits(k)).lower);
    upper.push_back(degree(traits.speed_of_limits(k)).upper);
  }
}

void CoordinateTable::add_mode(const std::string& body, const std::string& mode) {
  const Dimension dimension = mode.starts_with('t') ? Dimension::angle : Dimension::length;
  coordinate_names.push_back(body + "." + mode);
  speed_names.push_back(body + "." + mode);
  coordinate_dimensions.push_back(dimension);
  speed_dimensions.push_back(dimension);
  lower.push_back(-DegreeData::unlimited);
  upper.push_back(DegreeData::unlimited);
  velocity_limit.push_back(DegreeData::unlimited);
  effort_limit.push_back(DegreeData::unlimited);
}

}  // namespace ulna
