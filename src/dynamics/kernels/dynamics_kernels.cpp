// Compiled once per instruction set; ULNA_ISA is its name.

#include "kernels/kernels.hpp"

namespace ulna {
namespace {

void run_newton_euler(const Tree& tree, const Work& work, const double* q, const double* v,
                      const double* a, NodeWrenches external, double* tau) {
  newton_euler(tree, work, q, v, a, external, tau);
}
void run_composite_body(const Tree& tree, const Work& work, const double* q, double* M) {
  composite_body(tree, work, q, M);
}
void run_branch_mass_matrix(const Tree& tree, const Work& work, const double* q, double* values) {
  branch_mass_matrix(tree, work, q, values);
}
void run_world_mass_matrix(const Tree& tree, const Work& work, const ColumnView<double>& d,
                           const double* q, double* M) {
  world_mass_matrix(tree, work, d, q, M);
}
void run_articulated_body(const Tree& tree, const Work& work, const double* q, const double* v,
                          const double* tau, NodeWrenches external, double* a) {
  articulated_body(tree, work, q, v, tau, external, a);
}
void run_inverse_derivatives(const Tree& tree, const Work& work, const ColumnView<double>& d,
                             const double* q, const double* v, const double* a, double* dq,
                             double* dv, double* M) {
  inverse_derivatives(tree, work, d, q, v, a, dq, dv, M);
}

void run_forward_derivatives(const Tree& tree, const Work& work, const ColumnView<double>& d,
                             const BranchSolveView<double>& m, const double* q, const double* v,
                             const double* tau, const double* zero, const double* stiffness,
                             const double* damping, double* a, double* dq, double* dv,
                             double* dtau) {
  forward_derivatives(tree, work, d, m, q, v, tau, zero, stiffness, damping, a, dq, dv, dtau);
}

void run_kane(const Tree& tree, const Work& work, const KaneView<double>& view, const double* q,
              const double* v, const double* a, NodeWrenches external, double* tau) {
  kane(tree, work, view, q, v, a, external, tau);
}
void run_newton_euler_batch(const Tree& tree, void* arena, const BatchRows& rows, long first,
                            long last) {
  const TreeView<Pack<native_lanes>> packed{tree.size,       tree.speeds,  tree.nodes,
                                            tree.parameters, tree.gravity, tree.armature};
  newton_euler_batch<native_lanes>(packed, arena, rows, first, last);
}

}  // namespace

#define ULNA_JOIN(a, b) a##b
#define ULNA_KERNELS(isa) ULNA_JOIN(dynamics_kernels_, isa)
const DynamicsKernels ULNA_KERNELS(ULNA_ISA){
    run_newton_euler,      run_composite_body,      run_branch_mass_matrix,  run_world_mass_matrix,
    run_articulated_body,  run_inverse_derivatives, run_forward_derivatives, run_kane,
    run_newton_euler_batch};

}  // namespace ulna
