#include "ulna/dynamics/internal/momentum_balance.hpp"

#include "common.hpp"
#include "kernels/moving_tree.hpp"
#include "ulna/dynamics/kernels/flexible_energy.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

/// A wrench of a node's axes and origin, in the world's.
void add_in_world(const NodePose<double>& X, const Vec3<double>& n, const Vec3<double>& f,
                  Vector6<double>& sum) {
  const Vec3<double> force = X.R * f, moment = X.R * n + cross(X.p, force);
  sum += (Vector6<double>() << moment.x, moment.y, moment.z, force.x, force.y, force.z).finished();
}

/// What the world's node must exert, and what gravity and the wrenches do.
Vector6<double> acting(const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v,
                       const VectorRef& a, ExternalWrenches wrenches) {
  NodeWrenches external = gather_wrenches(model, work, q, wrenches);
  if (!model.elements().empty()) {
    if (!external)
      for (NodeWrench<double>& w : work.external) w = {Vec3<double>::zero(), Vec3<double>::zero()};
    add_element_wrenches(model, q.data(), v.data(), work.external.data());
    external = work.external.data();
  }
  const TreeView<double> tree = view<double>(model.topology(), model.parameters());
  flexible_newton_euler<double>(tree, work.view(), q.data(), v.data(), a.data(), external,
                                work.tau.data());
  const NewtonEulerNode<double>& ground = work.view().newton_euler[0];
  Vector6<double> sum;
  sum << ground.n.x, ground.n.y, ground.n.z, ground.f.x, ground.f.y, ground.f.z;
  update_motions(model, work, q, v, work.zero());
  const Vec3<double> g = vec3(tree.gravity);
  for (int i = 1; i < tree.size; ++i) {
    const NodePose<double>& X = work.view().pose[i];
    if (external) add_in_world(X, external[i].n, external[i].f, sum);
    const Vec3<double> g_N = transposed_times(X.R, g);
    const NodeParameters<double>& par = tree.parameters[i];
    add_in_world(X, cross(vec3(par.first_moment), g_N), scaled(par.mass, g_N), sum);
    if (tree.nodes[i].kind != NodeKind::flexible) continue;
    const BeamMomentum<double> m =
        beam_momentum(*tree.nodes[i].modal, X, work.view().motion[i], q.data() + tree.nodes[i].q,
                      v.data() + tree.nodes[i].v, work.view().modal[i].hinge);
    add_in_world(X, cross(m.first_moment, g_N), scaled(m.mass, g_N), sum);
  }
  return sum;
}

}  // namespace

Vector6<double> momentum_rate(const Model& model, const VectorRef& q, const VectorRef& v,
                              const VectorRef& a) {
  using D = MovingTree::D;
  check_size(model, a, model.speeds(), "a");
  const MovingTree now(model, q, v, a);
  Vec3<D> angular = Vec3<D>::zero(), linear = angular;
  for (int i = 1; i < now.tree.size; ++i) {
    const TreeNode& node = now.tree.nodes[i];
    const NodePose<D>& X = now.work.pose[i];
    const auto add = [&](const auto& m) {
      const Vec3<D> p = X.R * m.linear;
      linear += p;
      angular += X.R * m.angular + cross(X.p, p);
    };
    add(node_momentum<D>(now.tree.parameters[i], X, now.work.motion[i]));
    if (node.kind == NodeKind::flexible)
      add(beam_momentum(*node.modal, X, now.work.motion[i], now.q.data() + node.q,
                        now.v.data() + node.v, now.work.modal[i].hinge));
  }
  Vector6<double> rate;
  rate << angular.x.d[0], angular.y.d[0], angular.z.d[0], linear.x.d[0], linear.y.d[0],
      linear.z.d[0];
  return rate;
}

Eigen::Vector2d momentum_balance(const Model& model, Workspace& work, const VectorRef& q,
                                 const VectorRef& v, const VectorRef& a,
                                 ExternalWrenches wrenches) {
  model.require_tree("the balance of momentum");
  check_fits(model, work);
  const Vector6<double> off =
      momentum_rate(model, q, v, a) - acting(model, work, q, v, a, wrenches);
  return {off.head<3>().norm(), off.tail<3>().norm()};
}

}  // namespace ulna
