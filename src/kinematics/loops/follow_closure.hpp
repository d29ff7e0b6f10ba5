#pragma once
// A closed posture reached from another one by continuity. Closure equations see a turn only modulo
// whole turns; where a screw or a gear lies in a loop, the posture depends on how many there were.

#include <optional>

#include "loops/assembly_search.hpp"

namespace ulna {

/// Whether a loop of the robot has a joint for which a whole turn more is another posture: a screw,
/// or a joint that another one drives by a ratio that is not a whole number.
bool loops_count_turns(const LoopClosure& closure);

/// From the closed posture nearest to `reference`, leads the coordinates that are not `free` (by
/// speed) to their values in `target`, and lets the others follow in steps of a small part of a
/// turn. None where the way is barred (by a dead point or limits).
std::optional<Eigen::VectorXd> follow_closure(AssemblyEquations& equations,
                                              const AssemblyOptions& options,
                                              const std::vector<int>& free,
                                              const Eigen::VectorXd& reference,
                                              const Eigen::VectorXd& target);

/// Closure equations follow a screw for about half a turn: a search from elsewhere ends at the
/// wrong thread, with a gap of whole leads. The posture with as many whole turns more of the `free`
/// screws as make up for the gap at q (to the nearest whole number), and none where no turn does.
std::optional<Eigen::VectorXd> turned_to_other_threads(AssemblyEquations& equations,
                                                       const std::vector<int>& free,
                                                       const Eigen::VectorXd& q);

}  // namespace ulna
