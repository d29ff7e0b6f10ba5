#pragma once
// Lagrange's equations by 4x4 matrices: mass matrix, Coriolis and gravity terms as traces
// (docs/theory/homogeneous.md, eq. 9, 10). With H~ the accelerations at a = 0, everything in frame
// 0, and sums over the nodes h behind both joints:
//
//   M[i,m] = sum tr(L_i J_h L_m')              = tr(L_i Jc L_m'),  Jc = sum J_h behind the outer
//   C[m]   = sum tr((H~_h - Hg) J_h L_m')      = tr(B_m L_m'),     B_m = sum (H~_h - Hg) J_h
//   M a + C = tau
//
// External actions enter as -Phi (x) L. With the sums gathered from the tips inwards M costs one
// product for each pair of joints on a path, C is linear.

#include "ulna/dynamics/parts/newton_euler_4x4.hpp"

namespace ulna {

/// A node of the tree for Lagrange's equations.
template <class S>
struct LagrangeNode {
  InertiaMatrix<S> J;                 ///< of this node and all behind it
  Matrix4<S> B = Matrix4<S>::Zero();  ///< sum of (H~ - Hg) J over the same
};

/// J and B of all nodes; `nodes` must hold what compose_4x4 makes at zero acceleration.
template <class S>
void gather_4x4(const TreeView<S>& tree, const NodeMatrices<S>* nodes, LagrangeNode<S>* sums) {
  const AccelerationMatrix<S> Hg = gravity_matrix(tree);
  sums[0] = {};
  for (int i = 1; i < tree.size; ++i) {
    sums[i].J = nodes[i].J;
    sums[i].B = (nodes[i].H - Hg).matrix * nodes[i].J.matrix;
  }
  for (int i = tree.size - 1; i > 0; --i) {
    sums[tree.nodes[i].parent].J += sums[i].J;
    sums[tree.nodes[i].parent].B += sums[i].B;
  }
}

/// M(q) into a speeds x speeds array by columns, rotors included.
template <class S>
void mass_matrix_4x4(const TreeView<S>& tree, const NodeMatrices<S>* nodes,
                     const LagrangeNode<S>* sums, S* mass) {
  const int n = tree.speeds;
  for (int k = 0; k < n * n; ++k) mass[k] = S(0);
  for (int k = 0; k < n; ++k) mass[n * k + k] = S(tree.armature[k]);
  for (int i = 1; i < tree.size; ++i)
    for (int k = 0; k < nodes[i].freedoms; ++k) {
      const Matrix4<S> LJ = nodes[i].L[k].matrix * sums[i].J.matrix;
      const int row = tree.nodes[i].v + k;
      for (int l = 0; l < nodes[i].freedoms; ++l)
        mass[n * (tree.nodes[i].v + l) + row] += trace_of_product<S>(LJ, nodes[i].L[l].matrix);
      // The joints before it; nodes that share a speed (mimic) add up on both sides.
      for (int j = tree.nodes[i].parent; j > 0; j = tree.nodes[j].parent)
        for (int l = 0; l < nodes[j].freedoms; ++l) {
          const int column = tree.nodes[j].v + l;
          const S entry = trace_of_product<S>(LJ, nodes[j].L[l].matrix);
          mass[n * column + row] += entry;
          mass[n * row + column] += entry;
        }
    }
}

/// C(q, v): Coriolis, centrifugal and gravity terms.
template <class S>
void bias_4x4(const TreeView<S>& tree, const NodeMatrices<S>* nodes, const LagrangeNode<S>* sums,
              S* bias) {
  for (int k = 0; k < tree.speeds; ++k) bias[k] = S(0);
  for (int i = 1; i < tree.size; ++i)
    for (int k = 0; k < nodes[i].freedoms; ++k)
      bias[tree.nodes[i].v + k] += trace_of_product<S>(sums[i].B, nodes[i].L[k].matrix);
}

/// Efforts by this route, M a + C, with all that inverse_dynamics includes.
ULNA_API Eigen::VectorXd inverse_dynamics_lagrange_4x4(const Model& model, const VectorRef& q,
                                                       const VectorRef& v, const VectorRef& a,
                                                       ExternalWrenches wrenches = {});

/// M(q), rotors included.
ULNA_API Eigen::MatrixXd mass_matrix_lagrange_4x4(const Model& model, const VectorRef& q);

/// Accelerations from M a = tau - C by Cholesky. ComputationError naming the joint when M is
/// singular.
ULNA_API Eigen::VectorXd forward_dynamics_lagrange_4x4(const Model& model, const VectorRef& q,
                                                       const VectorRef& v, const VectorRef& tau,
                                                       ExternalWrenches wrenches = {});

/// The classical coefficients of the bodies alone (without rotors, friction and springs):
/// tau_i = D_i + sum_j D_ij a_j + sum_jk D_ijk v_j v_k, with D_ijk = D_ikj.
struct LagrangeCoefficients {
  Eigen::VectorXd D_i;                 ///< gravity
  Eigen::MatrixXd D_ij;                ///< mass matrix
  std::vector<Eigen::MatrixXd> D_ijk;  ///< for each i: centrifugal and Coriolis
  std::vector<int> speeds = {};        ///< that i, j and k count: all, or independent ones
};
/// tr(L_j L_k J_h L_i'), the inboard one of j and k first. Cost: the cube of the speeds. With
/// loops, at a closed posture: carried from the open tree to independent speeds along the
/// closed-loop map (docs/theory/influence-coefficients.md, eq. 16); those found by pivoting when
/// none are named.
ULNA_API LagrangeCoefficients lagrange_coefficients(const Model& model, const VectorRef& q,
                                                    const std::vector<int>& independent = {});

/// How M, W and J of a body (in the world's frame) change with one coordinate, in the tangent: as
/// `q` moves along the speed of that name. Zero for a body that does not hang on it.
struct BodyMatrixDerivatives {
  Matrix4<double> M = Matrix4<double>::Zero();
  Matrix4<double> W = Matrix4<double>::Zero();
  Matrix4<double> J = Matrix4<double>::Zero();
};
/// InputError for an unknown body or speed, with the nearest known one.
ULNA_API BodyMatrixDerivatives body_matrix_derivatives(const Model& model, const VectorRef& q,
                                                       const VectorRef& v, const std::string& body,
                                                       const std::string& speed);

}  // namespace ulna
