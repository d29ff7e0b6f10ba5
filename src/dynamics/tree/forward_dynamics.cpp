#include "ulna/dynamics/forward_dynamics.hpp"

#include <fmt/format.h>

#include "common.hpp"
#include "ulna/dynamics/kernels/coriolis.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

namespace {

/// Bodies whose inertia no body can have, "body 'hip', body 'knee'".
std::string impossible_ones(const Model& model) {
  std::string list;
  for (const Problem& problem : model.warnings())
    if (problem.message.find("impossible inertia") != std::string::npos)
      list += (list.empty() ? "" : ", ") + problem.element;
  return list;
}

}  // namespace

void refuse_singular(const Model& model, int speed, double pivot) {
  const std::string culprits = pivot < 0 ? impossible_ones(model) : "";
  if (!culprits.empty())
    throw ComputationError(
        fmt::format(
            "the mass matrix of robot '{}' is not positive at this posture: joint '{}' moves "
            "an inertia of {:.3g}, for which there is an impossible inertia of {} "
            "(--repair nearest takes the nearest possible one)",
            model.name(), model.speed_names()[speed], pivot, culprits),
        pivot);
  throw ComputationError(fmt::format("the mass matrix of robot '{}' is singular: joint '{}' moves "
                                     "no inertia (pivot {:.3g}); give the "
                                     "bodies behind it mass or the joint a rotor inertia",
                                     model.name(), model.speed_names()[speed], pivot),
                         pivot);
}

Eigen::VectorXd solve_mass_matrix(const Model& model, const Eigen::MatrixXd& M,
                                  const Eigen::VectorXd& b) {
  if (b.size() == 0) return b;
  const dense::Cholesky factor(M);
  const Eigen::VectorXd pivots = factor.pivots();
  for (int k = 0; k < model.speeds(); ++k) {
    // A factorisation that breaks off does not say where: the first part without one does.
    if (!factor.ok() && !dense::Cholesky(M.topLeftCorner(k + 1, k + 1)).ok()) {
      const Eigen::VectorXd before = M.col(k).head(k);
      const dense::Cholesky part(M.topLeftCorner(k, k));
      refuse_singular(model, k, M(k, k) - before.dot(part.solve(before)));
    }
    // A pivot that is rounding of what the joint feels with all others locked.
    if (!(pivots(k) > singular_tolerance * M(k, k))) refuse_singular(model, k, pivots(k));
  }
  return factor.solve(b);
}

/// Composite bodies in their own axes for short limbs, in world axes for long ones (measured: equal
/// at about ten joints in a row, each carried by five on average).
void compute_mass_matrix(const Model& model, Workspace& work, const double* q) {
  constexpr int few = 5;
  const Tree tree = view<double>(model.topology(), model.parameters());
  if (model.flexible())
    flexible_kernels().composite_body(tree, work.view(), q, work.mass_matrix.data());
  else if (work.columns().pairs < few * work.columns().columns)
    dynamics_kernels().composite_body(tree, work.view(), q, work.mass_matrix.data());
  else
    dynamics_kernels().world_mass_matrix(tree, work.view(), work.columns(), q,
                                         work.mass_matrix.data());
}

/// A joint moves no inertia when what its axis feels is rounding (1e-14) of what the whole node
/// has.
void check_articulated_pivots(const Model& model, const Workspace& work) {
  constexpr double rounding = singular_tolerance;
  const int n = static_cast<int>(model.topology().nodes.size());
  for (int i = n - 1; i > 0; --i) {  // the outermost culprit spoils the ones before it
    const TreeNode& node = model.topology().nodes[i];
    const ArticulatedNode<double>& a = work.view().articulated[i];
    if (node.kind == NodeKind::screw) {
      const double size = node.sigma * node.sigma * (a.A.xx + a.A.yy + a.A.zz) +
                          node.h * node.h * (a.C.xx + a.C.yy + a.C.zz);
      if (!(a.D_inverse > 0 && a.D_inverse * size * rounding < 1)) [[unlikely]]
        refuse_singular(model, node.v, 1 / a.D_inverse);
      continue;
    }
    if (node.kind == NodeKind::flexible || node.kind == NodeKind::station) continue;
    const BlockScratch<double>& block = work.view().block[work.view().block_of[i]];
    const int k = speeds_of(node.kind);
    const double turn = a.A.xx + a.A.yy + a.A.zz, slide = a.C.xx + a.C.yy + a.C.zz;
    for (int r = 0; r < k; ++r) {
      const double D_inverse = block.factor[k * r + r];
      if (!(D_inverse > 0 && D_inverse * (r < 3 ? turn : slide) * rounding < 1)) [[unlikely]]
        refuse_singular(model, node.v + r, 1 / D_inverse);
    }
  }
}

namespace {

/// M x = b by M = L' D L, eliminating the last speed first: children come after their parents, so D
/// is what each joint feels of the bodies behind it, as with articulated bodies.
void solve_from_the_tips(const Model& model, Workspace& work) {
  Eigen::MatrixXd& M = work.mass_matrix;
  Eigen::VectorXd& x = work.acceleration;
  work.factor_scratch = M.diagonal();
  for (int k = model.speeds() - 1; k >= 0; --k) {
    const double pivot = M(k, k);
    if (!(pivot > singular_tolerance * work.factor_scratch(k))) refuse_singular(model, k, pivot);
    for (int i = 0; i < k; ++i) {
      const double factor = M(i, k) / pivot;
      M.col(i).head(i + 1) -= factor * M.col(k).head(i + 1);
      x(i) -= factor * x(k);
    }
  }
  for (int k = 0; k < model.speeds(); ++k) {
    x(k) = (x(k) - M.col(k).head(k).dot(x.head(k))) / M(k, k);
  }
}

void solve_composite(const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v,
                     NodeWrenches external) {
  run_newton_euler(model, work, q.data(), v.data(), work.zero().data(), external);
  compute_mass_matrix(model, work, q.data());
  work.acceleration -= work.tau;
  solve_from_the_tips(model, work);
}

}  // namespace

ForwardMethod automatic_method(const Model& model) {
  return model.topology().shared_speeds ? ForwardMethod::composite_body
                                        : ForwardMethod::articulated_body;
}

const char* name_of(ForwardMethod method) {
  constexpr const char* names[] = {"automatic", "articulated-body", "composite-body"};
  return names[static_cast<int>(method)];
}

const Eigen::VectorXd& forward_dynamics(const Model& model, Workspace& work, const VectorRef& q,
                                        const VectorRef& v, const VectorRef& tau,
                                        ExternalWrenches wrenches, ForwardMethod method) {
  if (!model.loops().empty()) [[unlikely]]
    model.require_tree("forward dynamics");
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, tau, model.speeds(), "tau");
  const NodeWrenches external = gather_wrenches(model, work, q, wrenches);
  const bool coupled = model.topology().shared_speeds;
  if (method == ForwardMethod::articulated_body && coupled)
    throw InputError(
        fmt::format("robot '{}' has mimic joints, which couple the tree", model.name()),
        "method composite-body", "or leave the method to the library");
  // Efforts that are left after damping, friction and springs.
  const double* efforts = tau.data();
  if (model.has_passive()) {
    work.passive = tau;
    add_passive_efforts(model, q.data(), v.data(), -1, work.passive.data());
    efforts = work.passive.data();
  }
  if (method == ForwardMethod::composite_body || coupled) {
    work.acceleration = Eigen::Map<const Eigen::VectorXd>(efforts, model.speeds());
    solve_composite(model, work, q, v, external);
    return work.acceleration;
  }
  const auto run =
      model.flexible() ? flexible_kernels().articulated_body : dynamics_kernels().articulated_body;
  run(view<double>(model.topology(), model.parameters()), work.view(), q.data(), v.data(), efforts,
      external, work.acceleration.data());
  check_articulated_pivots(model, work);
  return work.acceleration;
}

const Eigen::MatrixXd& mass_matrix(const Model& model, Workspace& work, const VectorRef& q) {
  if (!model.loops().empty()) [[unlikely]]
    model.require_tree("the mass matrix");
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  compute_mass_matrix(model, work, q.data());
  return work.mass_matrix;
}

Eigen::MatrixXd coriolis_matrix(const Model& model, const VectorRef& q, const VectorRef& v) {
  model.require_tree("the Coriolis matrix");
  model.require_rigid("the Coriolis matrix");
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  Scratch<double> scratch(model.topology());
  ColumnScratch<double> memory(model.topology());
  Eigen::MatrixXd C(model.speeds(), model.speeds());
  coriolis(view<double>(model.topology(), model.parameters()), scratch.view(), memory.view(),
           q.data(), v.data(), C.data());
  return C;
}

}  // namespace ulna
