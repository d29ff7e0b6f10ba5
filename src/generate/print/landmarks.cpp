#include "print/landmarks.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/kinematics/kernels/forward_kinematics.hpp"
#include "ulna/model/parts/workspace.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna::generate {
namespace {

constexpr const char* axis_names[] = {"x", "y", "z"};

Vector3<double> vector(const Vec3<double>& x) { return {x.x, x.y, x.z}; }

Matrix3<double> matrix(const Mat3<double>& R) {
  Matrix3<double> out;
  out << R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz;
  return out;
}

Matrix3<double> skew(const Vector3<double>& x) {
  Matrix3<double> out;
  out << 0, -x.z(), x.y(), x.z(), 0, -x.x(), -x.y(), x.x(), 0;
  return out;
}

/// What is to be named at one state, always in the same order.
class Values {
 public:
  void add(const std::string& name, const Vector3<double>& x) {
    for (int k = 0; k < 3; ++k) add(name + "_" + axis_names[k], x(k));
  }
  void add(const std::string& name, const Matrix3<double>& A) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) add(name + "_" + axis_names[r] + axis_names[c], A(r, c));
  }
  void add(const std::string& name, double x) { list.emplace_back(name, x); }
  std::vector<std::pair<std::string, double>> list;
};

void add_motion(Values& values, const std::string& label, const Matrix3<double>& R,
                const NodeMotion<double>& motion, const Vector3<double>& gravity) {
  const Vector3<double> w = R.transpose() * vector(motion.w),
                        dw = R.transpose() * vector(motion.dw);
  values.add("w" + label, w);
  values.add("dw" + label, dw);
  values.add("a" + label, Vector3<double>(R.transpose() * (vector(motion.dv) - gravity)));
  values.add("ww" + label, Matrix3<double>(w * w.transpose()));
  values.add("U" + label, Matrix3<double>(skew(dw) + skew(w) * skew(w)));
}

/// Entries of the mass matrix and efforts without acceleration.
/// Of the open tree.
void add_dynamics(Values& values, const Model& model, const std::vector<double>& q,
                  const std::vector<double>& v) {
  const int n = model.speeds();
  Workspace work(model);
  const Eigen::Map<const Eigen::VectorXd> at(q.data(), model.coordinates()), rates(v.data(), n);
  const Eigen::MatrixXd M = Dynamics(model).mass_matrix(at);
  const Eigen::VectorXd bias =
      LoopDynamics(model).required_efforts(work, at, rates, Eigen::VectorXd::Zero(n));
  for (int i = 0; i < n; ++i) {
    interruption_point();
    values.add(fmt::format("bias{}", i + 1), bias(i));
    for (int k = i; k < n; ++k)
      values.add(fmt::format("M{}{}{}", i + 1, n > 9 ? "_" : "", k + 1), M(i, k));
  }
}

Values values_at(const Model& model, const std::vector<double>& q, const std::vector<double>& v,
                 const std::vector<double>& a) {
  Scratch<double> scratch(model.topology());
  const ScratchView<double> work = scratch.view();
  const TreeView<double> tree = view<double>(model.topology(), model.parameters());
  node_poses(tree, work, q.data());
  node_motions(tree, work, v.data(), a.data());
  const double* const g = model.parameters().gravity;
  const Vector3<double> gravity(g[0], g[1], g[2]);
  Values values;
  for (int i = 1; i < tree.size; ++i) {
    interruption_point();
    const TreeNode& node = tree.nodes[i];
    const std::string own = std::to_string(node.v + 1);
    const Matrix3<double> R = matrix(work.pose[i].R);
    add_motion(values, own, R, work.motion[i], gravity);
    if (node.kind == NodeKind::screw && node.parent > 0) {
      const double angle = node.sigma * q[node.q];
      const Matrix3<double> before =
          R * Eigen::AngleAxisd(-angle, Vector3<double>::UnitZ()).toRotationMatrix();
      add_motion(values, fmt::format("{}in{}", tree.nodes[node.parent].v + 1, own), before,
                 work.motion[node.parent], gravity);
    }
    values.add("R" + own, R);
    values.add("p" + own, vector(work.pose[i].p));
  }
  add_dynamics(values, model, q, v);
  return values;
}

bool same(double x, double y) { return std::abs(x - y) <= 1e-9 * std::max(1.0, std::abs(x)); }

}  // namespace

std::string Landmarks::name_of(const std::array<double, states>& values) const {
  for (const double sign : {1.0, -1.0}) {
    const double x = sign * values[0];
    auto entry = std::lower_bound(named.begin(), named.end(), x - 1e-9 * std::max(1.0, std::abs(x)),
                                  [](const Named& n, double y) { return n.values[0] < y; });
    const Named* best = nullptr;  // the plainest, w3_x rather than w3in4_y
    for (; entry != named.end() && same(entry->values[0], x); ++entry)
      if (same(entry->values[1], sign * values[1]) &&
          (!best || entry->name.size() < best->name.size()))
        best = &*entry;
    if (best) return (sign < 0 ? "m" : "") + best->name;
  }
  return {};
}

Landmarks landmarks(const Model& model) {
  Landmarks out;
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> any(0.5, 1.5);
  const auto random = [&](int count) {
    std::vector<double> x(static_cast<std::size_t>(count));
    for (double& entry : x) entry = any(generator);
    return x;
  };
  std::array<Values, Landmarks::states> at;
  for (int k = 0; k < Landmarks::states; ++k) {
    const Eigen::VectorXd q = model.random(generator);
    out.q[k].assign(q.data(), q.data() + q.size());
    out.v[k] = random(model.speeds());
    out.a[k] = random(model.speeds());
    out.tau[k] = random(model.speeds());
    at[k] = values_at(model, out.q[k], out.v[k], out.a[k]);
  }
  for (std::size_t i = 0; i < at[0].list.size(); ++i) {
    const double x = at[0].list[i].second, y = at[1].list[i].second;
    // What does not change from state to state says nothing.
    if (!same(x, y)) out.named.push_back({{x, y}, at[0].list[i].first});
  }
  std::stable_sort(out.named.begin(), out.named.end(),
                   [](const auto& x, const auto& y) { return x.values[0] < y.values[0]; });
  return out;
}

}  // namespace ulna::generate
