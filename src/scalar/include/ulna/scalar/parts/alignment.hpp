#pragma once
// Eigen lays out and frees memory by the widest vector registers a file is compiled for. A program
// and a library that disagree crash at their first exchange of a matrix, so it is stopped here.

#include <Eigen/Core>

#ifndef ULNA_ISA  // kernels are compiled for several instruction sets, but take raw pointers only
static_assert(EIGEN_MAX_STATIC_ALIGN_BYTES == 16 && EIGEN_MAX_ALIGN_BYTES == 16 &&
                  EIGEN_MALLOC_ALREADY_ALIGNED,
              "Ulna was compiled with Eigen's matrices aligned to 16 bytes, and this file is "
              "compiled for another alignment (by -march=native, -mavx2 or the like). Compile it "
              "with -DEIGEN_MAX_ALIGN_BYTES=16 -DEIGEN_MALLOC_ALREADY_ALIGNED=1; linking to the "
              "CMake target ulna::ulna does so.");
#endif
