#pragma once
// Derivatives of a source FMU along a direction: its generated equations compiled once more on
// complex numbers. The imaginary part of f(x + i h s) / h is the derivative of f along s, exact to
// rounding for a small h, as no difference is taken (complex step).

#include <string>
#include <vector>

#include "ulna/generate/source.hpp"

namespace ulna {

/// Numbers of states, inputs, parameters, constants, speeds and outputs.
struct AlongSizes {
  int states, inputs, parameters, constants, speeds, outputs;
};

/// Whether generated code chooses between cases, for which complex numbers cannot be compared.
bool compares(const std::vector<SourceFile>& files);
/// robot_along.c where it does, or where the compiler has no complex numbers.
std::string no_derivatives();
std::string derivatives_along(const std::vector<SourceFile>& files,
                              const std::vector<std::string>& functions, const AlongSizes& n);

}  // namespace ulna
