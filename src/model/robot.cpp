#include "ulna/model/robot.hpp"

#include "ulna/model/joints/joint_traits.hpp"

namespace ulna {

JointSize size_of(JointType type) {
  const JointTraits& traits = traits_of(type);
  return {static_cast<int>(traits.coordinates.size()), static_cast<int>(traits.speeds.size())};
}

const char* name_of(JointType type) { return traits_of(type).name; }

const char* name_of(ConstraintData::Type type) {
  return type == ConstraintData::Type::distance ? "distance" : "coupling";
}

std::optional<JointType> joint_type_from_name(const std::string& name) {
  const std::vector<std::string>& names = joint_type_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    if (name == names[k]) return static_cast<JointType>(k);
  return std::nullopt;
}

}  // namespace ulna
