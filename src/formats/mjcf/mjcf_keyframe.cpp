// Keyframes of a MuJoCo model as named postures.

#include <fmt/format.h>

#include <algorithm>

#include "mjcf/mjcf_parts.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/spatial/rotation.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

std::vector<const JointData*> joints_of_qpos(const MjcfContext& context, std::size_t& numbers) {
  std::vector<const JointData*> joints;
  numbers = 0;
  for (const std::string& name : context.posture_joints)
    for (const JointData& joint : context.robot.joints)
      if (joint.name == name) {
        joints.push_back(&joint);
        numbers += static_cast<std::size_t>(size_of(joint.type).coordinates);
      }
  return joints;
}

/// MuJoCo's qpos0, of a model without keyframes, where it is not neutral here: floating bodies
/// where the file places them, and joints at their references.
void add_posture_of_file(MjcfContext& context, const std::vector<const JointData*>& joints,
                         pugi::xml_node root) {
  PostureData posture;
  posture.name = "qpos0";
  posture.mark = {context.lines.file()};
  for (const JointData* joint : joints) {
    if (joint->type == JointType::free) {
      Pose<double> X;
      for (const auto& [name, body] : context.bodies)
        if (body.name == joint->child) X = body.X_WB;
      if (X.position.isZero(0) && X.rotation == Matrix3<double>::Identity()) continue;
      const Eigen::Vector4d turn = quaternion_from_rotation(X.rotation);
      std::vector<double> values(turn.begin(), turn.end());
      values.insert(values.end(), X.position.begin(), X.position.end());
      posture.places.push_back({joint->name, values});
    } else if (const auto known = context.references.find(joint->name);
               known != context.references.end() && known->second != 0) {
      posture.places.push_back({joint->name, {known->second}});
    }
  }
  if (posture.places.empty() || root.child("keyframe").child("key")) return;
  context.report.used.push_back(
      {posture.mark, "posture 'qpos0'", "the posture in which the file has the bodies"});
  context.robot.postures.push_back(std::move(posture));
}

}  // namespace

void read_mjcf_keyframes(MjcfContext& context, pugi::xml_node root) {
  std::size_t numbers = 0, number = 0;
  const std::vector<const JointData*> joints = joints_of_qpos(context, numbers);
  add_posture_of_file(context, joints, root);
  const pugi::xml_node keyframe = root.child("keyframe");
  for (const pugi::xml_node node : keyframe.children("key")) {
    const XmlElement key = context.element(node);
    context.account(key, node, {"qpos"});
    PostureData posture;
    posture.name = key.text("name");
    if (posture.name.empty()) posture.name = fmt::format("key{}", number);
    ++number;
    posture.mark = key.mark();
    if (!key.has("qpos")) {
      key.note_ignored("key without qpos ignored: it is the posture of the file");
      continue;
    }
    const std::vector<double> qpos = key.numbers("qpos", numbers);
    std::size_t at = 0;
    for (const JointData* joint : joints) {
      const auto count = static_cast<std::size_t>(size_of(joint->type).coordinates);
      const auto first = qpos.begin() + static_cast<std::ptrdiff_t>(at);
      PostureData::Place place{joint->name, {first, first + static_cast<std::ptrdiff_t>(count)}};
      // MuJoCo gives the position of a floating body first, here its turn comes first.
      if (count == 7)
        std::rotate(place.values.begin(), place.values.begin() + 3, place.values.end());
      posture.places.push_back(std::move(place));
      at += count;
    }
    key.note_used("posture " + in_quotes(posture.name));
    context.robot.postures.push_back(std::move(posture));
  }
}

}  // namespace ulna
