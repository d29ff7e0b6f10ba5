#include "freeze/coordinate_table.hpp"

#include "freeze/joint_parts.hpp"

namespace ulna {

void CoordinateTable::add(const JointData& joint) {
  const DegreeSuffixes suffixes = degree_suffixes(joint.type);
  for (const char* suffix : suffixes.coordinates) coordinate_names.push_back(joint.name + suffix);
  for (const char* suffix : suffixes.speeds) speed_names.push_back(joint.name + suffix);
  const JointSize size = size_of(joint.type);
  const auto degree = [&](int k) {
    return k < static_cast<int>(joint.degrees.size()) ? joint.degrees[k] : DegreeData{};
  };
  for (int k = 0; k < size.speeds; ++k) {
    velocity_limit.push_back(degree(k).velocity_limit);
    effort_limit.push_back(degree(k).effort_limit);
  }
  // Quaternions have no limits; the position of a free joint is that of its last three degrees.
  const int quaternion = size.coordinates == size.speeds ? 0 : 4;
  for (int k = 0; k < size.coordinates; ++k) {
    const DegreeData d = k < quaternion ? DegreeData{} : degree(quaternion ? k - 1 : k);
    lower.push_back(d.lower);
    upper.push_back(d.upper);
  }
}

void CoordinateTable::add_mode(const std::string& name) {
  coordinate_names.push_back(name);
  speed_names.push_back(name);
  lower.push_back(-DegreeData::unlimited);
  upper.push_back(DegreeData::unlimited);
  velocity_limit.push_back(DegreeData::unlimited);
  effort_limit.push_back(DegreeData::unlimited);
}

}  // namespace ulna
