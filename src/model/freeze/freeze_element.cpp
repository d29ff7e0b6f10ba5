#include "freeze/freeze_element.hpp"

#include <fmt/format.h>

#include "ulna/model/parts/force_formula.hpp"
#include "ulna/model/parts/placement.hpp"

namespace ulna {
namespace {

ElementPlace place_of(const Robot& robot, const ElementEnd& end) {
  if (end.frame.empty()) return {end.body, end.X_BE};
  for (const FrameData& frame : robot.frames)
    if (frame.name == end.frame) return {frame.body, frame.X_BF * end.X_BE};
  return {end.frame, end.X_BE};  // a body, which is a frame too
}

/// Nodes come after their parents, so that the larger of two is never an ancestor of the other.
int common_ancestor(const std::vector<TreeNode>& nodes, int a, int b) {
  while (a != b) {
    if (a < b) std::swap(a, b);
    a = nodes[a].parent;
  }
  return a;
}

}  // namespace

std::shared_ptr<const ForceFormula> formula_of(const ElementData& data,
                                               const std::vector<std::string>& coordinates,
                                               const std::vector<std::string>& speeds) {
  if (data.formula.empty()) return nullptr;
  try {
    return std::make_shared<const ForceFormula>(
        ForceFormula(data.formula, data.name).placed(coordinates, speeds));
  } catch (const InputError& error) {
    Problem problem = error.problems().front();
    problem.where = data.mark;
    problem.element = fmt::format("{} '{}'", name_of(data.type), data.name);
    throw InputError(problem);
  }
}

std::vector<ElementPlace> places_along(const ElementData& data, const JointData& joint) {
  if (joint.type != JointType::revolute)
    throw InputError(
        Problem{data.mark, fmt::format("{} '{}'", name_of(data.type), data.name),
                fmt::format("lies along joint '{}', which closes a loop and does not simply turn",
                            joint.name),
                "a joint that turns, or one of the tree",
                "mark another joint of that loop with cut: true"});
  const Pose<double> along = Pose<double>::turn(axes_along(joint.axis.normalized()));
  return {{joint.parent, joint.X_PF * along}, {joint.child, joint.X_MC.inverse() * along}};
}

std::vector<ElementPlace> places_of(const Robot& robot, const ElementData& data) {
  if (!data.joint.empty()) return {};
  std::vector<ElementPlace> places = {place_of(robot, data.from)};
  for (const ElementEnd& end : data.through) places.push_back(place_of(robot, end));
  places.push_back(place_of(robot, data.to));
  // A torsion turns about z of its frames.
  if (data.type == ElementData::Type::torsion && !data.any_axis)
    for (ElementPlace& place : places)
      place.X_BE = place.X_BE * Pose<double>::turn(axes_along(data.axis.normalized()));
  return places;
}

Element element_of(const ElementData& data, const std::vector<TreeNode>& nodes,
                   const std::vector<int>& bodies, const std::vector<CarriedFrame>& points) {
  Element element;
  element.name = data.name;
  element.type = data.type;
  element.law = data.law;
  element.force = data.force;
  element.input = data.input;
  element.any_axis = data.any_axis;
  element.least_length = data.least_length;
  element.greatest_length = data.greatest_length;
  element.rate_limit = data.rate_limit;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      element.stiffness[6 * i + j] = data.stiffness(i, j);
      element.damping[6 * i + j] = data.damping(i, j);
    }
  for (std::size_t k = 0; k < points.size(); ++k) {
    ElementPoint point;
    point.body = bodies[k];
    point.node = points[k].node;
    for (int i = 0; i < 3; ++i) {
      point.p[i] = points[k].X_NF.position(i);
      for (int j = 0; j < 3; ++j) point.R[3 * i + j] = points[k].X_NF.rotation(i, j);
    }
    element.ancestor = k == 0 ? point.node : common_ancestor(nodes, element.ancestor, point.node);
    element.points.push_back(point);
  }
  return element;
}

}  // namespace ulna
