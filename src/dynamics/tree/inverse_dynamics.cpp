#include "ulna/dynamics/inverse_dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "common.hpp"
#include "kernels/kernels.hpp"
#include "ulna/dynamics/kernels/flexible_energy.hpp"
#include "ulna/dynamics/kernels/passive_efforts.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/internal/instruction_set.hpp"

namespace ulna {

const DynamicsKernels& dynamics_kernels() {
#if defined(ULNA_ALL_KERNELS)
  static const DynamicsKernels& chosen =
      choose_kernels(dynamics_kernels_baseline, dynamics_kernels_v3, dynamics_kernels_v4);
  return chosen;
#else
  return dynamics_kernels_baseline;
#endif
}

const FlexibleKernels& flexible_kernels() {
#if defined(ULNA_ALL_KERNELS)
  static const FlexibleKernels& chosen =
      choose_kernels(flexible_kernels_baseline, flexible_kernels_v3, flexible_kernels_v4);
  return chosen;
#else
  return flexible_kernels_baseline;
#endif
}

void run_newton_euler(const Model& model, Workspace& work, const double* q, const double* v,
                      const double* a, NodeWrenches external) {
  const auto run =
      model.flexible() ? flexible_kernels().newton_euler : dynamics_kernels().newton_euler;
  run(view<double>(model.topology(), model.parameters()), work.view(), q, v, a, external,
      work.tau.data());
}

void check_wrench(const Model& model, const ExternalWrench& wrench) {
  if (wrench.body < 0 || wrench.body >= static_cast<int>(model.bodies().size()))
    throw InputError(fmt::format("external wrench on body index {}", wrench.body),
                     fmt::format("0 .. {}", model.bodies().size() - 1),
                     "get it from Model::body(name)");
  check_frame(model, wrench.expressed_in);
}

NodeWrenches wrenches_by_node(const Model& model, Workspace& work, const VectorRef& q,
                              ExternalWrenches wrenches) {
  update_poses(model, work, q);
  for (NodeWrench<double>& w : work.external) w = {Vec3<double>::zero(), Vec3<double>::zero()};
  for (const ExternalWrench& wrench : wrenches) {
    check_wrench(model, wrench);
    const Carrier at = model.carrier(wrench.body, wrench.point);
    // Into the node's axes and about its origin.
    const NodePose<double>& X = work.view().pose[at.node];
    Matrix3<double> R_WN;
    R_WN << X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz;
    const Matrix3<double> R_NE =
        R_WN.transpose() * frame_pose(model, work, wrench.expressed_in).rotation;
    const Vector3<double> force = R_NE * wrench.force;
    const Vector3<double> moment = R_NE * wrench.moment + at.X_NF.position.cross(force);
    NodeWrench<double>& sum = work.external[at.node];
    sum.f += Vec3<double>{force.x(), force.y(), force.z()};
    sum.n += Vec3<double>{moment.x(), moment.y(), moment.z()};
  }
  return work.external.data();
}

void add_passive_efforts(const Model& model, const double* q, const double* v, double sense,
                         double* tau) {
  add_passive_efforts<double>(model.degree_terms(), q, v, sense, tau);
  if (!model.elements().empty()) add_element_efforts(model, q, v, sense, tau);
}

const Eigen::VectorXd& inverse_dynamics(const Model& model, Workspace& work, const VectorRef& q,
                                        const VectorRef& v, const VectorRef& a,
                                        ExternalWrenches wrenches) {
  if (!model.loops().empty()) [[unlikely]]
    model.require_tree("inverse dynamics");
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, a, model.speeds(), "a");
  const NodeWrenches external = gather_wrenches(model, work, q, wrenches);
  if (model.flexible()) [[unlikely]]
    run_newton_euler(model, work, q.data(), v.data(), a.data(), external);
  else
    dynamics_kernels().newton_euler(view<double>(model.topology(), model.parameters()), work.view(),
                                    q.data(), v.data(), a.data(), external, work.tau.data());
  if (model.has_passive()) add_passive_efforts(model, q.data(), v.data(), 1, work.tau.data());
  return work.tau;
}

const Eigen::VectorXd& bias_efforts(const Model& model, Workspace& work, const VectorRef& q,
                                    const VectorRef& v) {
  return inverse_dynamics(model, work, q, v, work.zero());
}

const Eigen::VectorXd& gravity_efforts(const Model& model, Workspace& work, const VectorRef& q) {
  if (!model.loops().empty()) [[unlikely]]
    model.require_tree("gravity");
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  run_newton_euler(model, work, q.data(), work.zero().data(), work.zero().data(), nullptr);
  return work.tau;
}

const Eigen::VectorXd& passive_efforts(const Model& model, Workspace& work, const VectorRef& q,
                                       const VectorRef& v) {
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  work.passive.setZero();
  add_passive_efforts(model, q.data(), v.data(), 1, work.passive.data());
  return work.passive;
}

Energy energy(const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v) {
  update_motions(model, work, q, v, work.zero());
  const Tree tree = view<double>(model.topology(), model.parameters());
  const double elements = element_energy(model, q.data(), v.data());
  if (model.flexible())
    return {flexible_kinetic_energy(tree, work.view(), q.data(), v.data()),
            flexible_potential_energy<double>(tree, work.view(), model.degree_terms(), q.data(),
                                              v.data()) +
                elements};
  return {kinetic_energy(tree, work.view(), v.data()),
          potential_energy<double>(tree, work.view(), model.degree_terms(), q.data()) + elements};
}

Vector6<double> momentum_about(const Model& model, const Workspace& work,
                               const Vector3<double>& point) {
  const Vec3<double> about{point.x(), point.y(), point.z()};
  Vec3<double> angular = Vec3<double>::zero(), linear = Vec3<double>::zero();
  for (int i = 1; i < static_cast<int>(model.topology().nodes.size()); ++i) {
    const NodePose<double>& X = work.view().pose[i];
    const NodeMomentum<double> m =
        node_momentum(model.parameters().nodes[i], X, work.view().motion[i]);
    const Vec3<double> p = X.R * m.linear;
    linear += p;
    angular += X.R * m.angular + cross(X.p - about, p);
  }
  Vector6<double> out;
  out << angular.x, angular.y, angular.z, linear.x, linear.y, linear.z;
  return out;
}

Vector6<double> momentum(const Model& model, Workspace& work, const VectorRef& q,
                         const VectorRef& v) {
  update_motions(model, work, q, v, work.zero());
  Vector6<double> out = momentum_about(model, work, Vector3<double>::Zero());
  for (const FlexibleLink& link : model.flexible_links()) {
    const NodePose<double>& X = work.view().pose[link.node];
    const BeamMomentum<double> m =
        beam_momentum(*link.modal, X, work.view().motion[link.node], q.data() + link.q,
                      v.data() + link.v, work.view().modal[link.node].hinge);
    const Vec3<double> linear = X.R * m.linear;
    const Vec3<double> angular = X.R * m.angular + cross(X.p, linear);
    out += (Vector6<double>() << angular.x, angular.y, angular.z, linear.x, linear.y, linear.z)
               .finished();
  }
  return out;
}

}  // namespace ulna
