// Compiled once per instruction set; ULNA_ISA is its name.

#include "kernels/kernels.hpp"

namespace ulna {
#define ULNA_JOIN(a, b) a##b
#define ULNA_KERNELS(isa) ULNA_JOIN(kinematics_kernels_, isa)
const KinematicsKernels ULNA_KERNELS(ULNA_ISA){rigid_kinematics<double>,
                                               flexible_kinematics<double>};

}  // namespace ulna
