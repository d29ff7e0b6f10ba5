#include "yaml/yaml_posture.hpp"

#include <fmt/format.h>

#include "ulna/model/joints/joint_traits.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

const Quantity& unit_of_coordinate(JointType type, std::size_t k) {
  const std::span<const Degree> coordinates = traits_of(type).coordinates;
  if (k >= coordinates.size()) return quantity::number;
  return coordinates[k].dimension == Dimension::angle    ? quantity::angle
         : coordinates[k].dimension == Dimension::length ? quantity::length
                                                         : quantity::number;
}

}  // namespace

PostureData read_posture(YamlContext& context, const YamlNode& node,
                         const std::vector<JointData>& joints) {
  const YamlMap map(context, node, "posture", {"name", "q"});
  PostureData posture;
  posture.mark = map.mark();
  posture.name = map.needed_text("name", "the posture's name");
  const YamlNode* q = map.need("q", "a map from joints to their coordinates");
  if (!q) return posture;
  if (q->kind != YamlNode::Kind::map) {
    map.complain("q", "found " + describe(*q), "a map from joints to their coordinates");
    return posture;
  }
  for (const YamlEntry& entry : q->entries) {
    JointType type = JointType::fixed;
    for (const JointData& joint : joints)
      if (joint.name == entry.key) type = joint.type;
    PostureData::Place place{entry.key, {}};
    const std::string element = map.element() + ", " + entry.key;
    if (entry.value.kind == YamlNode::Kind::sequence)
      for (std::size_t k = 0; k < entry.value.items.size(); ++k)
        place.values.push_back(
            read_number(context, entry.value.items[k], element, unit_of_coordinate(type, k)));
    else
      place.values.push_back(
          read_number(context, entry.value, element, unit_of_coordinate(type, 0)));
    posture.places.push_back(std::move(place));
  }
  context.report.used.push_back({posture.mark, map.element(), "posture"});
  return posture;
}

}  // namespace ulna
