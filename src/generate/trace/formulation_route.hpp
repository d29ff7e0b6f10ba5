#pragma once
// The formulations of the table (dynamics/formulation.hpp) on symbols: the templates of their
// numeric routes, run on expressions. What a formulation does not give itself is derived as there:
// the mass matrix by columns of efforts, accelerations through the mass matrix.

#include "trace/tracing.hpp"

namespace ulna::generate {

/// The formulation that the options name; Newton and Euler's when they name none. InputError with
/// the sentence of why_not_generated.
const Formulation& chosen_formulation(const Tracing& t, Question question);

/// M a + c of the open tree: bodies, gravity and rotors; without passive efforts.
Expressions route_efforts(const Tracing& t, const Expressions& v, const Expressions& a);
/// M of the open tree, by columns.
Expressions route_mass(const Tracing& t);
/// Accelerations of a tree under tau, passive efforts included.
Expressions route_accelerations(const Tracing& t);

// trace_kane.cpp, in the speeds of the options
Expressions kane_efforts(const Tracing& t, const Expressions& v, const Expressions& a);
Expressions kane_mass(const Tracing& t);  ///< in joint rates
Expressions kane_accelerations(const Tracing& t);

// trace_dynamics.cpp
Expressions newton_euler_efforts(const Tracing& t, const Expressions& v, const Expressions& a);
Expressions composite_mass(const Tracing& t);
Expressions articulated_accelerations(const Tracing& t);

}  // namespace ulna::generate
