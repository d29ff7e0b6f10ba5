#pragma once
// The tree prepared for the form of Newton-Euler that needs the fewest operations
// (compact_newton_euler.hpp). Efforts do not depend on everything in a model: a joint's origin may
// lie anywhere on its axis, and a mass on the axis may count for either of the two bodies. A
// CompactPlan makes these choices; docs/theory/compact-newton-euler.md, eq. 1-6.
//
// Trees of one-degree joints (revolute, prismatic, screw, and what is made of them) only.

#include <vector>

#include "ulna/model/model.hpp"
#include "ulna/symbolic/expression.hpp"

namespace ulna {

/// The joint frame stands in the parent's link frame at `position`, turned by Rz(phi) Rx(alpha);
/// the link then turns by sigma q + offset and slides by h q. Inertial parameters as in
/// NodeParameters.
template <class P>
struct CompactNode {
  int parent = 0, q = 0, v = 0;
  double sigma = 0, h = 0, offset = 0;
  double phi = 0, cos_alpha = 1, sin_alpha = 0;
  bool turns = true;  ///< its vectors are in the link's axes; otherwise they stay before the turn
  P position[3] = {};
  P mass = P(0);
  P first_moment[3] = {};
  P second_moment[6] = {};  ///< xx, yy, zz, xy, xz, yz
  P rod = P(0);             ///< further second moments rod * p p', p the only child's position

  bool parallel() const { return sin_alpha == 0; }
};

template <class P>
struct CompactTree {
  int speeds = 0;
  P gravity[3] = {};
  P unit = P(1);                      ///< accelerations are carried as multiples of this one
  std::vector<CompactNode<P>> nodes;  ///< nodes[0] is the world
  std::vector<P> armature;
};

/// What a part of a body's inertia is moved across its joint for (eq. 3): to vanish from the body
/// itself, or to clear an entry of the parent's. `own_...` keep a second moment zz of that size.
enum class Clears : unsigned char {
  itself,
  parent_hx,
  parent_hy,
  parent_xx,
  parent_yy,
  parent_difference,  ///< xx - yy
  parent_xy,
  parent_xz,
  parent_yz,
  parent_mass,
  parent_hz,
  own_xx,
  own_yy,
  minus_own_xx,
  minus_own_yy
};
inline constexpr int parent_targets = 11, all_targets = 15;

struct CompactChoice {
  bool slides = true;              ///< origin at the foot of the normal to the parent's axis
  bool turns = true;               ///< vectors follow the joint's angle
  bool rod = false;                ///< xx - yy as masses along the arm to the only child
  bool by_gravity = false;         ///< the world's only: accelerations as multiples of gravity
  bool aligns = false;             ///< a tip's x axis along its first moment
  Clears mass = Clears::itself;    ///< mass at the origin
  Clears moment = Clears::itself;  ///< first moment along the axis
  Clears axial = Clears::itself;   ///< second moment zz
  bool operator==(const CompactChoice&) const = default;
};

using CompactPlan = std::vector<CompactChoice>;  ///< one per node, the world included

/// Whether every node of the tree is a screw.
ULNA_API bool has_compact_form(const Topology& topology);

/// The prepared tree. Parameters are expressions: numbers, or inputs of the current graph, in which
/// case what is computed here is the start-up of a generated function.
ULNA_API CompactTree<Expression> compact_tree(const Topology& topology,
                                              const Parameters<Expression>& parameters,
                                              const CompactPlan& plan);
/// The same with numbers, by the plan that suits most arms. InputError naming a joint that does not
/// fit.
ULNA_API CompactTree<double> compact_tree(const Model& model);

/// Efforts by the compact form (`--method newton-euler-compact`), wrenches left out.
ULNA_API Eigen::VectorXd inverse_dynamics_compact(const Model& model, const VectorRef& q,
                                                  const VectorRef& v, const VectorRef& a);

}  // namespace ulna
