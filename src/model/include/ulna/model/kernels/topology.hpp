#pragma once
// The frozen tree: nodes in an order where every parent comes before its children. TreeNode 0 is
// the world. Integers and axis directions are here, lengths and masses in Parameters<S>, so that
// the same kernels run with symbolic or differentiated parameters.
//
// Normal form of a screw node i with parent p (docs/conventions.md, "Normal form"):
//
//   X_pi(q) = Rz(phi) Rx(alpha) T(position) Rz(sigma q + offset) Tz(h q)
//
// The joint acts about its own z axis. For the principal child of a screw node phi = 0 and the
// position has no y component, which is what makes the kernels cheap.

#include <cstdint>
#include <memory>
#include <vector>

#include "ulna/model/parts/modal_body.hpp"
#include "ulna/spatial/inertia.hpp"

namespace ulna {

enum class NodeKind : std::uint8_t {
  screw,      ///< one degree: angle sigma q + offset about z, shift h q along z
  spherical,  ///< three degrees: unit quaternion, angular velocity in the node's axes
  free,       ///< six degrees: quaternion and position, twist in the node's axes
  flexible,   ///< the root of a flexible body, fixed to its parent; its degrees are modes
  station     ///< a section of a flexible body (its parent), which carries other nodes
};

struct TreeNode {
  int parent = 0;
  int q = -1;  ///< first coordinate; several nodes may share one (mimic joints)
  int v = -1;  ///< first speed
  NodeKind kind = NodeKind::screw;
  bool follows = false;   ///< the parent is the node just before: kernels have it at hand
  bool branches = false;  ///< some child is not the node just after: kernels must keep its motion
  bool turned = false;    ///< screw: phi != 0 or the position has a y component
  double cos_phi = 1, sin_phi = 0;
  double cos_alpha = 1, sin_alpha = 0;
  double sigma = 0, h = 0, offset = 0;
  double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< other kinds: constant part R_pF, row major
  const ModalBody* modal = nullptr;                  ///< of flexible nodes and their stations
  int station = -1;                                  ///< index into modal->stations
};

constexpr int speeds_of(NodeKind kind) {
  return kind == NodeKind::screw ? 1 : kind == NodeKind::spherical ? 3 : 6;
}
/// Of any node: flexible ones have as many as modes, stations none of their own.
inline int speeds_of(const TreeNode& node) {
  if (node.kind == NodeKind::station) return 0;
  return node.kind == NodeKind::flexible ? node.modal->modes : speeds_of(node.kind);
}

struct Topology {
  std::vector<TreeNode> nodes;  ///< nodes[0] is the world
  int coordinates = 0;          ///< length of q
  int speeds = 0;               ///< length of v
  /// Flexible bodies, which the nodes point to. Kernels for rigid trees must not see them.
  std::vector<std::shared_ptr<const ModalBody>> modal;
  bool shared_speeds = false;  ///< two nodes share a speed (mimic): articulated bodies do not apply
};

/// Lengths and masses of one node, in its own axes about its own origin.
template <class S>
struct NodeParameters {
  S position[3] = {S(0), S(0),
                   S(0)};  ///< screw: after the constant turn; other kinds: in the parent
  S mass = S(0);
  S first_moment[3] = {S(0), S(0), S(0)};
  /// Integrals of x x, y y, z z, x y, x z, y z over the mass: the upper left of the pseudo-inertia.
  S second_moment[6] = {S(0), S(0), S(0), S(0), S(0), S(0)};
};

template <class S>
struct Parameters {
  S gravity[3] = {S(0), S(0), S(0)};
  std::vector<NodeParameters<S>> nodes;
  std::vector<S> armature;  ///< rotor inertia felt by each speed
};

/// What acts along one degree of freedom besides the efforts: with x = multiplier q + offset,
/// damping xdot + friction sign(xdot) + spring(x - rest) + rotor xddot (spring: spring.hpp).
struct DegreeTerms {
  int q = 0, v = 0;
  double multiplier = 1, offset = 0;
  double damping = 0, friction = 0, stiffness = 0, rest = 0, rotor = 0;
  double hardening = 0, backlash = 0;

  bool has_spring() const { return stiffness != 0 || hardening != 0; }
};

}  // namespace ulna
