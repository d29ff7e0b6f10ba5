#pragma once
// Shared by inverse and forward dynamics: external wrenches gathered per node, passive efforts,
// the refusal of singular mass matrices.

#include "kernels/kernels.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna {

/// Wrenches per node in its own axes, in work.external.
NodeWrenches wrenches_by_node(const Model& model, Workspace& work, const VectorRef& q,
                              ExternalWrenches wrenches);

/// The same; null when there are none, which is all that most calls ask.
[[gnu::always_inline]] inline NodeWrenches gather_wrenches(const Model& model, Workspace& work,
                                                           const VectorRef& q,
                                                           ExternalWrenches wrenches) {
  return wrenches.empty() ? nullptr : wrenches_by_node(model, work, q, wrenches);
}

/// InputError unless the wrench names a body and a frame that exist.
void check_wrench(const Model& model, const ExternalWrench& wrench);

/// Joints of the tree such that each follows those it hangs on.
std::vector<int> joints_outwards(const Model& model);

/// Momentum of all bodies about a point of the world, world axes; after update_motions.
Vector6<double> momentum_about(const Model& model, const Workspace& work,
                               const Vector3<double>& point);

/// tau += sense (damping + friction + springs + force elements).
void add_passive_efforts(const Model& model, const double* q, const double* v, double sense,
                         double* tau);

/// What force elements add to that, and the energy in them.
void add_element_efforts(const Model& model, const double* q, const double* v, double sense,
                         double* tau);
double element_energy(const Model& model, const double* q, const double* v);
/// What they exert on each node, in its axes about its origin.
void add_element_wrenches(const Model& model, const double* q, const double* v,
                          NodeWrench<double>* wrenches);

/// Newton-Euler by the kernel that fits the robot, into work.tau; rotors included.
void run_newton_euler(const Model& model, Workspace& work, const double* q, const double* v,
                      const double* a, NodeWrenches external);

/// M(q) of the tree into work.mass_matrix.
void compute_mass_matrix(const Model& model, Workspace& work, const double* q);

/// A pivot of the mass matrix below this share of its diagonal entry is rounding: some hundred
/// operations of 1e-16 each went into it.
constexpr double singular_tolerance = 1e-14;

/// ComputationError: the joint of this speed moves no inertia.
[[noreturn]] void refuse_singular(const Model& model, int speed, double pivot);

/// refuse_singular where the articulated bodies left in `work` leave a joint without inertia.
void check_articulated_pivots(const Model& model, const Workspace& work);

/// M x = b by Cholesky for a mass matrix M; refuse_singular where it is not positive definite.
Eigen::VectorXd solve_mass_matrix(const Model& model, const Eigen::MatrixXd& M,
                                  const Eigen::VectorXd& b);

}  // namespace ulna
