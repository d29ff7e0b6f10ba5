#include "page/open_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "page/robot_json.hpp"
#include "page/text.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/model/internal/undeformed.hpp"

namespace ulna {
namespace {

using Json = nlohmann::ordered_json;

/// A name that no frame of the robot has.
std::string free_name(const Robot& robot, const std::string& wanted) {
  const auto taken = [&](const std::string& name) {
    const auto has = [&](const auto& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const auto& item) { return item.name == name; });
    };
    return has(robot.frames) || has(robot.bodies);
  };
  std::string name = wanted;
  while (taken(name)) name += "'";
  return name;
}

/// A pose that a node carries, on the body of the loop.
FrameData frame_on(const Model& model, int body, int node, const Pose<double>& X_NF,
                   std::string name) {
  FrameData frame;
  frame.name = std::move(name);
  frame.body = model.bodies()[body].name;
  frame.X_BF = pose_on_body(model, body, node, X_NF);
  return frame;
}

/// Motors of a platform; of other robots what pivoting finds independent.
std::vector<int> kept_speeds(const Model& model, const VectorRef& q) {
  if (const PlatformData* platform = model.platform())
    return drive_speeds(model, Platform(*platform));
  LoopClosure closure(model);
  Workspace work(model);
  closure.update(work, q);
  return split_speeds(closure).independent;
}

}  // namespace

std::optional<OpenedLoops> open_tree(const Model& model) {
  Robot robot = model.robot();
  const auto closes = [&](const JointData& joint) {
    return std::any_of(model.loops().begin(), model.loops().end(), [&](const Loop& loop) {
      return loop.kind == LoopKind::joint && loop.joint == joint.name;
    });
  };
  std::erase_if(robot.joints, closes);
  robot.constraints.clear();
  OpenedLoops open;
  for (const Loop& loop : model.loops()) {
    if (loop.kind == LoopKind::coupling) {
      open.sides.emplace_back(-1, -1);
      continue;
    }
    if (loop.node_F != model.bodies()[loop.parent].node ||
        loop.node_M != model.bodies()[loop.child].node)
      return {};
    const auto first = static_cast<int>(model.bodies().size() + robot.frames.size());
    for (const auto& [body, node, X, side] :
         {std::tuple{loop.parent, loop.node_F, loop.X_NF, "parent"},
          std::tuple{loop.child, loop.node_M, loop.X_NM, "child"}})
      robot.frames.push_back(
          frame_on(model, body, node, X,
                   free_name(robot, fmt::format("loop {} {}", open.sides.size() + 1, side))));
    open.sides.emplace_back(first, first + 1);
  }
  open.tree = std::make_shared<const Model>(std::move(robot));
  if (open.tree->coordinate_names() != model.coordinate_names()) return {};
  return open;
}

Json loops_json(const Model& model, const OpenedLoops& open, const VectorRef& q) {
  Json list = Json::array();
  for (const Loop& loop : model.loops()) {
    const auto [parent, child] = open.sides[list.size()];
    Json one = {{"name", clean_utf8(loop.joint)}};
    if (loop.kind == LoopKind::coupling) {
      one["holds"] = "coupling";
      one["offset"] = loop.offset;
      one["terms"] = Json::array();
      for (const CouplingTerm& term : loop.terms)
        one["terms"].push_back(
            {{"q", term.q}, {"v", term.v}, {"factor", term.factor}, {"higher", term.higher}});
    } else {
      one["holds"] = loop.kind == LoopKind::distance ? "distance" : name_of(loop.type);
      one["parent"] = parent;
      one["child"] = child;
      one["length"] = loop.length;
      one["pitch"] = loop.pitch;
      one["axis2"] = list_json(loop.axis2);
      one["cosine"] = loop.axes_cosine;
    }
    list.push_back(one);
  }
  return {{"closures", list}, {"kept", kept_speeds(model, q)}};
}

Json tangents_json(const Model& model) {
  Json list = Json::array();
  for (const TangentBlock& block : model.blocks()) {
    const char* kind = block.kind == TangentBlock::Kind::ball   ? "ball"
                       : block.kind == TangentBlock::Kind::free ? "free"
                                                                : "line";
    list.push_back({{"kind", kind}, {"q", block.q}, {"v", block.v}, {"speeds", block.speeds}});
  }
  return list;
}

}  // namespace ulna
