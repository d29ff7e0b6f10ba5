#pragma once
// An experiment as Python holds it.

#include <string>

#include "callback.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna::python {

struct ExperimentHandle {
  std::shared_ptr<RobotHandle> robot;
  Experiment data;
  std::string text;     ///< of the file it was read from; goes into the run directory
  Callbacks callbacks;  ///< functions of Python that motions, efforts and controllers call
};

using ExperimentClass = py::class_<ExperimentHandle, std::shared_ptr<ExperimentHandle>>;

/// drives.cpp: move, effort, control, wrench and the like.
void add_drives(ExperimentClass& experiment);
/// control.cpp: add.
void add_control(ExperimentClass& experiment);
/// contacts.cpp: contact, rolling, knife_edge.
void add_contacts(ExperimentClass& experiment);

}  // namespace ulna::python
