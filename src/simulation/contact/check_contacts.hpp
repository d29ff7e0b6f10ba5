#pragma once
// The checks of contacts and nonholonomic rows before a run.

#include <vector>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// Adds what is wrong with them.
void check_contacts(const Experiment& experiment, std::vector<Problem>& problems);

}  // namespace ulna
