#include "trace/formulation_route.hpp"

#include <fmt/format.h>

#include <iterator>

#include "ulna/dynamics/kernels/compact_newton_euler.hpp"
#include "ulna/dynamics/kernels/compact_tree.hpp"
#include "ulna/dynamics/kernels/influence_model.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/dynamics/parts/newton_euler_4x4.hpp"
#include "ulna/kinematics/kernels/forward_kinematics.hpp"

namespace ulna::generate {
namespace {

using E = Expression;
using Efforts = Expressions (*)(const Tracing&, const Expressions& v, const Expressions& a);

Expressions compact_efforts(const Tracing& t, const Expressions& v, const Expressions& a) {
  const CompactPlan plan(t.model.topology().nodes.size());
  const CompactTree<E> tree = compact_tree(t.model.topology(), t.parameters, plan);
  std::vector<CompactMotion<E>> motions(tree.nodes.size());
  Expressions tau = zeros(t.speeds());
  compact_newton_euler<E>(tree, motions.data(), t.q.data(), v.data(), a.data(), tau.data());
  return tau;
}

Expressions efforts_4x4(const Tracing& t, const Expressions& v, const Expressions& a) {
  std::vector<NodeMatrices<E>> nodes(t.model.topology().nodes.size());
  Expressions tau = zeros(t.speeds());
  newton_euler_4x4<E>(t.tree(), t.q.data(), v.data(), a.data(), nullptr, nodes.data(), tau.data());
  return tau;
}

/// M and C of Lagrange's equations.
struct Lagrange {
  Expressions M, C;

  Lagrange(const Tracing& t, const Expressions& v)
      : M(zeros(static_cast<std::size_t>(t.speeds()) * t.speeds())), C(zeros(t.speeds())) {
    const std::size_t size = t.model.topology().nodes.size();
    std::vector<NodeMatrices<E>> nodes(size);
    std::vector<LagrangeNode<E>> sums(size);
    compose_4x4<E>(t.tree(), t.q.data(), v.data(), nullptr, nodes.data());
    gather_4x4<E>(t.tree(), nodes.data(), sums.data());
    mass_matrix_4x4<E>(t.tree(), nodes.data(), sums.data(), M.data());
    bias_4x4<E>(t.tree(), nodes.data(), sums.data(), C.data());
  }
};

Expressions lagrange_efforts(const Tracing& t, const Expressions& v, const Expressions& a) {
  const Lagrange equations(t, v);
  Expressions tau = equations.C;
  for (std::size_t i = 0; i < tau.size(); ++i)
    for (std::size_t k = 0; k < tau.size(); ++k) tau[i] += equations.M[i + tau.size() * k] * a[k];
  return tau;
}

Expressions lagrange_mass(const Tracing& t) { return Lagrange(t, zeros(t.speeds())).M; }

/// I*, P* and gravity of the dynamic model by influence coefficients.
struct InfluenceModel {
  Expressions I, P, gravity;

  explicit InfluenceModel(const Tracing& t)
      : I(zeros(static_cast<std::size_t>(t.speeds()) * t.speeds())),
        P(zeros(I.size() * t.speeds())),
        gravity(zeros(t.speeds())) {
    const int n = t.speeds();
    const TreeView<E> tree = t.tree();
    Scratch<E> scratch(t.model.topology());
    node_poses(tree, scratch.view(), t.q.data());
    const Vec3<E> g = vec3(t.parameters.gravity);
    for (int i = 1; i < tree.size; ++i) {
      const NodeParameters<E>& node = t.parameters.nodes[i];
      const E* s = node.second_moment;
      const bool massless = node.mass.is_zero();
      if (massless && (s[0] + s[1] + s[2]).is_zero()) continue;
      const CentralInertia<E> central = central_inertia(node, massless);
      const NodePose<E>& X = scratch.view().pose[i];
      const Mat3<E> turned{X.R.xx, X.R.yx, X.R.zx, X.R.xy, X.R.yy, X.R.zy, X.R.xz, X.R.yz, X.R.zz};
      const auto way =
          influence_columns<E>(tree.nodes, scratch.view().pose, i, X.p + X.R * central.c);
      add_body_model(centre_influence(way, n), node.mass, X.R * central.J * turned, g, n, I.data(),
                     P.data(), gravity.data());
    }
    for (int k = 0; k < n; ++k) I[k + n * k] += t.parameters.armature[k];
  }
};

Expressions influence_efforts(const Tracing& t, const Expressions& v, const Expressions& a) {
  const InfluenceModel model(t);
  const std::size_t n = v.size();
  Expressions tau = model.gravity;
  for (std::size_t k = 0; k < n; ++k) {
    const E* plane = model.P.data() + n * n * k;
    for (std::size_t j = 0; j < n; ++j) {
      tau[k] += model.I[k + n * j] * a[j] + plane[j + n * j] * (v[j] * v[j]);
      for (std::size_t i = 0; i < j; ++i)
        tau[k] += (plane[i + n * j] + plane[j + n * i]) * (v[i] * v[j]);
    }
  }
  return tau;
}

Expressions influence_mass(const Tracing& t) { return InfluenceModel(t).I; }

/// A formulation on symbols. What is null is derived.
struct SymbolicRoute {
  const char* name;
  Efforts efforts;
  Expressions (*mass)(const Tracing&);
  Expressions (*accelerations)(const Tracing&);
};

constexpr SymbolicRoute routes[] = {
    {"newton-euler", newton_euler_efforts, composite_mass, nullptr},
    {"newton-euler-compact", compact_efforts, nullptr, nullptr},
    {"newton-euler-4x4", efforts_4x4, nullptr, nullptr},
    {"lagrange-4x4", lagrange_efforts, lagrange_mass, nullptr},
    {"kane", kane_efforts, kane_mass, nullptr},
    {"influence-coefficients", influence_efforts, influence_mass, nullptr},
    {"articulated-body", newton_euler_efforts, composite_mass, articulated_accelerations},
    {"composite-body", newton_euler_efforts, composite_mass, nullptr},
};

const SymbolicRoute* route_of(const std::string& name) {
  for (const SymbolicRoute& route : routes)
    if (name == route.name) return &route;
  return nullptr;
}

const SymbolicRoute& asked_for(const Tracing& t) {
  return *route_of(t.options.method.empty() ? "newton-euler" : t.options.method);
}

/// Columns of efforts at unit accelerations, without gravity.
Expressions mass_by_columns(const Tracing& t, Efforts efforts) {
  Tracing weightless = t;
  for (E& g : weightless.parameters.gravity) g = E(0.0);
  const int n = t.speeds();
  Expressions M;
  for (int k = 0; k < n; ++k) {
    Expressions unit = zeros(n);
    unit[k] = E(1.0);
    const Expressions column = efforts(weightless, zeros(n), unit);
    M.insert(M.end(), column.begin(), column.end());
  }
  return M;
}

}  // namespace

const Formulation& chosen_formulation(const Tracing& t, Question question) {
  const Formulation& f =
      formulation_named(t.options.method.empty() ? "newton-euler" : t.options.method);
  const std::string reason = why_not_generated(f, t.model, question);
  if (reason.empty()) return f;
  std::vector<std::string> others;
  for (const Formulation& other : formulations())
    if (why_not_generated(other, t.model, question).empty()) others.emplace_back(other.name);
  throw InputError(
      Problem{{}, "method", reason, fmt::format("one of {}", fmt::join(others, ", ")), {}});
}

Expressions route_efforts(const Tracing& t, const Expressions& v, const Expressions& a) {
  return asked_for(t).efforts(t, v, a);
}

Expressions route_mass(const Tracing& t) {
  const SymbolicRoute& route = asked_for(t);
  return route.mass ? route.mass(t) : mass_by_columns(t, route.efforts);
}

Expressions route_accelerations(const Tracing& t) {
  const SymbolicRoute& route = asked_for(t);
  if (route.accelerations) return route.accelerations(t);
  if (!t.options.speeds.joint_rates()) return kane_accelerations(t);
  Expressions a = t.tau;
  traced_passive_efforts(t, t.v, -1, a);
  const Expressions bias = route.efforts(t, t.v, zeros(t.speeds()));
  for (int k = 0; k < t.speeds(); ++k) a[k] -= bias[k];
  MassFactor(route_mass(t), t.speeds()).solve(a.data());
  return a;
}

}  // namespace ulna::generate

namespace ulna {

std::string why_not_generated(const Formulation& formulation, const Model& model,
                              Question question) {
  std::string reason = why_not(formulation, model, question);
  if (!reason.empty() || generate::route_of(formulation.name)) return reason;
  return fmt::format("'{}' has no symbolic form that code could be generated from",
                     formulation.name);
}

}  // namespace ulna
