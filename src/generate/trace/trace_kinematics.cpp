// Forward kinematics of one frame and of all, Jacobian, energy and regressor, traced.

#include <fmt/format.h>

#include "trace/tracing.hpp"
#include "ulna/dynamics/kernels/elements.hpp"
#include "ulna/dynamics/kernels/energy.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "ulna/kinematics/kernels/forward_kinematics.hpp"
#include "ulna/kinematics/kernels/speed_rows.hpp"

namespace ulna::generate {
namespace {

using E = Expression;

/// Where the frame is: its node's pose times a constant.
NodePose<E> frame_pose(const Frame& frame, const NodePose<E>& node) {
  const NodePose<E> own = constant_pose(frame.X_NF);
  return {node.R * own.R, node.p + node.R * own.p};
}

E half_of_square(const Expressions& M, const Expressions& v) {
  const std::size_t n = v.size();
  E twice(0.0);
  for (std::size_t i = 0; i < n; ++i) {
    E row(0.0);
    for (std::size_t j = 0; j < i; ++j) row += M[i + n * j] * v[j];
    twice += v[i] * (row + row + M[i + n * i] * v[i]);
  }
  return twice * E(0.5);
}

}  // namespace

NodePose<E> constant_pose(const Pose<double>& X) {
  return {constant_rotation<E>(X.rotation), {X.position.x(), X.position.y(), X.position.z()}};
}

Traced trace_forward_kinematics(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  node_poses(t.tree(), scratch.view(), t.q.data());
  const Frame& frame = t.model.frames()[t.options.frame];
  const NodePose<E> X = frame_pose(frame, scratch.view().pose[frame.node]);
  const Mat3<E>& R = X.R;
  return {{X.p.x, X.p.y, X.p.z, R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz},
          fmt::format("frame '{}'", frame.name)};
}

Traced trace_frame_poses(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  node_poses(t.tree(), scratch.view(), t.q.data());
  Expressions positions, rotations;
  for (const Frame& frame : t.model.frames()) {
    const auto [R, p] = frame_pose(frame, scratch.view().pose[frame.node]);
    for (const E& x : {p.x, p.y, p.z}) positions.push_back(x);
    for (const E& x : {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz})
      rotations.push_back(x);
  }
  positions.insert(positions.end(), rotations.begin(), rotations.end());
  return {std::move(positions), "all frames, those of the bodies first"};
}

Traced trace_jacobian(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  const TreeView<E> tree = t.tree();
  node_poses(tree, scratch.view(), t.q.data());
  const Frame& frame = t.model.frames()[t.options.frame];
  const NodePose<E> X = frame_pose(frame, scratch.view().pose[frame.node]);
  Expressions J = zeros(6 * static_cast<std::size_t>(t.speeds()));
  point_jacobian(tree, scratch.view(), frame.node, X.p, J.data());
  return {by_rows(J, 6, t.speeds()), fmt::format("frame '{}'", frame.name)};
}

Traced trace_energy(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  const Expressions none = zeros(t.speeds());
  node_poses(t.tree(), scratch.view(), t.q.data());
  node_motions(t.tree(), scratch.view(), t.v.data(), none.data());
  // Kinetic energy is felt through M only, so grouped parameters serve; potential energy needs all.
  const Parameters<E> grouped = t.grouped(false);
  const TreeView<E> lighter = view<E>(t.model.topology(), grouped);
  const E potential =
      potential_energy<E>(t.tree(), scratch.view(), t.model.degree_terms(), t.q.data()) +
      element_energy<E>(t.model.elements(), t.tree(), t.q.data(), t.v.data());
  const E by_bodies = kinetic_energy(lighter, scratch.view(), t.v.data());
  const E by_matrix = half_of_square(traced_mass_matrix(t), t.v);
  return cheapest({{{by_bodies, potential}, "kinetic energy body by body"},
                   {{by_matrix, potential}, "kinetic energy v' M v / 2"}});
}

Traced trace_regressor(const Tracing& t) {
  Scratch<E> scratch(t.model.topology());
  const TreeView<E> tree = t.tree();
  node_poses(tree, scratch.view(), t.q.data());
  node_motions(tree, scratch.view(), t.v.data(), t.a.data());
  const TorqueRegressor regressor(t.model);
  const std::vector<BodyPlace>& places = regressor.places();
  const int count = static_cast<int>(places.size());
  Expressions J = zeros(6 * static_cast<std::size_t>(t.speeds()));
  Expressions Y = zeros(static_cast<std::size_t>(t.speeds()) * parameters_per_body * count);
  torque_regressor(tree, scratch.view(), places.data(), count, J.data(), Y.data());
  return {by_rows(Y, t.speeds(), parameters_per_body * count),
          "of the bodies; rotors, friction and springs are not in it"};
}

}  // namespace ulna::generate
