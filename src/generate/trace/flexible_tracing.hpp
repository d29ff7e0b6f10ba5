#pragma once
// The kernels of flexible dynamics on expressions. Each is one large inlined function that takes
// many seconds to compile, so each has a file of its own.

#include "trace/tracing.hpp"

namespace ulna {
/// Only the strict level looks at values, and it does not run on expressions; but its text must
/// compile.
inline double value_of(const Expression&) { throw ComputationError("an expression has no value"); }
}  // namespace ulna

namespace ulna::generate {

/// M a + c of the tree, without passive efforts.
Expressions flexible_efforts(const Tracing& t, const Expressions& v, const Expressions& a);
Expressions flexible_mass_matrix(const Tracing& t);
/// Accelerations under the efforts that passive ones leave.
Expressions flexible_accelerations(const Tracing& t, const Expressions& left);

}  // namespace ulna::generate
