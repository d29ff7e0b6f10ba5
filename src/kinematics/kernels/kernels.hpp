#pragma once
// The kernels of this module, once per instruction set.

#include "ulna/kinematics/kernels/flexible_kinematics.hpp"

namespace ulna {

struct KinematicsKernels {
  void (*poses)(const TreeView<double>&, const ScratchView<double>&, const double* q);
  void (*motions)(const TreeView<double>&, const ScratchView<double>&, const double* v,
                  const double* a);
  void (*jacobian)(const TreeView<double>&, const ScratchView<double>&, int body,
                   const Vec3<double>& point, double* J);
  void (*flexible_poses)(const TreeView<double>&, const ScratchView<double>&, const double* q,
                         const double* v);
  void (*flexible_motions)(const TreeView<double>&, const ScratchView<double>&, const double* v,
                           const double* a);
};

extern const KinematicsKernels kinematics_kernels_baseline;
extern const KinematicsKernels kinematics_kernels_v3;
extern const KinematicsKernels kinematics_kernels_v4;

const KinematicsKernels& kinematics_kernels();

}  // namespace ulna
