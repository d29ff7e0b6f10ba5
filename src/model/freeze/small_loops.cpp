// Smaller loops by exchange: a closing joint goes into the tree and a joint of its cycle out of it,
// as long as the loops get smaller. The size of a loop is the number of speeds on its way through
// the tree, for that is what its rows couple. (The least sum over all trees is a hard problem; an
// exchange finds it for single loops and comes near it for nets.)

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "freeze/freezer.hpp"

namespace ulna {
namespace {

class Exchange {
 public:
  explicit Exchange(const Robot& robot) : robot_(robot) {
    int bodies = 0;
    body_[world_name] = bodies++;
    for (const BodyData& body : robot.bodies) body_[body.name] = bodies++;
    at_.resize(bodies);
    std::set<std::string> wanted;
    for (const ConstraintData& constraint : robot.constraints)
      for (const auto& term : constraint.terms) wanted.insert(term.joint);
    for (const ElementData& element : robot.elements) wanted.insert(element.joint);
    for (const JointData& joint : robot.joints)
      if (joint.mimic) wanted.insert({joint.name, joint.mimic->joint});
    for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j) {
      const JointData& joint = robot.joints[j];
      ends_.push_back({body_[joint.parent], body_[joint.child]});
      at_[ends_[j].parent].push_back(j);
      at_[ends_[j].child].push_back(j);
      price_.push_back(price_of(joint, wanted.count(joint.name) > 0));
    }
  }

  struct Rooted {
    SpanningTree tree;
    std::vector<int> joint_above;  ///< of each body; -1 for the world
    std::vector<int> parent, depth;
  };

  /// The joints of a tree put in order from the world; none when one would run against its sense.
  std::optional<Rooted> rooted(const std::vector<bool>& in_tree) const {
    Rooted r;
    r.joint_above.assign(at_.size(), -1);
    r.parent.assign(at_.size(), -1);
    r.depth.assign(at_.size(), 0);
    std::vector<int> queue{0};
    std::vector<bool> used(ends_.size(), false);
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (int j : at_[queue[head]]) {
        if (!in_tree[j] || used[j]) continue;
        used[j] = true;
        const int from = queue[head];
        const bool reversed = ends_[j].child == from;
        const int to = reversed ? ends_[j].parent : ends_[j].child;
        if (reversed && !reversible(robot_.joints[j].type)) return std::nullopt;
        r.joint_above[to] = j;
        r.parent[to] = from;
        r.depth[to] = r.depth[from] + 1;
        r.tree.edges.push_back({j, reversed});
        queue.push_back(to);
      }
    if (queue.size() != at_.size()) return std::nullopt;
    for (int j = 0; j < static_cast<int>(ends_.size()); ++j)
      if (!in_tree[j]) r.tree.loops.push_back(j);
    return r;
  }

  /// Sum of loop sizes, and what it costs to have each of these joints cut.
  long cost(const Rooted& r) const {
    long sum = 0;
    for (int j : r.tree.loops) {
      sum += price_[j];
      for (int k : cycle(r, j)) sum += speeds(k);
    }
    return sum;
  }

  /// Tree joints on the way between the two bodies of a closing joint.
  std::vector<int> cycle(const Rooted& r, int j) const {
    std::vector<int> path;
    int a = ends_[j].parent, b = ends_[j].child;
    while (a != b) {
      int& lower = r.depth[a] >= r.depth[b] ? a : b;
      path.push_back(r.joint_above[lower]);
      lower = r.parent[lower];
    }
    return path;
  }

 private:
  struct Ends {
    int parent, child;
  };
  int speeds(int j) const {
    return robot_.joints[j].mimic ? 0 : size_of(robot_.joints[j].type).speeds;
  }
  /// What the user asked to cut is worth any loop size; what cannot or should not close a loop
  /// (followed joints, rotors, springs and dampers, whose work is best done on a coordinate) costs
  /// as much. Welds close a loop with six rows where any other joint takes fewer.
  static long price_of(const JointData& joint, bool wanted) {
    constexpr long must = 1000000, should = 1000;
    long price = joint.cut ? -should * should : 0;
    if (wanted) price += must;
    for (const DegreeData& d : joint.degrees) {
      if (d.rotor_inertia != 0) price += must;
      if (d.damping != 0 || d.friction != 0 || d.stiffness != 0) price += should;
    }
    if (joint.type == JointType::fixed) price += 1;
    // A free joint closes nothing: it carries a platform, or a robot without a base.
    if (joint.type == JointType::free) price += should;
    return price;
  }

  const Robot& robot_;
  std::map<std::string, int> body_;
  std::vector<Ends> ends_;
  std::vector<std::vector<int>> at_;
  std::vector<long> price_;
};

}  // namespace

SpanningTree with_small_loops(const Robot& robot, SpanningTree tree) {
  constexpr int most_trials = 20000;  // each costs as much as the robot has joints
  const Exchange exchange(robot);
  std::vector<bool> in_tree(robot.joints.size(), false);
  for (const auto& edge : tree.edges) in_tree[edge.joint] = true;
  auto best = exchange.rooted(in_tree);
  if (!best) return tree;
  long best_cost = exchange.cost(*best);
  bool exchanged = false, improved = true;
  for (int trials = 0; improved && trials < most_trials;) {
    improved = false;
    for (const int closing : best->tree.loops) {
      for (const int other : exchange.cycle(*best, closing)) {
        if (++trials >= most_trials) break;
        in_tree[closing] = true;
        in_tree[other] = false;
        auto trial = exchange.rooted(in_tree);
        const long cost = trial ? exchange.cost(*trial) : best_cost;
        if (trial && cost < best_cost) {
          best = std::move(trial);
          best_cost = cost;
          exchanged = improved = true;
          break;
        }
        in_tree[closing] = false;
        in_tree[other] = true;
      }
      if (improved) break;
    }
  }
  return exchanged ? best->tree : tree;
}

}  // namespace ulna
