#include "ulna/dynamics/parts/newton_euler_4x4.hpp"

#include <map>

#include "common.hpp"
#include "loops/motors.hpp"
#include "ulna/dynamics/elements.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

void check_state(const Model& model, const VectorRef& q, const VectorRef& v, const VectorRef& a) {
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
  model.require_tree("inverse dynamics by 4x4 matrices");
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

namespace {

using Nodes = std::vector<NodeMatrices<double>>;

Nodes nodes_at(const Model& model, const VectorRef& q, const VectorRef& v, const VectorRef& a) {
  Nodes nodes(model.topology().nodes.size());
  compose_4x4(view<double>(model.topology(), model.parameters()), q.data(), v.data(), a.data(),
              nodes.data());
  return nodes;
}

/// All but the sums over what is behind a joint.
std::vector<LinkMatrices> links_alone(const Model& model, const Nodes& nodes) {
  const AccelerationMatrix<double> Hg =
      gravity_matrix(view<double>(model.topology(), model.parameters()));
  const auto position = [&](int body) {
    return nodes[model.bodies()[body].node].M * PositionMatrix<double>(model.bodies()[body].X_NB);
  };

  std::vector<LinkMatrices> links;
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
    links.push_back(std::move(link));
  }
  return links;
}

/// By body; -1 for the world.
std::vector<int> places_of(const Model& model, const std::vector<LinkMatrices>& links) {
  std::vector<int> places(model.bodies().size(), -1);
  for (std::size_t i = 0; i < links.size(); ++i) places[links[i].body] = static_cast<int>(i);
  return places;
}

void add_loads(const Model& model, const Nodes& nodes, ExternalWrenches wrenches,
               std::vector<LinkMatrices>& links) {
  const std::vector<int> places = places_of(model, links);
  for (const ExternalWrench& wrench : wrenches) {
    check_wrench(model, wrench);
    if (wrench.body > 0) links[places[wrench.body]].link_action += load_on(model, nodes, wrench);
  }
}

void sum_actions(const Model& model, std::vector<LinkMatrices>& links) {
  const std::vector<int> places = places_of(model, links);
  for (LinkMatrices& link : links) link.joint_action = link.link_action;
  for (std::size_t i = links.size(); i-- > 0;)
    if (links[i].parent > 0) links[places[links[i].parent]].joint_action += links[i].joint_action;
}

/// Twists of unit rate of each degree of a closing joint, axes of F at the origin of M: those that
/// its rows do not hold and whose rates are one and zero.
Eigen::MatrixXd closing_twists(const LoopClosure& closure, const Workspace& work, int loop) {
  const TwistRows held = closure.rows_of_twist(work, loop),
                  rates = closure.rates_of_twist(work, loop);
  Eigen::MatrixXd all(held.rows() + rates.rows(), 6);
  all << held, rates;
  Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(all.rows(), rates.rows());
  unit.bottomRows(rates.rows()).setIdentity();
  return dense::LeastNorm(all).solve(unit);
}

ClosingMatrices closing_matrices(const Model& model, const Nodes& nodes, const LoopClosure& closure,
                                 const Workspace& work, int k) {
  const Loop& loop = model.loops()[k];
  const NodeMatrices<double>&F = nodes[loop.node_F], &M = nodes[loop.node_M];
  const PositionMatrix<double> F_position = F.M * PositionMatrix<double>(loop.X_NF);
  ClosingMatrices out{};
  out.loop = k;
  out.body = loop.child;
  out.parent = loop.parent;
  out.absolute_position = M.M * PositionMatrix<double>(loop.X_NM);
  out.relative_position = F_position.inverse() * out.absolute_position;
  out.relative_velocity_base = M.W - F.W;
  out.relative_velocity_local = transform_inverse(F_position, out.relative_velocity_base);
  out.relative_acceleration_base = relative(M.H, M.W, F.H, F.W);
  out.relative_acceleration_local = transform_inverse(F_position, out.relative_acceleration_base);
  if (loop.kind != LoopKind::joint) return out;
  const PositionMatrix<double> axes(
      Pose<double>{F_position.rotation(), out.absolute_position.pose().position});
  const Eigen::MatrixXd twists = closing_twists(closure, work, k);
  for (Eigen::Index d = 0; d < twists.cols(); ++d)
    out.screws.push_back(transform(axes, ScrewMatrix<double>(Twist<double>{
                                             twists.col(d).head<3>(), twists.col(d).tail<3>()})));
  return out;
}

}  // namespace

std::vector<LinkMatrices> link_matrices(const Model& model, const VectorRef& q, const VectorRef& v,
                                        const VectorRef& a, ExternalWrenches wrenches) {
  model.require_tree("the 4x4 matrices of links alone");
  return mechanism_matrices(model, q, v, a, wrenches).links;
}

MechanismMatrices mechanism_matrices(const Model& model, const VectorRef& q, const VectorRef& v,
                                     const VectorRef& a, ExternalWrenches wrenches,
                                     const LoopInverseOptions& motors) {
  check_state(model, q, v, a);
  const Nodes nodes = nodes_at(model, q, v, a);
  MechanismMatrices out;
  out.links = links_alone(model, nodes);
  std::vector<ExternalWrench> loads = element_wrenches(model, q, v);
  loads.insert(loads.end(), wrenches.begin(), wrenches.end());
  add_loads(model, nodes, loads, out.links);
  if (model.loops().empty()) {
    sum_actions(model, out.links);
    out.tau = inverse_dynamics_newton_euler_4x4(model, q, v, a, wrenches);
    return out;
  }
  Workspace work(model);
  LoopDynamics dynamics(model);
  LoopEfforts efforts = dynamics.inverse(work, q, v, a, with_motors(model, motors), wrenches);
  out.tau = efforts.tau;
  out.unique = !efforts.redundant_rows;
  const std::vector<int> places = places_of(model, out.links);
  for (int k = 0; k < std::ssize(model.loops()); ++k) {
    const Loop& loop = model.loops()[k];
    if (loop.kind == LoopKind::coupling) continue;  // an effort, no wrench
    ClosingMatrices closing = closing_matrices(model, nodes, dynamics.closure(), work, k);
    // What the parent exerts on the child, at M in the axes of the child.
    const PositionMatrix<double> child = nodes[model.bodies()[loop.child].node].M *
                                         PositionMatrix<double>(model.bodies()[loop.child].X_NB);
    const PositionMatrix<double> at_M(
        Pose<double>{child.rotation(), closing.absolute_position.pose().position});
    const ActionMatrix<double> on_child =
        transform(at_M, ActionMatrix<double>(dynamics.loop_reaction(work, k, efforts.lambda)));
    closing.joint_action -= on_child;
    if (loop.child > 0) out.links[places[loop.child]].link_action += on_child;
    if (loop.parent > 0) out.links[places[loop.parent]].link_action -= on_child;
    out.closing.push_back(std::move(closing));
  }
  sum_actions(model, out.links);
  return out;
}

}  // namespace ulna
