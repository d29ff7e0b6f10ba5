#include "ulna/dynamics/newton_euler_4x4.hpp"

#include <map>

#include "common.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

void check_state(const Model& model, const VectorRef& q, const VectorRef& v, const VectorRef& a) {
  model.require_tree("inverse dynamics by 4x4 matrices");
  model.require_rigid("inverse dynamics by 4x4 matrices");
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, a, model.speeds(), "a");
}

/// L of a joint, in the order of its speeds.
std::vector<ScrewMatrix<double>> screws_of(const Model& model, const Joint& joint,
                                           const std::vector<NodeMatrices<double>>& nodes) {
  std::map<int, ScrewMatrix<double>> screws;
  for (int n = 0; n < joint.node_count; ++n) {
    const int i = joint.first_node + n;
    for (int k = 0; k < nodes[i].freedoms; ++k)
      screws[model.topology().nodes[i].v + k] = nodes[i].L[k];
  }
  std::vector<ScrewMatrix<double>> list;
  for (const auto& [speed, L] : screws) list.push_back(L);
  return list;
}

ActionMatrix<double> load_on(const Model& model, const std::vector<NodeMatrices<double>>& nodes,
                             const ExternalWrench& wrench) {
  const Body& body = model.bodies()[wrench.body];
  const Frame& axes = model.frames()[wrench.expressed_in];
  const Matrix3<double> R = nodes[axes.node].M.rotation() * axes.X_NF.rotation;
  const Vector3<double> point = nodes[body.node].M.pose() * (body.X_NB * wrench.point);
  Wrench<double> F = Wrench<double>::force_at(point, R * wrench.force);
  F.moment += R * wrench.moment;
  return ActionMatrix<double>(F);
}

}  // namespace

InertiaMatrix<double> body_inertia(const Model& model, int body) {
  const auto matrix = [](const Inertial& i) {
    return InertiaMatrix<double>::from_centre(i.mass, i.centre, i.inertia);
  };
  InertiaMatrix<double> J;
  if (body > 0) J = matrix(inertial_of(model.robot().bodies[body - 1]));
  for (const PayloadData& load : model.robot().payloads)
    if (load.body == model.bodies()[body].name)
      J += transform(PositionMatrix<double>(load.X_BL), matrix(load.inertial));
  return J;
}

Eigen::VectorXd inverse_dynamics_newton_euler_4x4(const Model& model, const VectorRef& q,
                                                  const VectorRef& v, const VectorRef& a,
                                                  ExternalWrenches wrenches) {
  check_state(model, q, v, a);
  Workspace work(model);
  const NodeWrenches external = gather_wrenches(model, work, q, wrenches);
  std::vector<NodeMatrices<double>> nodes(model.topology().nodes.size());
  Eigen::VectorXd tau(model.speeds());
  newton_euler_4x4<double>(view<double>(model.topology(), model.parameters()), q.data(), v.data(),
                           a.data(), external, nodes.data(), tau.data());
  add_passive_efforts(model, q.data(), v.data(), 1, tau.data());
  return tau;
}

std::vector<LinkMatrices> link_matrices(const Model& model, const VectorRef& q, const VectorRef& v,
                                        const VectorRef& a, ExternalWrenches wrenches) {
  check_state(model, q, v, a);
  const TreeView<double> tree = view<double>(model.topology(), model.parameters());
  std::vector<NodeMatrices<double>> nodes(model.topology().nodes.size());
  compose_4x4(tree, q.data(), v.data(), a.data(), nodes.data());
  const AccelerationMatrix<double> Hg = gravity_matrix(tree);
  const auto position = [&](int body) {
    return nodes[model.bodies()[body].node].M * PositionMatrix<double>(model.bodies()[body].X_NB);
  };

  std::vector<LinkMatrices> links;
  std::vector<int> link_of(model.bodies().size(), -1);
  for (int j : joints_outwards(model)) {
    const Joint& joint = model.joints()[j];
    LinkMatrices link{};
    link.joint = j;
    link.body = joint.reversed ? joint.parent : joint.child;
    link.parent = joint.reversed ? joint.child : joint.parent;
    const NodeMatrices<double>& own = nodes[model.bodies()[link.body].node];
    const NodeMatrices<double>& before = nodes[model.bodies()[link.parent].node];
    const PositionMatrix<double> M_parent = position(link.parent);
    link.absolute_position = position(link.body);
    link.relative_position = M_parent.inverse() * link.absolute_position;
    link.absolute_velocity = own.W;
    link.relative_velocity_base = own.W - before.W;
    link.relative_velocity_local = transform_inverse(M_parent, link.relative_velocity_base);
    link.absolute_acceleration = own.H;
    link.relative_acceleration_base = relative(own.H, own.W, before.H, before.W);
    link.relative_acceleration_local = transform_inverse(M_parent, link.relative_acceleration_base);
    link.inertia_local = body_inertia(model, link.body);
    link.inertia_base = transform(link.absolute_position, link.inertia_local);
    link.link_action = action(Hg - own.H, link.inertia_base);
    link.screws = screws_of(model, joint, nodes);
    link_of[link.body] = static_cast<int>(links.size());
    links.push_back(std::move(link));
  }

  std::vector<ExternalWrench> loads = element_wrenches(model, q, v);
  loads.insert(loads.end(), wrenches.begin(), wrenches.end());
  for (const ExternalWrench& wrench : loads) {
    check_wrench(model, wrench);
    if (wrench.body > 0) links[link_of[wrench.body]].link_action += load_on(model, nodes, wrench);
  }
  for (LinkMatrices& link : links) link.joint_action = link.link_action;
  for (std::size_t i = links.size(); i-- > 0;)
    if (links[i].parent > 0) links[link_of[links[i].parent]].joint_action += links[i].joint_action;
  return links;
}

}  // namespace ulna
