#include "ulna/dynamics/kernels/compact_tree.hpp"

#include <fmt/format.h>

#include <cmath>

#include "common.hpp"
#include "ulna/dynamics/kernels/compact_newton_euler.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/symbolic/graph.hpp"

namespace ulna {
namespace {

using E = Expression;
using Node = CompactNode<E>;
using Vector = Vec3<E>;
enum { xx, yy, zz, xy, xz, yz };

Vector position_of(const Node& node) { return vec3(node.position); }

/// The joint's axis in the parent's link axes.
Vector axis_of(const Node& node) {
  const double s = exact_sine(node.phi), c = exact_cosine(node.phi);
  return {E(s * node.sin_alpha), E(-c * node.sin_alpha), E(node.cos_alpha)};
}

// factor (a b' + b a') / 2 added to second moments.
void add_dyad(E* Sigma, const E& factor, const Vector& a, const Vector& b) {
  Sigma[xx] += factor * a.x * b.x;
  Sigma[yy] += factor * a.y * b.y;
  Sigma[zz] += factor * a.z * b.z;
  Sigma[xy] += 0.5 * factor * (a.x * b.y + b.x * a.y);
  Sigma[xz] += 0.5 * factor * (a.x * b.z + b.x * a.z);
  Sigma[yz] += 0.5 * factor * (a.y * b.z + b.y * a.z);
}

// eq. 3: a mass, a first moment along the axis d and a second moment along it, all at p.
void add_mass(Node& to, const E& m, const Vector& p) {
  to.mass += m;
  store(vec3(to.first_moment) + scaled(m, p), to.first_moment);
  add_dyad(to.second_moment, m, p, p);
}
void add_moment(Node& to, const E& h, const Vector& p, const Vector& d) {
  store(vec3(to.first_moment) + scaled(h, d), to.first_moment);
  add_dyad(to.second_moment, 2.0 * h, p, d);
}
void add_axial(Node& to, const E& s, const Vector& d) { add_dyad(to.second_moment, s, d, d); }

E entry(const Node& node, Clears target) {
  switch (target) {
    case Clears::parent_hx:
      return node.first_moment[0];
    case Clears::parent_hy:
      return node.first_moment[1];
    case Clears::parent_xx:
      return node.second_moment[xx];
    case Clears::parent_yy:
      return node.second_moment[yy];
    case Clears::parent_difference:
      return node.second_moment[xx] - node.second_moment[yy];
    case Clears::parent_xy:
      return node.second_moment[xy];
    case Clears::parent_xz:
      return node.second_moment[xz];
    case Clears::parent_mass:
      return node.mass;
    case Clears::parent_hz:
      return node.first_moment[2];
    default:
      return node.second_moment[yz];
  }
}

// Rounding must not leave an operation behind.
void clear(Node& node, Clears target) {
  switch (target) {
    case Clears::parent_hx:
      node.first_moment[0] = 0;
      break;
    case Clears::parent_hy:
      node.first_moment[1] = 0;
      break;
    case Clears::parent_difference:
      node.second_moment[xx] = node.second_moment[yy];
      break;
    case Clears::parent_mass:
      node.mass = 0;
      break;
    case Clears::parent_hz:
      node.first_moment[2] = 0;
      break;
    default: {
      constexpr int position[] = {0, 0, 0, xx, yy, 0, xy, xz, yz};
      node.second_moment[position[static_cast<int>(target)]] = 0;
    }
  }
}

/// Moves `own` across the joint by `add(parent, amount)`: all of it, or what clears the target.
template <class Add>
void move(Node& parent, Clears target, E& own, const Add& add) {
  const bool possible = target != Clears::itself && target < Clears::own_xx && parent.parent >= 0;
  if (possible) {
    Node unit;
    add(unit, E(1));
    const E slope = entry(unit, target), value = entry(parent, target);
    // A slope that is small against the lengths of the arm would blow up what is moved.
    const bool useful = !slope.is_zero() && !value.is_zero() &&
                        !(slope.is_constant() && std::abs(slope.factor()) < 1e-3);
    if (useful) {
      const E amount = -value / slope;
      own -= amount;
      add(parent, amount);
      clear(parent, target);
      return;
    }
  }
  const E all = own;
  own = 0;
  add(parent, all);
}

class Builder {
 public:
  Builder(const Topology& topology, const Parameters<E>& parameters, const CompactPlan& plan)
      : plan_(plan), size_(static_cast<int>(topology.nodes.size())), only_child_(size_, 0) {
    tree_.speeds = topology.speeds;
    tree_.armature = parameters.armature;
    for (int k = 0; k < 3; ++k) tree_.gravity[k] = parameters.gravity[k];
    if (plan[0].by_gravity) choose_unit();
    tree_.nodes.resize(size_);
    tree_.nodes[0].parent = -1;
    for (int i = 1; i < size_; ++i) copy(topology.nodes[i], parameters.nodes[i], i);
  }

  CompactTree<E> build() {
    for (int i = 1; i < size_; ++i)
      if (plan_[i].slides) slide(i);
    for (int i = size_ - 1; i > 0; --i) {
      Node& node = tree_.nodes[i];
      if (plan_[i].rod && only_child_[i] > 0) make_rod(node, tree_.nodes[only_child_[i]]);
      if (node.h == 0)
        group_revolute(i);
      else if (node.sigma == 0)
        group_prismatic(i);
    }
    return std::move(tree_);
  }

 private:
  // The largest component, if all are numbers.
  void choose_unit() {
    double largest = 0;
    for (const E& g : tree_.gravity) {
      if (!g.is_constant()) return;
      largest = std::max(largest, std::abs(g.factor()));
    }
    if (largest > 0) tree_.unit = largest;
  }

  void copy(const TreeNode& from, const NodeParameters<E>& par, int i) {
    Node& to = tree_.nodes[i];
    to.parent = from.parent;
    to.q = from.q, to.v = from.v;
    to.sigma = from.sigma, to.h = from.h, to.offset = from.offset;
    to.phi = std::atan2(from.sin_phi, from.cos_phi);
    to.cos_alpha = from.cos_alpha, to.sin_alpha = from.sin_alpha;
    to.turns = plan_[i].turns;
    to.mass = par.mass;
    std::copy_n(par.first_moment, 3, to.first_moment);
    std::copy_n(par.second_moment, 6, to.second_moment);
    // From the axes after the constant turn into the parent's (eq. 1).
    const Vector p = turn_x(from.cos_alpha, -from.sin_alpha, vec3(par.position));
    store(Vector{from.cos_phi * p.x - from.sin_phi * p.y, from.sin_phi * p.x + from.cos_phi * p.y,
                 p.z},
          to.position);
    int& only = only_child_[from.parent];
    only = only == 0 ? i : -1;
  }

  // eq. 2: the origin moves along its own axis until the arm is normal to it.
  void slide(int i) {
    Node& node = tree_.nodes[i];
    if (node.h != 0 && node.sigma != 0) return;
    const Vector d = axis_of(node);
    const E s = -dot(d, position_of(node));
    if (s.is_zero()) return;
    store(position_of(node) + scaled(s, d), node.position);
    E* h = node.first_moment;
    E* Sigma = node.second_moment;
    Sigma[zz] += s * (s * node.mass - 2.0 * h[2]);
    Sigma[xz] -= s * h[0];
    Sigma[yz] -= s * h[1];
    h[2] -= s * node.mass;
    for (int j = i + 1; j < size_; ++j)
      if (tree_.nodes[j].parent == i) tree_.nodes[j].position[2] -= s;
  }

  // eq. 5
  static void make_rod(Node& node, const Node& child) {
    const Vector p = position_of(child);
    E* Sigma = node.second_moment;
    if (!p.y.is_zero() || p.x.is_zero() || !Sigma[xy].is_zero()) return;
    node.rod = (Sigma[xx] - Sigma[yy]) / (p.x * p.x);
    Sigma[xx] = Sigma[yy];
    Sigma[zz] -= node.rod * p.z * p.z;
    Sigma[xz] -= node.rod * p.x * p.z;
  }

  // eq. 3
  void group_revolute(int i) {
    Node& node = tree_.nodes[i];
    Node& parent = tree_.nodes[node.parent];
    const CompactChoice& choice = plan_[i];
    const Vector p = position_of(node), d = axis_of(node);
    move(parent, choice.mass, node.mass,
         [&](Node& to, const E& amount) { add_mass(to, amount, p); });
    move(parent, choice.moment, node.first_moment[2],
         [&](Node& to, const E& amount) { add_moment(to, amount, p, d); });
    E& axial = node.second_moment[zz];
    const auto add = [&](Node& to, const E& amount) { add_axial(to, amount, d); };
    if (choice.axial >= Clears::own_xx && node.parent > 0) {
      const bool minus = choice.axial >= Clears::minus_own_xx;
      const bool by_xx = choice.axial == Clears::own_xx || choice.axial == Clears::minus_own_xx;
      const E size = node.second_moment[by_xx ? xx : yy], kept = minus ? -size : size;
      add(parent, axial - kept);
      axial = kept;
    } else {
      move(parent, choice.axial, axial, add);
    }
    if (choice.aligns && only_child_[i] == 0) align(node);
  }

  // eq. 6: nothing hangs on a tip's x axis; along the first moment it clears one entry.
  static void align(Node& node) {
    E* h = node.first_moment;
    if (h[1].is_zero() || !h[0].is_constant() || !h[1].is_constant()) return;
    const double size = std::hypot(h[0].factor(), h[1].factor());
    const double c = h[0].factor() / size, s = h[1].factor() / size;
    h[0] = size, h[1] = 0;
    E* S = node.second_moment;
    const E x = c * S[xz] + s * S[yz], y = c * S[yz] - s * S[xz];
    S[xz] = x, S[yz] = y;
    const E a = c * c * S[xx] + 2 * c * s * S[xy] + s * s * S[yy];
    const E b = s * s * S[xx] - 2 * c * s * S[xy] + c * c * S[yy];
    S[xy] = (c * c - s * s) * S[xy] - c * s * (S[xx] - S[yy]);
    S[xx] = a, S[yy] = b;
    node.offset += std::atan2(s, c);
  }

  // eq. 4: a slide does not turn, so all second moments belong to the parent as well.
  void group_prismatic(int i) {
    Node& node = tree_.nodes[i];
    E* S = node.second_moment;
    const double ct = exact_cosine(node.offset), st = exact_sine(node.offset);
    const double cf = exact_cosine(node.phi), sf = exact_sine(node.phi);
    const double ca = node.cos_alpha, sa = node.sin_alpha;
    const Vector x{E(cf * ct - sf * ca * st), E(sf * ct + cf * ca * st), E(sa * st)};
    const Vector y{E(-cf * st - sf * ca * ct), E(-sf * st + cf * ca * ct), E(sa * ct)};
    const Vector z = axis_of(node);
    E* to = tree_.nodes[node.parent].second_moment;
    add_dyad(to, S[xx], x, x);
    add_dyad(to, S[yy], y, y);
    add_dyad(to, S[zz], z, z);
    add_dyad(to, 2.0 * S[xy], x, y);
    add_dyad(to, 2.0 * S[xz], x, z);
    add_dyad(to, 2.0 * S[yz], y, z);
    std::fill_n(S, 6, E(0));
  }

  CompactTree<E> tree_;
  const CompactPlan& plan_;
  int size_;
  std::vector<int> only_child_;  // 0: none, -1: several
};

void copy_numbers(const E* from, double* to, int count) {
  for (int k = 0; k < count; ++k) to[k] = from[k].factor();
}

CompactTree<double> numbers(const CompactTree<E>& from) {
  CompactTree<double> to;
  to.speeds = from.speeds;
  to.nodes.resize(from.nodes.size());
  to.armature.resize(from.armature.size());
  copy_numbers(from.gravity, to.gravity, 3);
  copy_numbers(&from.unit, &to.unit, 1);
  copy_numbers(from.armature.data(), to.armature.data(), static_cast<int>(from.armature.size()));
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    const Node& a = from.nodes[i];
    CompactNode<double>& b = to.nodes[i];
    b.parent = a.parent;
    b.q = a.q, b.v = a.v;
    b.sigma = a.sigma, b.h = a.h, b.offset = a.offset;
    b.phi = a.phi, b.cos_alpha = a.cos_alpha, b.sin_alpha = a.sin_alpha;
    b.turns = a.turns;
    copy_numbers(a.position, b.position, 3);
    copy_numbers(&a.mass, &b.mass, 1);
    copy_numbers(a.first_moment, b.first_moment, 3);
    copy_numbers(a.second_moment, b.second_moment, 6);
    copy_numbers(&a.rod, &b.rod, 1);
  }
  return to;
}

}  // namespace

bool has_compact_form(const Topology& topology) {
  for (std::size_t i = 1; i < topology.nodes.size(); ++i)
    if (topology.nodes[i].kind != NodeKind::screw) return false;
  return true;
}

CompactTree<Expression> compact_tree(const Topology& topology,
                                     const Parameters<Expression>& parameters,
                                     const CompactPlan& plan) {
  return Builder(topology, parameters, plan).build();
}

CompactTree<double> compact_tree(const Model& model) {
  for (const Joint& joint : model.joints())
    for (int k = 0; k < joint.node_count; ++k)
      if (model.topology().nodes[joint.first_node + k].kind != NodeKind::screw)
        throw InputError(fmt::format("joint '{}' has no compact form", joint.name),
                         "revolute, prismatic and screw joints, or those made of them",
                         "use --method newton-euler");
  Graph graph;
  Graph::Scope scope(graph);
  const CompactPlan plan(model.topology().nodes.size());
  return numbers(compact_tree(model.topology(), converted<E>(model.parameters()), plan));
}

Eigen::VectorXd inverse_dynamics_compact(const Model& model, const VectorRef& q, const VectorRef& v,
                                         const VectorRef& a) {
  model.require_tree("inverse dynamics");
  model.require_rigid("the compact form");
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  check_size(model, a, model.speeds(), "a");
  const CompactTree<double> tree = compact_tree(model);
  std::vector<CompactMotion<double>> work(tree.nodes.size());
  Eigen::VectorXd tau(model.speeds());
  compact_newton_euler<double>(tree, work.data(), q.data(), v.data(), a.data(), tau.data());
  add_passive_efforts(model, q.data(), v.data(), 1, tau.data());
  return tau;
}

}  // namespace ulna
