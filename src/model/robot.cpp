#include "ulna/model/robot.hpp"

namespace ulna {
namespace {
struct TypeRow {
  JointType type;
  const char* name;
  JointSize size;
};
constexpr TypeRow types[] = {
    {JointType::fixed, "fixed", {0, 0}},
    {JointType::revolute, "revolute", {1, 1}},
    {JointType::prismatic, "prismatic", {1, 1}},
    {JointType::screw, "screw", {1, 1}},
    {JointType::cylindrical, "cylindrical", {2, 2}},
    {JointType::universal, "universal", {2, 2}},
    {JointType::spherical, "spherical", {4, 3}},
    {JointType::planar, "planar", {3, 3}},
    {JointType::free, "free", {7, 6}},
};
const TypeRow& row(JointType type) { return types[static_cast<int>(type)]; }
}  // namespace

JointSize size_of(JointType type) { return row(type).size; }
const char* name_of(JointType type) { return row(type).name; }
const char* name_of(ConstraintData::Type type) {
  return type == ConstraintData::Type::distance ? "distance" : "coupling";
}

std::optional<JointType> joint_type_from_name(const std::string& name) {
  for (const TypeRow& candidate : types)
    if (name == candidate.name) return candidate.type;
  return std::nullopt;
}

}  // namespace ulna
