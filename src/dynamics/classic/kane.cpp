#include "ulna/dynamics/kernels/kane.hpp"

#include "common.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {

struct Kane::Memory {
  explicit Memory(const Topology& topology) : scratch(topology), efforts(topology.speeds) {}
  KaneView<double> view() { return scratch.view(); }

  KaneScratch<double> scratch;
  Eigen::VectorXd efforts;
};

Kane::Kane(const Model& model)
    : model_(model), memory_(std::make_unique<Memory>(model.topology())) {
  model.require_tree("Kane's method");
  model.require_rigid("Kane's method");
}
Kane::~Kane() = default;

const Eigen::VectorXd& Kane::inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                                     const VectorRef& a, ExternalWrenches wrenches) {
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  check_size(model_, v, model_.speeds(), "v");
  check_size(model_, a, model_.speeds(), "a");
  const NodeWrenches external = gather_wrenches(model_, work, q, wrenches);
  dynamics_kernels().kane(view<double>(model_.topology(), model_.parameters()), work.view(),
                          memory_->view(), q.data(), v.data(), a.data(), external,
                          memory_->efforts.data());
  if (model_.has_passive())
    add_passive_efforts(model_, q.data(), v.data(), 1, memory_->efforts.data());
  return memory_->efforts;
}

Eigen::VectorXd Kane::inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                              const VectorRef& a, const SpeedMap& map, ExternalWrenches wrenches) {
  // tau does work along v, its generalized force along u: v' tau = u' K, so tau = Y' K.
  const Eigen::VectorXd K =
      -(inertia_forces(work, q, v, a, map) + active_forces(work, q, v, map, wrenches));
  return map.Y.transpose() * K;
}

Eigen::VectorXd Kane::forward(Workspace& work, const VectorRef& q, const VectorRef& v,
                              const VectorRef& tau, const SpeedMap& map,
                              ExternalWrenches wrenches) {
  check_size(model_, tau, model_.speeds(), "tau");
  const SpeedSolver Y(map);
  // At a = 0 rather than at du/dt = 0: near a singularity of Y the latter needs huge accelerations,
  // which cancel again. F (du/dt - Ydot v) = K + K*(a = 0).
  const Eigen::VectorXd due = Y.forces(tau) + active_forces(work, q, v, map, wrenches) +
                              inertia_forces(work, q, v, work.zero(), map);
  // The matrix in these speeds is Y^-T F Y^-1. Formed, it would carry the condition of Y twice; its
  // inverse Y F^-1 Y' needs only that of F.
  const Eigen::VectorXd change =
      map.Y * solve_mass_matrix(model_, matrix(work, q), map.Y.transpose() * due);
  return Y.rates(change);
}

BodyPartials Kane::partials(const VectorRef& q, const VectorRef& v, int body, const SpeedMap& map) {
  check_frame(model_, body);
  Workspace work(model_);
  // In the body's own axes a partial velocity is a column of the Jacobian: omega = J v = J Y^-1 u.
  const JacobianQuery query{body, Vector3<double>::Zero(), 0, body};
  const Jacobian J = jacobian(model_, work, q, query);
  const Jacobian J_dot = jacobian_derivative(model_, q, v, query);
  const Eigen::MatrixXd Y_inverse = inverse_of(map);
  const Jacobian columns = J * Y_inverse;
  const Jacobian rates = (J_dot - columns * map.Y_dot) * Y_inverse;  // d(Y^-1)/dt = -Y^-1 Ydot Y^-1
  return {columns.topRows<3>(), columns.bottomRows<3>(), rates.topRows<3>(), rates.bottomRows<3>()};
}

Eigen::MatrixXd Kane::matrix(Workspace& work, const VectorRef& q) {
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  const Tree tree = view<double>(model_.topology(), model_.parameters());
  joint_angles(tree, work.view(), q.data());
  partial_velocities(tree, work.view(), memory_->view(), q.data());
  Eigen::MatrixXd F(model_.speeds(), model_.speeds());
  kane_matrix(tree, memory_->view(), F.data());
  return F;
}

Eigen::MatrixXd Kane::matrix(Workspace& work, const VectorRef& q, const SpeedMap& map) {
  const SpeedSolver Y(map);
  return Y.forces(Y.forces(matrix(work, q)).transpose());  // F is symmetric
}

Eigen::VectorXd Kane::holding_efforts(Workspace& work, const VectorRef& q,
                                      ExternalWrenches wrenches) {
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  const NodeWrenches external = gather_wrenches(model_, work, q, wrenches);
  dynamics_kernels().kane(view<double>(model_.topology(), model_.parameters()), work.view(),
                          memory_->view(), q.data(), work.zero().data(), work.zero().data(),
                          external, memory_->efforts.data());
  return memory_->efforts;
}

Eigen::VectorXd Kane::active_forces(Workspace& work, const VectorRef& q, const VectorRef& v,
                                    const SpeedMap& map, ExternalWrenches wrenches) {
  const Eigen::VectorXd against =
      holding_efforts(work, q, wrenches) + passive_efforts(model_, work, q, v);
  return -SpeedSolver(map).forces(against);
}

Eigen::VectorXd Kane::inertia_forces(Workspace& work, const VectorRef& q, const VectorRef& v,
                                     const VectorRef& a, const SpeedMap& map) {
  const Eigen::VectorXd all = inverse(work, q, v, a);
  const Eigen::VectorXd others = holding_efforts(work, q, {}) + passive_efforts(model_, work, q, v);
  return -SpeedSolver(map).forces(all - others);
}

Eigen::VectorXd Kane::remainder(Workspace& work, const VectorRef& q, const VectorRef& v,
                                const SpeedMap& map) {
  // Z is what is left of the inertia forces where du/dt = Y a + Ydot v is zero.
  const Eigen::VectorXd a = -SpeedSolver(map).rates(map.Y_dot * v);
  return -inertia_forces(work, q, v, a, map);
}

}  // namespace ulna
