#pragma once
// The kernels of this module, once per instruction set.

#include "kernels/batch_kernel.hpp"
#include "ulna/dynamics/kernels/articulated_body.hpp"
#include "ulna/dynamics/kernels/branch_mass_matrix.hpp"
#include "ulna/dynamics/kernels/composite_body.hpp"
#include "ulna/dynamics/kernels/flexible_articulated_body.hpp"
#include "ulna/dynamics/kernels/flexible_newton_euler.hpp"
#include "ulna/dynamics/kernels/forward_derivatives.hpp"
#include "ulna/dynamics/kernels/kane.hpp"
#include "ulna/dynamics/kernels/newton_euler.hpp"

namespace ulna {

using Tree = TreeView<double>;
using Work = ScratchView<double>;
using NodeWrenches = const NodeWrench<double>*;

struct DynamicsKernels {
  void (*newton_euler)(const Tree&, const Work&, const double* q, const double* v, const double* a,
                       NodeWrenches, double* tau);
  void (*composite_body)(const Tree&, const Work&, const double* q, double* M);
  void (*branch_mass_matrix)(const Tree&, const Work&, const double* q, double* values);
  void (*world_mass_matrix)(const Tree&, const Work&, const ColumnView<double>&, const double* q,
                            double* M);
  void (*articulated_body)(const Tree&, const Work&, const double* q, const double* v,
                           const double* tau, NodeWrenches, double* a);
  void (*inverse_derivatives)(const Tree&, const Work&, const ColumnView<double>&, const double* q,
                              const double* v, const double* a, double* dq, double* dv, double* M);
  void (*forward_derivatives)(const Tree&, const Work&, const ColumnView<double>&,
                              const BranchSolveView<double>&, const double* q, const double* v,
                              const double* tau, const double* zero, const double* stiffness,
                              const double* damping, double* a, double* dq, double* dv,
                              double* dtau);
  void (*kane)(const Tree&, const Work&, const KaneView<double>&, const double* q, const double* v,
               const double* a, NodeWrenches, double* tau);
  void (*newton_euler_batch)(const Tree&, void* arena, const BatchRows&, long first, long last);
};

/// The same for trees with flexible bodies.
struct FlexibleKernels {
  void (*newton_euler)(const Tree&, const Work&, const double* q, const double* v, const double* a,
                       NodeWrenches, double* tau);
  void (*composite_body)(const Tree&, const Work&, const double* q, double* M);
  void (*articulated_body)(const Tree&, const Work&, const double* q, const double* v,
                           const double* tau, NodeWrenches, double* a);
};

extern const DynamicsKernels dynamics_kernels_baseline;
extern const DynamicsKernels dynamics_kernels_v3;
extern const DynamicsKernels dynamics_kernels_v4;

extern const FlexibleKernels flexible_kernels_baseline;
extern const FlexibleKernels flexible_kernels_v3;
extern const FlexibleKernels flexible_kernels_v4;

const DynamicsKernels& dynamics_kernels();
const FlexibleKernels& flexible_kernels();

}  // namespace ulna
