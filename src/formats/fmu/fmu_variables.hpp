#pragma once
// What an FMU shows of an experiment: its parameters, inputs, outputs and states, and the
// experiment that they belong to.

#include "ulna/formats/fmu.hpp"
#include "ulna/formats/parameters.hpp"
#include "ulna/simulation/stepping.hpp"

namespace ulna {

struct FmuVariable {
  std::string name, unit;
  double start = 0;
};

struct FmuVariables {
  std::vector<FmuVariable> parameters, inputs, outputs, states;  ///< parameters by their paths
  int indicators = 0;
  std::string why_no_exchange;  ///< empty: states and indicators are there
  ExperimentWithInputs given;
};

/// Numbers of an experiment file by their paths.
std::vector<FmuVariable> fmu_parameters(const ReadExperiment& read,
                                        const ExperimentParameters& parameters,
                                        const FmuOptions& options);
/// Those that an experiment without a file has: gains of its controllers, masses of payloads.
std::vector<FmuVariable> fmu_parameters(const Experiment& experiment, const FmuOptions& options);
/// With the options' names.
FmuVariables fmu_variables(const Experiment& experiment, std::vector<FmuVariable> parameters,
                           const FmuOptions& options);

}  // namespace ulna
