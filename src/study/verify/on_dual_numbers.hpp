#pragma once
// The kernels run on numbers that carry their rate of change: exact derivatives along a direction,
// by a route that shares no closed form with the library's derivatives.

#include "ulna/model/model.hpp"

namespace ulna {

/// A state and how it changes; rates of q are in the tangent.
struct MovingState {
  const Eigen::VectorXd &q, &v;
  Eigen::VectorXd q_rate, v_rate;
};

/// d/dt of tau = inverse dynamics(q, v, a), the accelerations changing by a_rate.
Eigen::VectorXd inverse_rate(const Model& model, const MovingState& state, const Eigen::VectorXd& a,
                             const Eigen::VectorXd& a_rate);
/// d/dt of a = forward dynamics(q, v, tau), by the mass matrix and L D L'.
Eigen::VectorXd forward_rate(const Model& model, const MovingState& state,
                             const Eigen::VectorXd& tau, const Eigen::VectorXd& tau_rate);
/// d/dt of the mass matrix.
Eigen::MatrixXd mass_matrix_rate(const Model& model, const MovingState& state);

}  // namespace ulna
