#include "urdf/urdf_tree.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "wording.hpp"

namespace ulna {

namespace {

class TreeCheck {
 public:
  TreeCheck(Robot& robot, XmlContext& context)
      : robot_(robot), problems_(context.problems), report_(context.report) {}

  std::string run() {
    for (const BodyData& body : robot_.bodies) links_[body.name] = &body;
    for (JointData& joint : robot_.joints) hang(joint);
    if (!complete_) return {};
    std::vector<std::string> roots;
    for (const BodyData& body : robot_.bodies)
      if (!joints_to_.count(body.name)) roots.push_back(body.name);
    choose_parents(roots);
    return find_root(roots);
  }

 private:
  void require_link(const JointData& joint, const char* role, const std::string& link) {
    if (links_.count(link)) return;
    complete_ = false;
    if (link.empty()) return;  // already said while reading
    std::vector<std::string> known;
    if (!problems_.full())
      for (const auto& [name, body] : links_) known.push_back(name);
    problems_.add(joint.mark, "joint " + in_quotes(joint.name),
                  fmt::format("its {} {} is not a link of this robot", role, in_quotes(link)),
                  "the name of a link", nearest_name_hint(link, known));
  }

  void hang(JointData& joint) {
    require_link(joint, "parent", joint.parent);
    require_link(joint, "child", joint.child);
    if (joint.child == world_name)
      problems_.add(joint.mark, "joint " + in_quotes(joint.name),
                    "the link 'world' cannot be a child: it is the body that does not move");
    if (!joint.child.empty()) joints_to_[joint.child].push_back(&joint);
  }

  /// Each link hangs on the first of its joints; on a later one where the first does not lead to
  /// the root.
  void choose_parents(const std::vector<std::string>& roots) {
    for (JointData& joint : robot_.joints) joints_from_[joint.parent].push_back(&joint);
    for (const std::string& root : roots) reach(root);
    while (!later_.empty()) {
      JointData* const joint = *later_.begin();  // in the order of the file
      later_.erase(later_.begin());
      if (!reached_.count(joint->child)) take(*joint);
    }
    for (const auto& [link, joints] : joints_to_) {
      const JointData*& parent = parent_joint_[link];
      if (!parent) parent = joints.front();  // on a cycle
      for (JointData* joint : joints)
        if (joint != parent) close_loop(*joint, *parent);
    }
  }

  void take(const JointData& joint) {
    parent_joint_[joint.child] = &joint;
    reach(joint.child);
  }

  /// A link and all that hangs on it.
  void reach(const std::string& from) {
    std::vector<std::string> open = {from};
    reached_.insert(from);
    while (!open.empty()) {
      const std::string link = open.back();
      open.pop_back();
      for (JointData* joint : joints_from_[link]) {
        if (reached_.count(joint->child)) continue;
        if (joints_to_[joint->child].front() != joint) {
          later_.insert(joint);
          continue;
        }
        parent_joint_[joint->child] = joint;
        reached_.insert(joint->child);
        open.push_back(joint->child);
      }
    }
  }

  void close_loop(JointData& joint, const JointData& parent) {
    joint.cut = true;
    report_.changed.push_back(
        {joint.mark, "joint " + in_quotes(joint.name),
         fmt::format("closes a loop: its child {} is already attached to joint {} (line {})",
                     in_quotes(joint.child), in_quotes(parent.name), parent.mark.line)});
  }

  std::string find_root(const std::vector<std::string>& roots) {
    report_cycles();
    if (roots.empty()) {
      problems_.add({robot_.source}, "robot " + in_quotes(robot_.name),
                    "no root: every link is the child of a joint",
                    "one link that is nobody's child");
      return {};
    }
    for (std::size_t i = 1; i < roots.size(); ++i)
      problems_.add(links_[roots[i]]->mark, "link " + in_quotes(roots[i]),
                    fmt::format("a second root in addition to {}: no joint has it as child",
                                in_quotes(roots[0])),
                    "one root", "join the two with a fixed joint");
    return roots[0];
  }

  // Walk from every link towards the root; a link met twice on one walk lies on a cycle.
  void report_cycles() {
    std::set<std::string> done;
    for (const BodyData& body : robot_.bodies) {
      std::vector<std::string> walk;
      std::set<std::string> on_walk;
      std::string link = body.name;
      while (!done.count(link) && on_walk.insert(link).second) {
        walk.push_back(link);
        const auto joint = parent_joint_.find(link);
        if (joint == parent_joint_.end()) break;
        link = joint->second->parent;
      }
      if (!done.count(link) && on_walk.count(link) && parent_joint_.count(link))
        report_cycle(walk, link);
      done.insert(walk.begin(), walk.end());
    }
  }

  void report_cycle(const std::vector<std::string>& walk, const std::string& start) {
    constexpr std::size_t most = 10;
    std::string path = start;
    std::size_t count = 0;
    for (auto link = walk.rbegin(); link != walk.rend() && *link != start; ++link)
      if (++count < most) path += " -> " + *link;
    path += (count >= most ? " -> ... -> " : " -> ") + start;
    problems_.add(parent_joint_[start]->mark, "joint " + in_quotes(parent_joint_[start]->name),
                  "the links form a cycle: " + path, "links that are all connected to one root",
                  "a loop needs a link that is the root and nobody's child");
  }

  Robot& robot_;
  Problems& problems_;
  ImportReport& report_;
  bool complete_ = true;
  std::map<std::string, const BodyData*> links_;
  std::map<std::string, std::vector<JointData*>> joints_to_, joints_from_;
  std::set<std::string> reached_;
  std::set<JointData*> later_;  ///< joints of a reached link that are not the first of their child
  std::map<std::string, const JointData*> parent_joint_;
};

}  // namespace

std::string hang_urdf_tree(Robot& robot, XmlContext& context) {
  return TreeCheck(robot, context).run();
}

}  // namespace ulna
