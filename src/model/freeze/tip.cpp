#include "freeze/tip.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ulna/model/parts/platform.hpp"

namespace ulna {
namespace {

class TipFinder {
 public:
  explicit TipFinder(const Model& model) : model_(model), depth_(nodes().size(), 0) {
    for (std::size_t i = 1; i < nodes().size(); ++i) depth_[i] = depth_[nodes()[i].parent] + 1;
  }

  int find() const {
    int tip = 0;
    for (std::size_t f = 0; f < model_.frames().size(); ++f)
      if (depth_[model_.frames()[f].node] >= depth_[model_.frames()[tip].node])
        tip = static_cast<int>(f);
    const int flange = before_moving_fingers(model_.frames()[tip].node);
    return flange >= 0 ? flange : beside_fixed_fingers(tip);
  }

 private:
  const std::vector<TreeNode>& nodes() const { return model_.topology().nodes; }

  bool below(int node, int ancestor) const {
    while (node > ancestor) node = nodes()[node].parent;
    return node == ancestor;
  }

  /// Chains that hang on a node.
  int branches(int node) const {
    return static_cast<int>(std::count_if(
        nodes().begin() + 1, nodes().end(),
        [&](const TreeNode& n) { return n.parent == node && n.kind != NodeKind::station; }));
  }

  /// A gripper may have couplings and loops of its own; an arm whose links close loops is no arm.
  bool closed_beyond(int wrist) const {
    return std::any_of(model_.loops().begin(), model_.loops().end(), [&](const Loop& loop) {
      if (loop.kind != LoopKind::coupling)
        return !below(loop.node_F, wrist) || !below(loop.node_M, wrist);
      return std::any_of(loop.terms.begin(), loop.terms.end(), [&](const CouplingTerm& term) {
        for (const Joint& joint : model_.joints())
          if (joint.speeds > 0 && term.v >= joint.v && term.v < joint.v + joint.speeds)
            return !below(joint.first_node, wrist);
        return true;
      });
    });
  }

  bool has_mass(int body) const {
    return body > 0 &&
           inertial_of(model_.robot().bodies[static_cast<std::size_t>(body - 1)]).mass > 0;
  }

  /// The body on the same link that a body is fixed to; -1: there is none.
  int carrier_of(int body) const {
    const int node = model_.bodies()[body].node;
    for (const Joint& joint : model_.joints())
      if (joint.type == JointType::fixed && !joint.reversed && joint.child == body &&
          model_.bodies()[joint.parent].node == node)
        return joint.parent;
    return -1;
  }

  /// The last frame on the body that carries the palm, the body that the fingers are joined to;
  /// where the palm is the link itself or a mere place without mass, the last frame on the link
  /// that is not on the palm. Fingers are two or more short chains on one link of a longer arm. -1:
  /// there is no such gripper.
  int before_moving_fingers(int wrist) const {
    constexpr int longest_finger = 4;
    const std::vector<int> reach = reaches();
    while (wrist > 0 && branches(wrist) < 2) wrist = nodes()[wrist].parent;
    const int length = reach[wrist] - depth_[wrist];
    if (wrist == 0 || length > longest_finger || depth_[wrist] <= length || depth_[wrist] < 3 ||
        closed_beyond(wrist))
      return -1;
    std::set<int> palms;  // bodies that fingers are joined to
    for (const Joint& joint : model_.joints())
      if (joint.node_count > 0 && nodes()[joint.first_node].parent == wrist)
        if (const int palm = joint.reversed ? joint.child : joint.parent; has_mass(palm))
          palms.insert(palm);
    const int carrier = palms.size() == 1 ? carrier_of(*palms.begin()) : -1;
    int flange = -1, on_palm = -1;
    for (std::size_t f = 0; f < model_.frames().size(); ++f) {
      const int body = model_.frames()[f].body;
      if (model_.frames()[f].node != wrist || (carrier >= 0 && body != carrier)) continue;
      (palms.count(body) ? on_palm : flange) = static_cast<int>(f);
    }
    return flange >= 0 ? flange : on_palm;
  }

  /// How deep what hangs on each node goes.
  std::vector<int> reaches() const {
    std::vector<int> reach = depth_;
    for (std::size_t i = nodes().size(); i-- > 1;)
      reach[nodes()[i].parent] = std::max(reach[nodes()[i].parent], reach[i]);
    return reach;
  }

  /// Fingers that do not move in this file: two or more bodies with mass fixed to the same body
  /// of the last link. The last frame that is not on one of them; where all are, the tip as it was.
  int beside_fixed_fingers(int tip) const {
    const int node = model_.frames()[tip].node;
    if (depth_[node] < 3) return tip;
    std::map<int, int> parent_of;  // of bodies fixed on this node
    for (const Joint& joint : model_.joints())
      if (joint.type == JointType::fixed && !joint.reversed &&
          model_.bodies()[joint.parent].node == node && model_.bodies()[joint.child].node == node)
        parent_of[joint.child] = joint.parent;
    std::map<int, std::set<int>> heavy;  // by parent: children that have mass
    for (const auto& [child, parent] : parent_of)
      if (has_mass(child)) heavy[parent].insert(child);
    const auto on_finger = [&](int body) {
      for (auto at = parent_of.find(body); at != parent_of.end(); at = parent_of.find(at->second))
        if (heavy[at->second].size() >= 2 && heavy[at->second].count(at->first) > 0) return true;
      return false;
    };
    int best = -1;
    for (std::size_t f = 0; f < model_.frames().size(); ++f)
      if (model_.frames()[f].node == node && !on_finger(model_.frames()[f].body))
        best = static_cast<int>(f);
    return best >= 0 ? best : tip;
  }

  const Model& model_;
  std::vector<int> depth_;
};

}  // namespace

int tip_of(const Model& model) {
  if (const PlatformData* platform = model.platform()) {
    int tip = 0;
    for (std::size_t f = 0; f < model.frames().size(); ++f)
      if (model.bodies()[static_cast<std::size_t>(model.frames()[f].body)].name ==
          platform->platform_body)
        tip = static_cast<int>(f);
    return tip;
  }
  return TipFinder(model).find();
}

}  // namespace ulna
