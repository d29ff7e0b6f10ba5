#pragma once
// An experiment as Python holds it.

#include <string>

#include "bindings.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna::python {

struct ExperimentHandle {
  std::shared_ptr<RobotHandle> robot;
  Experiment data;
  std::string text;  ///< of the file it was read from; goes into the run directory
};

}  // namespace ulna::python
