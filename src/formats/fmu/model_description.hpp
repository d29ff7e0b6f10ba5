#pragma once
// modelDescription.xml of an FMU, by the schemas of FMI 2.0 and 3.0. Value references as in
// fmu/c/ulna_fmu.h.

#include "fmu/fmu_variables.hpp"

namespace ulna {

struct FmuDescription {
  int version = 2;
  std::string identifier;  ///< of the binary
  std::string name, description, token;
  double duration = 1, tolerance = 1e-8, interval = 0.01;
  std::vector<std::string> sources;  ///< in the folder sources; none: a binary alone
};

std::string model_description(const FmuDescription& fmu, const FmuVariables& variables);
/// FMI 3.0: sources/buildDescription.xml.
std::string build_description(const FmuDescription& fmu);

}  // namespace ulna
