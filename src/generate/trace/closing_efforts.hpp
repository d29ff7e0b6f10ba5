#pragma once
// Closing joints in generated code: their pose, and what their dampers, friction and springs take.

#include "trace/tracing.hpp"
#include "ulna/model/joints/relative_pose.hpp"

namespace ulna::generate {

/// The pose of M in F of a closing joint or rod; node poses must be in `work`.
RelativePose<Expression> traced_loop_pose(const ScratchView<Expression>& work, const Loop& loop);

/// efforts += what dampers, friction and springs of the closing joints take along the speeds of the
/// tree. InputError for joints whose own rates depend on their posture (balls, universal joints)
/// and for springs along turns: their angles would need an arc tangent.
void add_closing_efforts(const Tracing& t, Expressions& efforts);

}  // namespace ulna::generate
