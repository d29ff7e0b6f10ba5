#include "ulna/dynamics/kane.hpp"

#include <Eigen/Cholesky>

#include "common.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/model/check_size.hpp"

namespace ulna {

/// Which columns carry which node, and room for their partial velocities.
struct Kane::Memory {
  explicit Memory(const Topology& topology) {
    std::vector<std::vector<int>> carriers(topology.nodes.size());
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
      first.push_back(static_cast<int>(column.size()));
      if (i == 0) continue;
      const TreeNode& node = topology.nodes[i];
      carriers[i] = carriers[node.parent];
      for (int k = 0; k < speeds_of(node.kind); ++k) {
        carriers[i].push_back(static_cast<int>(speed.size()));
        speed.push_back(node.v + k);
      }
      column.insert(column.end(), carriers[i].begin(), carriers[i].end());
    }
    first.push_back(static_cast<int>(column.size()));
    partial.resize(column.size());
    efforts.resize(topology.speeds);
  }
  KaneView<double> view() { return {first.data(), column.data(), speed.data(), partial.data()}; }

  std::vector<int> first, column, speed;
  std::vector<PartialVelocity<double>> partial;
  Eigen::VectorXd efforts;
};

Kane::Kane(const Model& model)
    : model_(model), memory_(std::make_unique<Memory>(model.topology())) {
  model.require_tree("Kane's method");
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
  if (!model_.degree_terms().empty())
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
  const Eigen::MatrixXd Y_inverse = inverse_of(map);
  const Eigen::VectorXd K = Y_inverse.transpose() * tau + active_forces(work, q, v, map, wrenches);
  const Eigen::LLT<Eigen::MatrixXd> factor(matrix(work, q, map));
  if (factor.info() != Eigen::Success) {
    forward_dynamics(model_, work, q, v, tau);  // names the joint at fault
    throw ComputationError("Kane's matrix is singular in the speeds '" + map.name + "'");
  }
  const Eigen::VectorXd u_dot = factor.solve(K - remainder(work, q, v, map));
  return Y_inverse * (u_dot - map.Y_dot * v);
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

Eigen::MatrixXd Kane::matrix(Workspace& work, const VectorRef& q, const SpeedMap& map) {
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  const Tree tree = view<double>(model_.topology(), model_.parameters());
  joint_angles(tree, work.view(), q.data());
  partial_velocities(tree, work.view(), memory_->view(), q.data());
  Eigen::MatrixXd F(model_.speeds(), model_.speeds());
  kane_matrix(tree, memory_->view(), F.data());
  const Eigen::MatrixXd Y_inverse = inverse_of(map);
  return Y_inverse.transpose() * F * Y_inverse;
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
  return -inverse_of(map).transpose() * against;
}

Eigen::VectorXd Kane::inertia_forces(Workspace& work, const VectorRef& q, const VectorRef& v,
                                     const VectorRef& a, const SpeedMap& map) {
  const Eigen::VectorXd all = inverse(work, q, v, a);
  const Eigen::VectorXd others = holding_efforts(work, q, {}) + passive_efforts(model_, work, q, v);
  return -inverse_of(map).transpose() * (all - others);
}

Eigen::VectorXd Kane::remainder(Workspace& work, const VectorRef& q, const VectorRef& v,
                                const SpeedMap& map) {
  // Z is what is left of the inertia forces where du/dt = Y a + Ydot v is zero.
  const Eigen::VectorXd a = -inverse_of(map) * (map.Y_dot * v);
  return -inertia_forces(work, q, v, a, map);
}

}  // namespace ulna
