#pragma once
// Why a run fails or cannot be resumed, in words.

#include "run/mechanical_system.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

/// InputError unless a run of the experiment can go on from the checkpoint. `times`: of its
/// records. `keeps_history`: the integrator chooses its first step where the checkpoint has none.
void require_usable(const Checkpoint& from, const Experiment& experiment,
                    const MechanicalSystem& system, const std::vector<double>& times,
                    bool keeps_history);

/// Throws in place of `error` what loops, drives and contacts have to say about a step that failed;
/// returns where they have nothing to say. `reached`: when the step began.
void explain_failure(const ComputationError& error, const Experiment& experiment,
                     const MechanicalSystem& system, double reached);

}  // namespace ulna
