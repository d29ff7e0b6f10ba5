#include "classic/kane_flexible.hpp"

#include "common.hpp"
#include "ulna/dynamics/kernels/flexible_newton_euler.hpp"

namespace ulna {

FlexibleKaneRoute::FlexibleKaneRoute(const Model& model)
    : TreeRoute(model),
      weightless_(model.parameters()),
      partial_(6 * static_cast<long>(model.topology().nodes.size()), model.speeds()),
      unit_(Eigen::VectorXd::Zero(model.speeds())),
      modal_(unit_) {
  for (double& g : weightless_.gravity) g = 0;
}

/// A body's velocities are linear in the speeds with the same coefficients as its accelerations are
/// in those of the speeds, at rest and without weight.
void FlexibleKaneRoute::update_partial_velocities(Workspace& work, const VectorRef& q) {
  const TreeView<double> tree = view<double>(model_.topology(), weightless_);
  const ScratchView<double> room = work.view();
  joint_angles(tree, room, q.data());
  for (int r = 0; r < model_.speeds(); ++r) {
    unit_(r) = 1;
    flexible_newton_euler_outward<double>(tree, room, q.data(), work.zero().data(), unit_.data(),
                                          nullptr, modal_.data());
    unit_(r) = 0;
    for (int i = 0; i < tree.size; ++i) {
      const BodyMotion<double>& now = room.newton_euler[i].motion;
      partial_.col(r).segment<6>(6 * i) << now.dw.x, now.dw.y, now.dw.z, now.a.x, now.a.y, now.a.z;
    }
  }
}

void FlexibleKaneRoute::efforts(Workspace& work, const VectorRef& q, const VectorRef& v,
                                const VectorRef& a, ExternalWrenches wrenches,
                                Eigen::VectorXd& tau) {
  const NodeWrenches external = gather_wrenches(model_, work, q, wrenches);
  update_partial_velocities(work, q);
  const TreeView<double> tree = view<double>(model_.topology(), model_.parameters());
  const ScratchView<double> room = work.view();
  tau.resize(model_.speeds());
  for (int k = 0; k < tree.speeds; ++k) tau(k) = tree.armature[k] * a(k);
  // Into tau: what the bodies' own deformation takes, by the partial velocities of their points.
  flexible_newton_euler_outward<double>(tree, room, q.data(), v.data(), a.data(), external,
                                        tau.data());
  Eigen::Matrix<double, 6, 1> force;
  for (int i = 1; i < tree.size; ++i) {
    const NewtonEulerNode<double>& node = room.newton_euler[i];
    force << node.n.x, node.n.y, node.n.z, node.f.x, node.f.y, node.f.z;
    tau += partial_.middleRows<6>(6 * i).transpose() * force;
  }
  add_passive_efforts(model_, q.data(), v.data(), 1, tau.data());
}

const std::vector<Wrench<double>>& FlexibleKaneRoute::reactions(Workspace& work, const VectorRef& q,
                                                                const VectorRef& v,
                                                                const VectorRef& a,
                                                                ExternalWrenches wrenches,
                                                                const ReactionQuery& query) {
  if (!reactions_) reactions_ = std::make_unique<KaneReactions>(model_);
  return reactions_->compute(work, q, v, a, wrenches, query);
}

}  // namespace ulna
