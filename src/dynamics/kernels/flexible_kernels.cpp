// Compiled once per instruction set; ULNA_ISA is its name.

#include "kernels/kernels.hpp"

namespace ulna {
namespace {

void run_newton_euler(const Tree& tree, const Work& work, const double* q, const double* v,
                      const double* a, NodeWrenches external, double* tau) {
  flexible_newton_euler(tree, work, q, v, a, external, tau);
}
void run_composite_body(const Tree& tree, const Work& work, const double* q, double* M) {
  flexible_composite_body(tree, work, q, M);
}
void run_articulated_body(const Tree& tree, const Work& work, const double* q, const double* v,
                          const double* tau, NodeWrenches external, double* a) {
  flexible_articulated_body(tree, work, q, v, tau, external, a);
}

}  // namespace

#define ULNA_JOIN(a, b) a##b
#define ULNA_KERNELS(isa) ULNA_JOIN(flexible_kernels_, isa)
const FlexibleKernels ULNA_KERNELS(ULNA_ISA){run_newton_euler, run_composite_body,
                                             run_articulated_body};

}  // namespace ulna
