#pragma once
// Threads that share a computation, as far as the system has some: where it has no more, those
// there are do the work.

#include <functional>
#include <optional>
#include <thread>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// A thread that runs work(), which must not throw; none where the system has no more of them, or
/// no memory for one.
ULNA_API std::optional<std::jthread> thread_if_any(std::function<void()> work);

/// share(k) for k = 0 .. count - 1, the first in this thread and the others beside it. What one
/// throws ends the others at their next interruption point, and is thrown again; so does what ends
/// this thread (interruption.hpp).
ULNA_API void side_by_side(long count, const std::function<void(long)>& share);

}  // namespace ulna
