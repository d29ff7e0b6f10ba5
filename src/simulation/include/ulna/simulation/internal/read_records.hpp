#pragma once
// The records of an experiment whose joints all follow motions: nothing is integrated, so that each
// record is one evaluation. Works, events and the summary of a run need `simulate`.

#include <functional>
#include <span>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// Calls `record` with the channels of the experiment at every record time, with the values that
/// `simulate` gives there. False, without a record, where the run has to be integrated: a
/// coordinate is free, a controller keeps a state, an event may come, loops or contacts decide.
ULNA_API bool read_records(const CheckedExperiment& experiment,
                           const std::function<void(double, std::span<const double>)>& record);

}  // namespace ulna
