#pragma once
// Which variant of the kernels runs. The library itself is compiled for plain x86-64; only the
// kernels exist for x86-64-v3 (AVX2, FMA) and v4 (AVX-512) too, and the best the processor has is
// taken once, when the library is loaded. The environment variable ULNA_INSTRUCTION_SET (baseline,
// v3, v4) lowers the choice, for measurements and tests.

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

enum class InstructionSet { baseline, v3, v4 };

ULNA_API InstructionSet instruction_set();
ULNA_API const char* name_of(InstructionSet set);

/// One of three tables of kernels, by the instruction set in force.
template <class Kernels>
const Kernels& choose_kernels(const Kernels& baseline, const Kernels& v3, const Kernels& v4) {
  switch (instruction_set()) {
    case InstructionSet::v4:
      return v4;
    case InstructionSet::v3:
      return v3;
    default:
      return baseline;
  }
}

}  // namespace ulna
