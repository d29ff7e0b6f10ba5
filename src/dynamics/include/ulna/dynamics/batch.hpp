#pragma once
// Inverse dynamics of many states of one robot: as many at once as a vector register holds, on as
// many threads as wanted.

#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna {

/// One state per row.
using StateRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Whether this robot is computed so: a rigid tree. Others are computed state by state (Dynamics).
ULNA_API bool computed_in_batches(const Model& model);

/// tau.row(i) = efforts for q.row(i), v.row(i), a.row(i). Threads: 0 takes one per core.
ULNA_API void inverse_dynamics_batch(const Model& model, const Eigen::Ref<const StateRows>& q,
                                     const Eigen::Ref<const StateRows>& v,
                                     const Eigen::Ref<const StateRows>& a,
                                     Eigen::Ref<StateRows> tau, int threads = 0);

}  // namespace ulna
