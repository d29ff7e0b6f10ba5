#pragma once
// The files of an experiment that an FMU on the library carries: experiment.yaml, its robot, the
// tables and models it names, and model.txt with the variables.

#include "fmu/fmu_variables.hpp"
#include "ulna/generate/source.hpp"

namespace ulna {

/// InputError where a file that is named cannot be packed.
std::vector<SourceFile> packed_experiment(const ReadExperiment& read,
                                          const ExperimentParameters& parameters,
                                          const FmuVariables& variables);

}  // namespace ulna
