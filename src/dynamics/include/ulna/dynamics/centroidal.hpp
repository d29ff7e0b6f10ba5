#pragma once
// Momentum about the centre of mass: h_G = A_G(q) v, six rows in world axes, angular first.
// docs/theory/centroidal.md, eq. 1-4. The column of a speed is the momentum that this speed alone
// gives to all it carries, a composite body. Linear in the bodies: composite inertias, and about 25
// multiplications for each speed.
//
//   const ulna::Jacobian& A = ulna::centroidal_momentum_matrix(model, work, q);
//
// Rotors and bodies fixed to the world have no part in it.

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kernels/composite_body.hpp"
#include "ulna/kinematics/kernels/forward_kinematics.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

/// eq. 1, from composite inertias: what hangs on the world, all together.
template <class S>
Vec3<S> composite_centre(const TreeView<S>& tree, const ScratchView<S>& work) {
  Vec3<S> moment = Vec3<S>::zero();
  S mass(0);
  for (int i = 1; i < tree.size; ++i) {
    if (tree.nodes[i].parent != 0) continue;
    const CompositeNode<S>& all = work.composite[i];
    moment += scaled(all.mass, work.pose[i].p) + work.pose[i].R * all.h;
    mass += all.mass;
  }
  return scaled(S(1) / mass, moment);
}

/// A_G (6 x speeds, column major) and the centre of mass. Something that moves must have mass.
template <class S>
void centroidal_momentum(const TreeView<S>& tree, const ScratchView<S>& work, const S* q,
                         Vec3<S>& centre, S* A) {
  node_poses(tree, work, q);
  composite_inertias(tree, work, q);
  centre = composite_centre(tree, work);
  for (int k = 0; k < 6 * tree.speeds; ++k) A[k] = S(0);
  for (int i = 1; i < tree.size; ++i) {
    const TreeNode& node = tree.nodes[i];
    NodeWrench<S> F[6];
    if (node.kind == NodeKind::screw)
      F[0] = screw_wrench(work.composite[i], node.sigma, node.h);
    else
      block_wrenches(work.composite[i], F);
    const Mat3<S>& R = work.pose[i].R;
    const Vec3<S> r = work.pose[i].p - centre;
    S* column = A + 6 * node.v;
    for (int k = 0; k < speeds_of(node.kind); ++k, column += 6) {  // eq. 2
      const Vec3<S> f = R * F[k].f;
      store(vec3(column) + R * F[k].n + cross(r, f), column);
      store(vec3(column + 3) + f, column + 3);
    }
  }
}

/// A_G(q), left in the workspace. ComputationError when nothing that moves has mass.
ULNA_API const Jacobian& centroidal_momentum_matrix(const Model& model, Workspace& work,
                                                    const VectorRef& q);
/// The time derivative of its entries when q moves with v, so that dh_G/dt = A_G a + dA_G/dt v.
/// Allocates: it runs the same text on dual numbers.
ULNA_API Jacobian centroidal_momentum_matrix_derivative(const Model& model, const VectorRef& q,
                                                        const VectorRef& v);

/// Whether there is a centre of mass: something that moves has mass.
ULNA_API bool has_moving_mass(const Model& model);

/// The centre of mass of all that moves, in the world.
struct CentreOfMass {
  double mass;
  Vector3<double> position, velocity;
};
ULNA_API CentreOfMass centre_of_mass_motion(const Model& model, Workspace& work, const VectorRef& q,
                                            const VectorRef& v);

/// h_G without the matrix: the momentum of all bodies about their centre of mass, world axes.
ULNA_API Vector6<double> centroidal_momentum(const Model& model, Workspace& work,
                                             const VectorRef& q, const VectorRef& v);

}  // namespace ulna
