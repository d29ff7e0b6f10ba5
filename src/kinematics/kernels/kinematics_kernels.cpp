// Compiled once per instruction set; ULNA_ISA is its name.

#include "kernels/kernels.hpp"

namespace ulna {
namespace {

void poses(const TreeView<double>& tree, const ScratchView<double>& work, const double* q) {
  node_poses(tree, work, q);
}
void motions(const TreeView<double>& tree, const ScratchView<double>& work, const double* v,
             const double* a) {
  node_motions(tree, work, v, a);
}
void jacobian(const TreeView<double>& tree, const ScratchView<double>& work, int body,
              const Vec3<double>& point, double* J) {
  point_jacobian(tree, work, body, point, J);
}

void run_flexible_poses(const TreeView<double>& tree, const ScratchView<double>& work,
                        const double* q, const double* v) {
  flexible_poses(tree, work, q, v);
}
void run_flexible_motions(const TreeView<double>& tree, const ScratchView<double>& work,
                          const double* v, const double* a) {
  flexible_motions(tree, work, v, a);
}

}  // namespace

#define ULNA_JOIN(a, b) a##b
#define ULNA_KERNELS(isa) ULNA_JOIN(kinematics_kernels_, isa)
const KinematicsKernels ULNA_KERNELS(ULNA_ISA){poses, motions, jacobian, run_flexible_poses,
                                               run_flexible_motions};

}  // namespace ulna
