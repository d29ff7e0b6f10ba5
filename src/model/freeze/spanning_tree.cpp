#include <fmt/format.h>

#include <map>

#include "freeze/freezer.hpp"
#include "ulna/model/joints/joint_traits.hpp"

namespace ulna {

bool reversible(JointType type) { return !traits_of(type).has_quaternion(); }

// Breadth first from the world over the joints as declared. Breadth first keeps loops small: every
// body is reached by a shortest path; small_loops.cpp then looks for better. Joints marked `cut`
// are left for last, and joints are taken against their sense only when no other way is left.
SpanningTree spanning_tree(const Robot& robot, std::vector<Problem>& problems) {
  std::map<std::string, std::vector<int>> joints_at;
  for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j) {
    joints_at[robot.joints[j].parent].push_back(j);
    joints_at[robot.joints[j].child].push_back(j);
  }

  SpanningTree tree;
  std::map<std::string, bool> reached{{world_name, true}};
  std::vector<bool> used(robot.joints.size(), false);
  std::vector<std::string> queue{world_name};

  const auto take = [&](int j, bool reversed) {
    const JointData& joint = robot.joints[j];
    const std::string& next = reversed ? joint.parent : joint.child;
    used[j] = true;
    reached[next] = true;
    queue.push_back(next);
    tree.edges.push_back({j, reversed});
  };
  std::size_t head = 0;
  const auto grow = [&](bool backwards, bool cuts) {
    for (head = 0; head < queue.size(); ++head) {
      const std::string body = queue[head];  // a copy: take() may move the queue
      for (int j : joints_at[body]) {
        const JointData& joint = robot.joints[j];
        if (used[j] || (joint.cut && !cuts)) continue;
        if (joint.parent == body && !reached[joint.child])
          take(j, false);
        else if (backwards && joint.child == body && !reached[joint.parent] &&
                 reversible(joint.type))
          take(j, true);
      }
    }
  };
  grow(false, false);
  grow(true, false);
  grow(true, true);

  for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j)
    if (!used[j] && reached[robot.joints[j].parent] && reached[robot.joints[j].child])
      tree.loops.push_back(j);
  for (const BodyData& body : robot.bodies) {
    if (reached[body.name]) continue;
    // A ball that could only be taken from its child's side deserves a word of its own.
    const JointData* blocked = nullptr;
    for (int j : joints_at[body.name])
      if (robot.joints[j].parent == body.name && reached[robot.joints[j].child])
        blocked = &robot.joints[j];
    if (blocked)
      problems.push_back({body.mark, "body '" + body.name + "'",
                          fmt::format("only joint '{}' connects it to the world, and a {} joint "
                                      "cannot be taken from its child's side",
                                      blocked->name, name_of(blocked->type)),
                          "the parent to be the body nearer to the world",
                          "swap its parent and child"});
    else
      problems.push_back(
          {body.mark, "body '" + body.name + "'", "no chain of joints connects it to the world",
           "every body to be connected to the world",
           "add a joint with parent: world (type fixed, or free for a floating robot)"});
  }
  return tree;
}

// Branch by branch: what the recursions of a limb need then lies together in memory, and what
// carries a joint is mostly the joint before it.
SpanningTree depth_first(const Robot& robot, SpanningTree tree) {
  std::map<std::string, std::vector<SpanningTree::Edge>> leaving;
  const auto end_of = [&](const SpanningTree::Edge& edge, bool near) -> const std::string& {
    const JointData& joint = robot.joints[edge.joint];
    return near == edge.reversed ? joint.child : joint.parent;
  };
  for (const SpanningTree::Edge& edge : tree.edges) leaving[end_of(edge, true)].push_back(edge);
  std::vector<SpanningTree::Edge> waiting(leaving[world_name].rbegin(), leaving[world_name].rend());
  tree.edges.clear();
  while (!waiting.empty()) {
    const SpanningTree::Edge edge = waiting.back();
    waiting.pop_back();
    tree.edges.push_back(edge);
    const std::vector<SpanningTree::Edge>& next = leaving[end_of(edge, false)];
    waiting.insert(waiting.end(), next.rbegin(), next.rend());
  }
  return tree;
}

}  // namespace ulna
