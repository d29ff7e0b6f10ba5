#pragma once
// Grouping of inertial parameters: what a joint cannot feel of the body behind it is moved to the
// body in front of it, from the tips to the base, and what nothing can feel is dropped. Efforts
// stay the same for every motion; masses and moments become exact zeros, which kernels on symbols
// do not compute with. docs/theory/regressor.md, eq. 7-14. What remains of a node's ten parameters
// (m mass, h first moment, Sigma second moment, z the joint's axis):
//
//                                 the node turns freely       only about one direction e
//   revolute                      hx hy, Sigma but zz: 7      hx hy, xx + yy: 3
//   prismatic                     m, h: 4                     m, h across e: 3; along e: m
//   screw with pitch              all but zz: 9               m, hx hy, xx + yy: 4
//   spherical                     all but m: 9
//   free                          all 10
//
// A prismatic node that never turns keeps its mass. Where the axis of the first revolute or screw
// joint is not accelerated across itself, gravity counted as acceleration, hx and hy are not felt;
// where not along itself, a screw's mass acts as inertia. The results are parameters of no possible
// body: masses may be zero or negative. Inverse dynamics is linear in them and does not mind.

#include <array>
#include <optional>
#include <vector>

#include "ulna/model/kernels/topology.hpp"
#include "ulna/scalar/parts/export.hpp"
#include "ulna/spatial/parts/types.hpp"

namespace ulna {

struct GroupingOptions {
  /// Gravity in the world when it is known and will not change: a vertical first axis feels no
  /// first moment. Absent: any direction.
  std::optional<Vector3<double>> gravity;
  /// Also put the rotor inertia of a speed into the bodies where it cannot be told from theirs: the
  /// first revolute joint, a next one at right angles to it, slides along which nothing else moves.
  bool rotors = false;
};

/// What the motions of one node let the joints feel of its body.
struct NodeFeel {
  enum class Turning { none, line, full };
  Turning turning = Turning::none;
  Vector3<double> e = Vector3<double>::Zero();  ///< line: the direction, in the node's axes
  bool first_moment = true;  ///< false: its acceleration does no work on first moments
  bool mass_apart = true;    ///< false: first screw whose mass is felt only as xx += m h^2/sigma^2
  bool rotor_apart =
      true;  ///< false: the rotor acts as inertia about, or mass along, the joint's axis
};

/// One per node, the world included.
ULNA_API std::vector<NodeFeel> node_feels(const Topology& topology, const GroupingOptions& options);

/// Which of m, hx, hy, hz, xx, yy, zz, xy, xz, yz remain at each node after grouping.
using FeltParameters = std::array<bool, 10>;
ULNA_API std::vector<FeltParameters> felt_parameters(const Topology& topology,
                                                     const GroupingOptions& options = {});

/// R_pi of a screw node at q = 0, entries next to 0 and 1 made exact.
ULNA_API Matrix3<double> screw_rotation(const TreeNode& node);

namespace grouping {

enum { xx, yy, zz, xy, xz, yz };

/// eq. 8: the pseudo-inertia `part` of a node, as seen from the parent at q = 0, is added to it.
template <class S>
void add_seen_from_parent(const TreeNode& node, const NodeParameters<S>& part,
                          NodeParameters<S>& parent) {
  const bool screw = node.kind == NodeKind::screw;
  const double ca = node.cos_alpha, sa = node.sin_alpha, cf = node.cos_phi, sf = node.sin_phi;
  Matrix3<double> R = Matrix3<double>::Identity();
  S p[3] = {part.position[0], part.position[1], part.position[2]};
  if (screw) {
    R = screw_rotation(node);
    const S y = ca * p[1] - sa * p[2];
    p[2] = sa * p[1] + ca * p[2];
    p[1] = sf * p[0] + cf * y;
    p[0] = cf * p[0] - sf * y;
  }
  S h[3], Sigma[3][3];
  const S* s = part.second_moment;
  const S full[3][3] = {{s[xx], s[xy], s[xz]}, {s[xy], s[yy], s[yz]}, {s[xz], s[yz], s[zz]}};
  for (int i = 0; i < 3; ++i) {
    h[i] = R(i, 0) * part.first_moment[0] + R(i, 1) * part.first_moment[1] +
           R(i, 2) * part.first_moment[2];
    for (int j = i; j < 3; ++j) {
      Sigma[i][j] = S(0);
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) Sigma[i][j] += (R(i, k) * R(j, l)) * full[k][l];
    }
  }
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) Sigma[i][j] += h[i] * p[j] + h[j] * p[i] + part.mass * p[i] * p[j];
  parent.mass += part.mass;
  for (int i = 0; i < 3; ++i) {
    parent.first_moment[i] += h[i] + part.mass * p[i];
    parent.second_moment[i] += Sigma[i][i];
  }
  parent.second_moment[xy] += Sigma[0][1];
  parent.second_moment[xz] += Sigma[0][2];
  parent.second_moment[yz] += Sigma[1][2];
}

/// Hands a value over, leaving an exact zero.
template <class S>
S take(S& from) {
  S out = from;
  from = S(0);
  return out;
}

/// The component of the first moment along e, not felt, is used to clear the largest entry of e.
template <class S>
void clear_along(const Vector3<double>& e, S* h) {
  int k = 0;
  e.cwiseAbs().maxCoeff(&k);
  const S ratio = take(h[k]) * (1 / e(k));
  for (int i = 0; i < 3; ++i)
    if (i != k && e(i) != 0) h[i] -= e(i) * ratio;
}

/// eq. 12-14: what the node's own motion cannot make felt is dropped. Screw nodes turning about z.
template <class S>
void drop_on_line(const NodeFeel& feel, NodeParameters<S>& own) {
  own.second_moment[xx] += take(own.second_moment[yy]);
  for (int k : {zz, xy, xz, yz}) own.second_moment[k] = S(0);
  own.first_moment[2] = S(0);
  if (!feel.first_moment) own.first_moment[0] = own.first_moment[1] = S(0);
}

/// eq. 9-11: the part of a node's parameters that its parent can carry instead, cut out of them.
template <class S>
NodeParameters<S> cut_movable(const TreeNode& node, const NodeFeel& feel, NodeParameters<S>& own) {
  NodeParameters<S> part;
  for (int k = 0; k < 3; ++k) part.position[k] = own.position[k];
  const bool still = node.kind == NodeKind::screw && node.sigma == 0 && node.h == 0;
  const bool line = feel.turning == NodeFeel::Turning::line;
  if (node.kind == NodeKind::free) return part;
  if (node.kind == NodeKind::spherical) {
    part.mass = take(own.mass);
    if (!feel.first_moment)
      for (S& h : own.first_moment) h = S(0);
  } else if (node.sigma == 0) {
    for (int k = 0; k < 6; ++k) part.second_moment[k] = take(own.second_moment[k]);
    const bool along = line && feel.e.head<2>().isZero(0);
    if (still || along || feel.turning == NodeFeel::Turning::none)
      for (int k = 0; k < 3; ++k) part.first_moment[k] = take(own.first_moment[k]);
    else if (line)
      clear_along(feel.e, own.first_moment);
    if (still) part.mass = take(own.mass);
  } else {
    if (node.h == 0) {
      part.mass = take(own.mass);
      part.first_moment[2] = take(own.first_moment[2]);
    }
    part.second_moment[zz] = take(own.second_moment[zz]);
    if (!feel.mass_apart) {  // eq. 13: along the axis it acts as inertia, across as the parent's
      const double arm = node.h / node.sigma;
      own.second_moment[xx] += own.mass * (arm * arm);
      part.mass += take(own.mass);
    }
    if (line) drop_on_line(feel, own);
  }
  return part;
}

/// eq. 15: a rotor as a change of the moment of inertia about z alone, or of the mass along z alone
/// (the parent is given what undoes the rest: zz by cut_movable, the mass across z here).
template <class S>
void take_rotor(const TreeNode& node, S& armature, NodeParameters<S>& own,
                NodeParameters<S>& undone) {
  if (node.sigma == 0) {
    const S mass = take(armature) * (1 / (node.h * node.h));
    own.mass += mass;
    undone.mass -= mass;
    return;
  }
  const S half = take(armature) * (0.5 / (node.sigma * node.sigma));
  own.second_moment[xx] += half;
  own.second_moment[yy] += half;
  own.second_moment[zz] -= half;
}

}  // namespace grouping

/// Groups the parameters of all nodes in place. What reaches the world is dropped.
template <class S>
void group_parameters(const Topology& topology, Parameters<S>& parameters,
                      const GroupingOptions& options = {}) {
  const std::vector<NodeFeel> feels = node_feels(topology, options);
  for (std::size_t i = topology.nodes.size() - 1; i > 0; --i) {
    const TreeNode& node = topology.nodes[i];
    NodeParameters<S>& own = parameters.nodes[i];
    NodeParameters<S> undone;
    if (!feels[i].rotor_apart) grouping::take_rotor(node, parameters.armature[node.v], own, undone);
    NodeParameters<S> part = grouping::cut_movable(node, feels[i], own);
    part.mass += undone.mass;
    if (node.parent > 0) grouping::add_seen_from_parent(node, part, parameters.nodes[node.parent]);
  }
}

}  // namespace ulna
