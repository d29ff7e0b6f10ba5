#include "urdf/urdf_tree.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "wording.hpp"

namespace ulna {

namespace {

class TreeCheck {
 public:
  TreeCheck(const Robot& robot, Problems& problems) : robot_(robot), problems_(problems) {}

  std::string run() {
    for (const BodyData& body : robot_.bodies) links_[body.name] = &body;
    for (const JointData& joint : robot_.joints) hang(joint);
    return complete_ ? find_root() : std::string();
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

  void hang(const JointData& joint) {
    require_link(joint, "parent", joint.parent);
    require_link(joint, "child", joint.child);
    if (joint.child == world_name)
      problems_.add(joint.mark, "joint " + in_quotes(joint.name),
                    "the link 'world' cannot be a child: it is the body that does not move");
    const auto [place, first] = parent_joint_.emplace(joint.child, &joint);
    if (!first && !joint.child.empty())
      problems_.add(joint.mark, "link " + in_quotes(joint.child),
                    fmt::format("it has two parents: joint {} (line {}) and joint {}",
                                in_quotes(place->second->name), place->second->mark.line,
                                in_quotes(joint.name)),
                    "one parent joint for each link");
  }

  std::string find_root() {
    std::vector<std::string> roots;
    for (const BodyData& body : robot_.bodies)
      if (!parent_joint_.count(body.name)) roots.push_back(body.name);
    report_cycles();
    if (roots.empty()) {
      problems_.add({robot_.source}, "robot " + in_quotes(robot_.name),
                    "no root: every link is the child of a joint",
                    "one link that is nobody's child");
      return {};
    }
    for (std::size_t i = 1; i < roots.size(); ++i)
      problems_.add(
          links_[roots[i]]->mark, "link " + in_quotes(roots[i]),
          fmt::format("a second root beside {}: no joint has it as child", in_quotes(roots[0])),
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
                  "the links form a cycle: " + path, "a tree, as URDF describes no loops",
                  "a robot file in YAML can close loops");
  }

  const Robot& robot_;
  Problems& problems_;
  bool complete_ = true;
  std::map<std::string, const BodyData*> links_;
  std::map<std::string, const JointData*> parent_joint_;
};

}  // namespace

std::string check_urdf_tree(const Robot& robot, Problems& problems) {
  return TreeCheck(robot, problems).run();
}

}  // namespace ulna
