#include "write/massless_bodies.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace ulna {
namespace {

constexpr int most_degrees = 6;

/// Joints as MuJoCo counts them: a screw is a hinge and a slide.
int degrees_of(const WrittenBody& body) {
  int degrees = 0;
  for (const WrittenJoint& joint : body.joints) {
    using Kind = WrittenJoint::Kind;
    degrees += joint.kind == Kind::free    ? most_degrees + 1
               : joint.kind == Kind::ball  ? 3
               : joint.kind == Kind::screw ? 2
                                           : 1;
  }
  return degrees;
}

/// Bodies that something is fixed to, besides other bodies of the tree.
std::set<std::string> bodies_in_use(const WrittenTree& tree) {
  std::set<std::string> used;
  for (const FrameData& frame : tree.robot().frames) used.insert(frame.body);
  for (const WrittenClosing& closing : tree.closing)
    used.insert({closing.joint->parent, closing.joint->child});
  for (const ConstraintData& constraint : tree.robot().constraints)
    used.insert({constraint.parent, constraint.child});
  for (const ElementData& element : tree.robot().elements) {
    std::vector<ElementEnd> ends = element.through;
    ends.insert(ends.end(), {element.from, element.to});
    for (const ElementEnd& end : ends) used.insert({end.frame, end.body});
  }
  return used;
}

bool is_empty(const WrittenBody& body) {
  return body.inertial.mass == 0 && body.inertial.inertia.isZero(0) &&
         body.data->geometry.empty() && body.data->beams.empty() && !body.data->modal;
}

}  // namespace

std::set<std::string> massless_bodies_between(const WrittenTree& tree) {
  const std::set<std::string> used = bodies_in_use(tree);
  std::map<std::string, std::vector<const WrittenBody*>> behind;
  for (const WrittenBody& body : tree.bodies) behind[body.parent].push_back(&body);
  std::set<std::string> found;
  std::map<std::string, int> degrees;  ///< with those of the bodies found before
  for (const WrittenBody& body : tree.bodies) {
    int& sum = degrees[body.name];
    sum = degrees_of(body) + (found.count(body.parent) ? degrees[body.parent] : 0);
    const std::vector<const WrittenBody*>& next = behind[body.name];
    if (!body.joints.empty() && next.size() == 1 && is_empty(body) && !used.count(body.name) &&
        sum + degrees_of(*next.front()) <= most_degrees)
      found.insert(body.name);
  }
  return found;
}

}  // namespace ulna
