#include "ulna/model/internal/recut.hpp"

#include <algorithm>

#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Named joints that close a loop.
Names closing(const Model& model, const Names& names) {
  Names found;
  for (const Loop& loop : model.loops())
    if (loop.kind == LoopKind::joint && contains(names, loop.joint)) found.push_back(loop.joint);
  return found;
}

JointData& joint_of(Robot& robot, const std::string& name) {
  return *std::find_if(robot.joints.begin(), robot.joints.end(),
                       [&](const JointData& joint) { return joint.name == name; });
}

/// Cuts other joints until none of `wrong`, the named ones that close loops, is left to mend.
Robot recut(Robot robot, const Names& names, Names wrong) {
  while (!wrong.empty()) {
    // One exchange at a time; it must leave fewer of them closing.
    bool better = false;
    for (const JointData& other : robot.joints) {
      if (contains(names, other.name) || other.cut || other.mimic) continue;
      Robot trial = robot;
      joint_of(trial, wrong.front()).cut = false;
      joint_of(trial, other.name).cut = true;
      try {
        const Names left = closing(Model(trial), names);
        if (left.size() >= wrong.size()) continue;
        robot = std::move(trial);
        wrong = left;
        better = true;
        break;
      } catch (const InputError&) {  // this joint cannot be cut
      }
    }
    if (!better) break;
  }
  return robot;
}

}  // namespace

std::shared_ptr<const Model> with_joints_in_tree(std::shared_ptr<const Model> model,
                                                 const Names& names) {
  const Names wrong = closing(*model, names);
  if (wrong.empty()) return model;
  const auto other = std::make_shared<Model>(recut(model->robot(), names, wrong));
  take_actuator_inputs(*model, *other);
  return other;
}

}  // namespace ulna
