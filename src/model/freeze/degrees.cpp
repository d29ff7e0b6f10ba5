#include "freeze/degrees.hpp"

#include "ulna/model/joints/joint_traits.hpp"

namespace ulna {
namespace {

/// A speed that moves its own coordinate: one more of a line.
void add_to_line(std::vector<TangentBlock>& blocks, int q, int v) {
  constexpr auto line = TangentBlock::Kind::line;
  if (!blocks.empty()) {
    TangentBlock& last = blocks.back();
    const int count = last.speeds;
    if (last.kind == line && last.q + count == q && last.v + count == v) {
      ++last.speeds;
      return;
    }
  }
  blocks.push_back({line, q, v, 1, -1});
}

/// The quaternion of a joint, once for all its speeds.
void add_quaternions(std::vector<TangentBlock>& blocks, const Model& model, int j, int v) {
  const Joint& joint = model.joints()[j];
  for (int i = joint.first_node; i < joint.first_node + joint.node_count; ++i) {
    const TreeNode& node = model.topology().nodes[i];
    if (node.v != v || node.kind == NodeKind::screw) continue;
    const bool free = node.kind == NodeKind::free;
    blocks.push_back({free ? TangentBlock::Kind::free : TangentBlock::Kind::ball, node.q, node.v,
                      speeds_of(node.kind), j});
  }
}

}  // namespace

void describe_degrees(const Model& model, std::vector<DegreeOfFreedom>& degrees,
                      std::vector<int>& coordinate_of_speed, std::vector<TangentBlock>& blocks) {
  const auto add = [&](int joint, int q, int v) {
    degrees.push_back({model.speed_names()[v], model.speed_dimensions()[v], joint, -1, q, v});
    coordinate_of_speed.push_back(q);
    if (q >= 0) add_to_line(blocks, q, v);
  };
  // Speeds are numbered as the joints are declared, which is their order in the model.
  for (int j = 0; j < static_cast<int>(model.joints().size()); ++j) {
    const Joint& joint = model.joints()[j];
    for (int k = 0; k < joint.speeds; ++k) {
      const int own = traits_of(joint.type).coordinate_of_speed(k);
      add(j, own < 0 ? -1 : joint.q + own, joint.v + k);
      if (own < 0) add_quaternions(blocks, model, j, joint.v + k);
    }
  }
  for (std::size_t l = 0; l < model.loops().size(); ++l) {
    const Loop& loop = model.loops()[l];
    if (loop.kind != LoopKind::joint) continue;
    for (const Degree& speed : traits_of(loop.type).speeds)
      degrees.push_back(
          {loop.joint + speed.suffix, speed.dimension, -1, static_cast<int>(l), -1, -1});
  }
  for (int k = 0; k < model.modes(); ++k)
    add(-1, model.joint_coordinates() + k, model.joint_speeds() + k);
}

}  // namespace ulna
