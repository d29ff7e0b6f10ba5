#pragma once
// How often a piece of code takes memory. Eigen takes it by malloc, the standard library by new:
// counted at malloc itself, which allocation_counter.cpp replaces.

namespace ulna::testing {

/// Switches the count on and off; returns the count so far when switched off.
long count_allocations(bool on);

template <class Action>
long allocations_of(const Action& action) {
  count_allocations(true);
  action();
  return count_allocations(false);
}

}  // namespace ulna::testing
