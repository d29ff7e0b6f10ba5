#pragma once
// Inverse dynamics by 4x4 matrices: positions, velocities and accelerations composed along the
// tree, joint actions by summation (docs/theory/homogeneous.md, eq. 5-8). Everything is in frame 0:
//
//   outwards   M = M_p A(q)                      W = W_p + W_rel          W_rel = sum L v
//              H = H_p + H_rel + 2 W_p W_rel     H_rel = sum L a + W_rel^2
//   inwards    Y = skew((Hg - H) J) + external + sum of Y of the children
//   effort     tau = -Y (x) L
//
// L holds one screw for each degree of freedom of the node: one for a screw node, three for a
// spherical one, six for a free one, all at rest in the node, which is why one formula serves all.
// Linear in the number of nodes; about 12 products of 4x4 matrices for each. The same results as
// inverse_dynamics, for reading and checking rather than for speed.

#include <vector>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/spatial/homogeneous.hpp"

namespace ulna {

/// A node of the tree in 4x4 matrices, all in frame 0 (the world).
template <class S>
struct NodeMatrices {
  PositionMatrix<S> M;
  VelocityMatrix<S> W;
  AccelerationMatrix<S> H;
  InertiaMatrix<S> J;
  ActionMatrix<S> Y;  ///< inertia, weight and loads of this node and all behind it
  ScrewMatrix<S> L[6];
  int freedoms = 0;  ///< how many of L
};

/// A(q): the pose of a node in its parent (docs/conventions.md, "Normal form").
template <class S>
PositionMatrix<S> node_position(const TreeNode& node, const NodeParameters<Parameter<S>>& par,
                                const S* q) {
  const Vector3<S> p(S(par.position[0]), S(par.position[1]), S(par.position[2]));
  Matrix3<S> R;
  if (node.kind == NodeKind::screw) {
    const double cf = node.cos_phi, sf = node.sin_phi, ca = node.cos_alpha, sa = node.sin_alpha;
    R << S(cf), S(-sf * ca), S(sf * sa), S(sf), S(cf * ca), S(-cf * sa), S(0), S(sa), S(ca);
    const Matrix3<S> turn = rotation_z<S>(S(q[node.q] * S(node.sigma) + S(node.offset)));
    const Vector3<S> origin = p + Vector3<S>(S(0), S(0), S(q[node.q] * S(node.h)));
    return PositionMatrix<S>(Pose<S>{Matrix3<S>(R * turn), Vector3<S>(R * origin)});
  }
  for (int k = 0; k < 9; ++k) R(k / 3, k % 3) = S(node.rotation[k]);
  const S* w = q + node.q;
  const Matrix3<S> turn = rotation_from_quaternion<S>(Quaternion<S>(w[0], w[1], w[2], w[3]));
  Vector3<S> origin = p;
  if (node.kind == NodeKind::free) origin += R * Vector3<S>(w[4], w[5], w[6]);
  return PositionMatrix<S>(Pose<S>{Matrix3<S>(R * turn), origin});
}

/// The screw of degree k of a node, in its own frame.
template <class S>
ScrewMatrix<S> node_screw(const TreeNode& node, int k) {
  Twist<S> unit;
  if (node.kind == NodeKind::screw) {
    unit.angular.z() = S(node.sigma);
    unit.linear.z() = S(node.h);
  } else {
    (k < 3 ? unit.angular : unit.linear)(k % 3) = S(1);
  }
  return ScrewMatrix<S>(unit);
}

template <class S, class P>
InertiaMatrix<S> node_inertia(const NodeParameters<P>& par) {
  const P *h = par.first_moment, *s = par.second_moment;
  Matrix4<S> J;
  J << S(s[0]), S(s[3]), S(s[4]), S(h[0]),  //
      S(s[3]), S(s[1]), S(s[5]), S(h[1]),   //
      S(s[4]), S(s[5]), S(s[2]), S(h[2]),   //
      S(h[0]), S(h[1]), S(h[2]), S(par.mass);
  return InertiaMatrix<S>(J);
}

/// M, W, H, L and J of every node. Without v and a (null) they are zero.
template <class S>
void compose_4x4(const TreeView<S>& tree, const S* q, const S* v, const S* a,
                 NodeMatrices<S>* nodes) {
  nodes[0] = {};
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    const NodeMatrices<S>& parent = nodes[node.parent];
    NodeMatrices<S>& own = nodes[i];
    own.M = parent.M * node_position<S>(node, tree.parameters[i], q);
    own.freedoms = speeds_of(node.kind);
    VelocityMatrix<S> W_rel;
    AccelerationMatrix<S> H_rel;
    for (int k = 0; k < own.freedoms; ++k) {
      own.L[k] = transform(own.M, node_screw<S>(node, k));
      if (v) W_rel.matrix += own.L[k].matrix * v[node.v + k];
      if (a) H_rel.matrix += own.L[k].matrix * a[node.v + k];
    }
    H_rel.matrix += W_rel.matrix * W_rel.matrix;
    own.W = compose(parent.W, W_rel);
    own.H = compose(parent.H, parent.W, H_rel, W_rel);
    own.J = transform(own.M, node_inertia<S>(tree.parameters[i]));
  }
}

template <class S>
AccelerationMatrix<S> gravity_matrix(const TreeView<S>& tree) {
  return AccelerationMatrix<S>::gravity(
      Vector3<S>(S(tree.gravity[0]), S(tree.gravity[1]), S(tree.gravity[2])));
}

/// Efforts for accelerations a, rotors included. `external` is null or has a wrench per node in its
/// own axes about its own origin; `nodes` is memory for tree.size nodes and keeps their matrices.
template <class S>
void newton_euler_4x4(const TreeView<S>& tree, const S* q, const S* v, const S* a,
                      const NodeWrench<S>* external, NodeMatrices<S>* nodes, S* tau) {
  compose_4x4(tree, q, v, a, nodes);
  const AccelerationMatrix<S> Hg = gravity_matrix(tree);
  for (int k = 0; k < tree.speeds; ++k) tau[k] = S(tree.armature[k]) * a[k];
  // Each node's own part: inertia, weight and what is applied to it.
  for (int i = 1; i < tree.size; ++i) {
    nodes[i].Y = action(Hg - nodes[i].H, nodes[i].J);
    if (!external) continue;
    const NodeWrench<S>& F = external[i];
    const ActionMatrix<S> load(Wrench<S>{{F.n.x, F.n.y, F.n.z}, {F.f.x, F.f.y, F.f.z}});
    nodes[i].Y += transform(nodes[i].M, load);
  }
  // Sums from the tips inwards; joint i applies -Y to its body.
  for (int i = tree.size - 1; i > 0; --i) {
    const TreeNode& node = tree.nodes[i];
    for (int k = 0; k < nodes[i].freedoms; ++k)
      tau[node.v + k] -= pseudo_product(nodes[i].Y, nodes[i].L[k]);
    nodes[node.parent].Y += nodes[i].Y;
  }
}

/// inverse_dynamics by this route: gravity, rotors, damping, friction and springs included.
ULNA_API Eigen::VectorXd inverse_dynamics_newton_euler_4x4(const Model& model, const VectorRef& q,
                                                           const VectorRef& v, const VectorRef& a,
                                                           ExternalWrenches wrenches = {});

/// J of a body and of the payloads it carries, in the body's frame.
ULNA_API InertiaMatrix<double> body_inertia(const Model& model, int body);

/// The twelve matrices of a body that the program of Legnani et al. prints, in the frames of the
/// robot's file. "Relative" is against the body that carries the joint, "local" in that body's
/// frame, "base" in the world's.
struct LinkMatrices {
  int body;    ///< index into Model::bodies()
  int parent;  ///< the body it is held by
  int joint;   ///< index into Model::joints()
  PositionMatrix<double> relative_position, absolute_position;
  VelocityMatrix<double> relative_velocity_local, relative_velocity_base, absolute_velocity;
  AccelerationMatrix<double> relative_acceleration_local, relative_acceleration_base,
      absolute_acceleration;
  InertiaMatrix<double> inertia_local, inertia_base;  ///< payloads included; local: own frame
  ActionMatrix<double> link_action;         ///< inertia, weight and external wrenches of this body
  ActionMatrix<double> joint_action;        ///< the same of it and all behind; the joint applies -Y
  std::vector<ScrewMatrix<double>> screws;  ///< L of its joint in base, one per degree of freedom
};

/// A joint or rod that closes a loop, in the same matrices: of its frame M on the child, in its
/// frame F on the parent ("local") and in the world ("base"). They coincide where its coordinates
/// are zero.
struct ClosingMatrices {
  int loop;                                  ///< index into Model::loops()
  int body, parent;                          ///< child and parent of the joint
  PositionMatrix<double> relative_position;  ///< M in F
  PositionMatrix<double> absolute_position;  ///< M in the world
  VelocityMatrix<double> relative_velocity_local, relative_velocity_base;
  AccelerationMatrix<double> relative_acceleration_local, relative_acceleration_base;
  ActionMatrix<double> joint_action;        ///< in base; the joint applies -Y to the child
  std::vector<ScrewMatrix<double>> screws;  ///< L in base, one per degree of freedom
};

/// The matrices of a robot of any kind: its tree, and what closes its loops. With loops, joint
/// actions of the tree include the wrenches of the closing joints.
struct MechanismMatrices {
  std::vector<LinkMatrices> links;       ///< from the base outwards
  std::vector<ClosingMatrices> closing;  ///< joints and rods that close loops; empty for trees
  Eigen::VectorXd tau;                   ///< efforts: of the motors, with loops
  bool unique = true;                    ///< false: redundant loops, minimum-norm wrenches
};
/// State and motors as for LoopDynamics::inverse.
ULNA_API MechanismMatrices mechanism_matrices(const Model& model, const VectorRef& q,
                                              const VectorRef& v, const VectorRef& a,
                                              ExternalWrenches wrenches = {},
                                              const LoopInverseOptions& motors = {});

/// Of a tree, from the base outwards: every body after the one it is held by.
ULNA_API std::vector<LinkMatrices> link_matrices(const Model& model, const VectorRef& q,
                                                 const VectorRef& v, const VectorRef& a,
                                                 ExternalWrenches wrenches = {});

}  // namespace ulna
