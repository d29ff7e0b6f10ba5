#include "ulna/dynamics/lagrange_4x4.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "classic/lagrange_equations.hpp"
#include "common.hpp"
#include "ulna/dynamics/internal/coordinate_transfer.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/spatial/internal/homogeneous_derivatives.hpp"

namespace ulna {
namespace {

/// bias -= Phi (x) L summed over the actions behind each joint.
void subtract_external(const TreeView<double>& tree, const std::vector<NodeMatrices<double>>& nodes,
                       NodeWrenches external, Eigen::VectorXd& bias) {
  std::vector<ActionMatrix<double>> Phi(nodes.size());
  for (int i = tree.size - 1; i > 0; --i) {
    const NodeWrench<double>& F = external[i];
    const ActionMatrix<double> own(Wrench<double>{{F.n.x, F.n.y, F.n.z}, {F.f.x, F.f.y, F.f.z}});
    Phi[i] += transform(nodes[i].M, own);
    const TreeNode& node = tree.nodes[i];
    for (int k = 0; k < nodes[i].freedoms; ++k)
      bias(node.v + k) -= pseudo_product(Phi[i], nodes[i].L[k]);
    Phi[node.parent] += Phi[i];
  }
}

void check_state(const Model& model, const char* what, const VectorRef& q, const VectorRef& v) {
  model.require_tree(what);
  model.require_rigid(what);
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
}

/// The column of one speed: which node and which of its screws.
struct Column {
  int node, screw, speed;
};

std::vector<Column> columns_of(const Topology& topology) {
  std::vector<Column> columns;
  for (int i = 1; i < static_cast<int>(topology.nodes.size()); ++i)
    for (int k = 0; k < speeds_of(topology.nodes[i].kind); ++k)
      columns.push_back({i, k, topology.nodes[i].v + k});
  return columns;
}

/// Whether `node` is `ancestor` or behind it.
bool hangs_on(const Topology& topology, int node, int ancestor) {
  while (node > ancestor) node = topology.nodes[node].parent;
  return node == ancestor;
}

int speed_index(const Model& model, const std::string& name) {
  const auto& names = model.speed_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw InputError(fmt::format("robot '{}' has no coordinate '{}'", model.name(), name),
                     "one of its speeds", nearest_name_hint(name, names));
  return static_cast<int>(found - names.begin());
}

}  // namespace

LagrangeEquations lagrange_equations(const Model& model, const VectorRef& q, const VectorRef& v,
                                     ExternalWrenches wrenches) {
  const TreeView<double> tree = view<double>(model.topology(), model.parameters());
  const std::size_t n = model.topology().nodes.size();
  LagrangeEquations e{std::vector<NodeMatrices<double>>(n), std::vector<LagrangeNode<double>>(n),
                      Eigen::MatrixXd(model.speeds(), model.speeds()),
                      Eigen::VectorXd(model.speeds())};
  compose_4x4<double>(tree, q.data(), v.data(), nullptr, e.nodes.data());
  gather_4x4(tree, e.nodes.data(), e.sums.data());
  mass_matrix_4x4(tree, e.nodes.data(), e.sums.data(), e.mass.data());
  bias_4x4(tree, e.nodes.data(), e.sums.data(), e.bias.data());
  if (!wrenches.empty()) {
    Workspace work(model);
    if (const NodeWrenches external = gather_wrenches(model, work, q, wrenches))
      subtract_external(tree, e.nodes, external, e.bias);
  }
  add_passive_efforts(model, q.data(), v.data(), 1, e.bias.data());
  return e;
}

Eigen::VectorXd inverse_dynamics_lagrange_4x4(const Model& model, const VectorRef& q,
                                              const VectorRef& v, const VectorRef& a,
                                              ExternalWrenches wrenches) {
  check_state(model, "inverse dynamics by 4x4 matrices", q, v);
  check_size(model, a, model.speeds(), "a");
  const LagrangeEquations e = lagrange_equations(model, q, v, wrenches);
  return e.mass * a + e.bias;
}

Eigen::MatrixXd mass_matrix_lagrange_4x4(const Model& model, const VectorRef& q) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  check_state(model, "the mass matrix by 4x4 matrices", q, zero);
  return lagrange_equations(model, q, zero, {}).mass;
}

Eigen::VectorXd forward_dynamics_lagrange_4x4(const Model& model, const VectorRef& q,
                                              const VectorRef& v, const VectorRef& tau,
                                              ExternalWrenches wrenches) {
  check_state(model, "forward dynamics by 4x4 matrices", q, v);
  check_size(model, tau, model.speeds(), "tau");
  const LagrangeEquations e = lagrange_equations(model, q, v, wrenches);
  return solve_mass_matrix(model, e.mass, tau - e.bias);
}

namespace {

/// Of the open tree.
LagrangeCoefficients tree_coefficients(const Model& model, const VectorRef& q) {
  const int n = model.speeds();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  const Topology& topology = model.topology();
  const LagrangeEquations e = lagrange_equations(model, q, zero, {});
  LagrangeCoefficients D{Eigen::VectorXd::Zero(n), e.mass,
                         std::vector<Eigen::MatrixXd>(n, Eigen::MatrixXd::Zero(n, n))};
  bias_4x4(view<double>(topology, model.parameters()), e.nodes.data(), e.sums.data(), D.D_i.data());
  for (int k = 0; k < n; ++k) D.D_ij(k, k) -= model.parameters().armature[k];

  const std::vector<Column> columns = columns_of(topology);
  const auto L = [&](const Column& c) -> const Matrix4<double>& {
    return e.nodes[c.node].L[c.screw].matrix;
  };
  for (const Column& r : columns)
    for (const Column& s : columns) {
      if (!hangs_on(topology, r.node, s.node)) continue;  // s carries r, or both are of one node
      const bool same_node = r.node == s.node;
      const Matrix4<double> LsLr =
          same_node ? Matrix4<double>((L(s) * L(r) + L(r) * L(s)) / 2) : L(s) * L(r);
      for (const Column& i : columns) {
        const bool behind = hangs_on(topology, i.node, r.node);
        if (!behind && !hangs_on(topology, r.node, i.node)) continue;
        const Matrix4<double>& J = e.sums[behind ? i.node : r.node].J.matrix;
        const double d = trace_of_product<double>(LsLr * J, L(i));
        D.D_ijk[i.speed](s.speed, r.speed) += d;
        if (!same_node) D.D_ijk[i.speed](r.speed, s.speed) += d;
      }
    }
  for (int k = 0; k < n; ++k) D.speeds.push_back(k);
  return D;
}

}  // namespace

LagrangeCoefficients lagrange_coefficients(const Model& model, const VectorRef& q,
                                           const std::vector<int>& independent) {
  model.require_rigid("the Lagrangian coefficients");
  check_size(model, q, model.coordinates(), "q");
  LagrangeCoefficients D = tree_coefficients(model, q);
  if (model.loops().empty()) return D;
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  const SpeedSplit split =
      independent.empty() ? split_speeds(closure) : split_speeds(closure, independent);
  const DynamicModel tree{D.D_ij, D.D_ijk, D.D_i, Eigen::VectorXd::Zero(model.speeds())};
  const DynamicModel moved = transfer(tree, closed_loop_map(closure, work, q, split));
  D = {moved.gravity, moved.I, moved.P, split.independent};
  for (Eigen::MatrixXd& plane : D.D_ijk) plane = (0.5 * (plane + plane.transpose())).eval();
  return D;
}

BodyMatrixDerivatives body_matrix_derivatives(const Model& model, const VectorRef& q,
                                              const VectorRef& v, const std::string& body,
                                              const std::string& speed) {
  check_state(model, "derivatives of 4x4 matrices", q, v);
  const int index = model.body(body);
  const Body& b = model.bodies()[index];
  const int m = speed_index(model, speed);
  const Topology& topology = model.topology();
  std::vector<NodeMatrices<double>> nodes(topology.nodes.size());
  compose_4x4<double>(view<double>(topology, model.parameters()), q.data(), v.data(), nullptr,
                      nodes.data());
  const NodeMatrices<double>& own = nodes[b.node];
  const PositionMatrix<double> M = own.M * PositionMatrix<double>(b.X_NB);
  const InertiaMatrix<double> J = transform(M, body_inertia(model, index));
  BodyMatrixDerivatives d;
  for (const Column& c : columns_of(topology)) {
    if (c.speed != m || !hangs_on(topology, b.node, c.node)) continue;
    const ScrewMatrix<double>& L = nodes[c.node].L[c.screw];
    d.M += position_by(L, M);
    // All screws from this node on are carried along, its own ones too.
    d.W += velocity_by(L, own.W - nodes[topology.nodes[c.node].parent].W);
    d.J += inertia_by(L, J);
  }
  return d;
}

}  // namespace ulna
