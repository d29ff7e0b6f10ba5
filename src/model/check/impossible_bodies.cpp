#include "check/impossible_bodies.hpp"

#include <map>

namespace ulna {
namespace {

/// The body that moves, and where a body welded to it stands.
struct Weld {
  std::string root;
  Pose<double> X_RB;
};

/// Found once per body.
class Welds {
 public:
  explicit Welds(const Robot& robot) : bodies_(robot.bodies.size()) {
    for (const JointData& joint : robot.joints)
      if (joint.type == JointType::fixed) joints_.emplace(joint.child, &joint);
  }

  Weld of(const std::string& body) {
    std::vector<std::string> path;
    std::string at = body;
    while (!known_.count(at)) {
      const auto weld = joints_.find(at);
      const bool end = weld == joints_.end() || path.size() > bodies_;
      if (end)
        known_[at] = {at, {}};
      else
        path.push_back(at), at = weld->second->parent;
    }
    for (auto child = path.rbegin(); child != path.rend(); ++child) {
      const JointData& joint = *joints_[*child];
      const Weld& parent = known_[joint.parent];
      known_[*child] = {parent.root, parent.X_RB * joint.X_PF * joint.X_MC};
    }
    return known_[body];
  }

 private:
  std::size_t bodies_;
  std::map<std::string, const JointData*> joints_;
  std::map<std::string, Weld> known_;
};

}  // namespace

std::vector<ImpossibleBody> impossible_bodies(const Robot& robot) {
  Welds welds(robot);
  std::map<std::string, Inertia<double>> groups;
  std::map<std::string, int> members;
  for (const BodyData& body : robot.bodies) {
    const Weld weld = welds.of(body.name);
    const Inertial own = inertial_of(body);
    groups[weld.root] +=
        transform(weld.X_RB, Inertia<double>::from_centre(own.mass, own.centre, own.inertia));
    ++members[weld.root];
  }
  std::vector<ImpossibleBody> found;
  for (const BodyData& body : robot.bodies) {
    const Inertial own = inertial_of(body);
    if (!(own.mass >= 0) || !own.inertia.allFinite()) continue;  // a fault of its own
    const std::string reason = why_impossible(own.mass, own.inertia);
    if (reason.empty()) continue;
    const std::string root = welds.of(body.name).root;
    std::string harmless;
    if (root == world_name)
      harmless = " (harmless: it does not move)";
    else if (members[root] > 1 && why_impossible(groups[root]).empty())
      harmless = " (harmless: the bodies it is welded to compensate for it)";
    found.push_back({&body, reason, harmless});
  }
  return found;
}

}  // namespace ulna
