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
  long changes = 0;     ///< how often it was changed

  /// Becomes `changed`, made from a copy of this one. InputError where this one was changed since.
  void take(ExperimentHandle changed);
};

/// A method that changes an experiment, all or nothing. To read an argument may run Python code (an
/// __array__, another thread) that changes the same experiment: the method works on a copy.
template <class... Arguments>
auto all_or_nothing(ExperimentHandle& (*change)(ExperimentHandle&, Arguments...)) {
  return [change](ExperimentHandle& e, Arguments... arguments) -> ExperimentHandle& {
    ExperimentHandle changed = e;
    change(changed, arguments...);
    e.take(std::move(changed));
    return e;
  };
}

using ExperimentClass = py::class_<ExperimentHandle, std::shared_ptr<ExperimentHandle>>;

/// drives.cpp: move, effort, control, wrench and the like.
void add_drives(ExperimentClass& experiment);
/// control.cpp: add.
void add_control(ExperimentClass& experiment);
/// contacts.cpp: contact, rolling, knife_edge.
void add_contacts(ExperimentClass& experiment);

}  // namespace ulna::python
