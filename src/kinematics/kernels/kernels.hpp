#pragma once
// The kernels of this module, once per instruction set.

#include "ulna/kinematics/kernels/flexible_kinematics.hpp"

namespace ulna {

/// One text over the nodes of a tree, for one scalar. The poses of rigid bodies do not depend on v.
template <class S>
struct TreeKinematics {
  void (*poses)(const TreeView<S>&, const ScratchView<S>&, const S* q, const S* v);
  void (*motions)(const TreeView<S>&, const ScratchView<S>&, const S* v, const S* a);
  void (*jacobian)(const TreeView<S>&, const ScratchView<S>&, int node, const Vec3<S>& point, S* J);
};

// Unnamed: every instruction set has its own.
namespace {

template <class S>
constexpr TreeKinematics<S> rigid_kinematics = {
    [](const TreeView<S>& tree, const ScratchView<S>& work, const S* q, const S*) {
      node_poses(tree, work, q);
    },
    [](const TreeView<S>& tree, const ScratchView<S>& work, const S* v, const S* a) {
      node_motions(tree, work, v, a);
    },
    [](const TreeView<S>& tree, const ScratchView<S>& work, int node, const Vec3<S>& point, S* J) {
      point_jacobian(tree, work, node, point, J);
    }};

template <class S>
constexpr TreeKinematics<S> flexible_kinematics = {
    [](const TreeView<S>& tree, const ScratchView<S>& work, const S* q, const S* v) {
      flexible_poses(tree, work, q, v);
    },
    [](const TreeView<S>& tree, const ScratchView<S>& work, const S* v, const S* a) {
      flexible_motions(tree, work, v, a);
    },
    [](const TreeView<S>& tree, const ScratchView<S>& work, int node, const Vec3<S>& point, S* J) {
      flexible_jacobian(tree, work, node, point, J);
    }};

}  // namespace

struct KinematicsKernels {
  TreeKinematics<double> rigid, flexible;
};

extern const KinematicsKernels kinematics_kernels_baseline;
extern const KinematicsKernels kinematics_kernels_v3;
extern const KinematicsKernels kinematics_kernels_v4;

const KinematicsKernels& kinematics_kernels();

}  // namespace ulna
