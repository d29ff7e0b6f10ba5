#include "ulna/kinematics/kinematics.hpp"

#include "kernels/kernels.hpp"
#include "plain_vectors.hpp"
#include "ulna/kinematics/internal/carrier_motion.hpp"
#include "ulna/model/internal/by_bodies.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/numerics/internal/instruction_set.hpp"

namespace ulna {

#if defined(ULNA_ALL_KERNELS)
const KinematicsKernels& kinematics_kernels() {
  static const KinematicsKernels& chosen =
      choose_kernels(kinematics_kernels_baseline, kinematics_kernels_v3, kinematics_kernels_v4);
  return chosen;
}
#else
const KinematicsKernels& kinematics_kernels() { return kinematics_kernels_baseline; }
#endif

namespace {

template <class S>
Vec3<S> lean(const Vector3<double>& v) {
  return {S(v.x()), S(v.y()), S(v.z())};
}
template <class S>
Mat3<S> lean(const Matrix3<double>& m) {
  return {S(m(0, 0)), S(m(0, 1)), S(m(0, 2)), S(m(1, 0)), S(m(1, 1)),
          S(m(1, 2)), S(m(2, 0)), S(m(2, 1)), S(m(2, 2))};
}

TreeView<double> tree_of(const Model& model) {
  return view<double>(model.topology(), model.parameters());
}

/// The kernels that the bodies of the robot need.
const TreeKinematics<double>& kernels_of(const Model& model) {
  const KinematicsKernels& kernels = kinematics_kernels();
  return by_bodies(model, kernels.rigid, kernels.flexible);
}

/// Turns the rows of J (6 x n, column major) from world axes into those of a frame with rotation R.
template <class S>
void express(const Mat3<S>& R_WE, int n, S* J) {
  for (int half = 0; half < 2 * n; ++half)
    store(transposed_times(R_WE, vec3(J + 3 * half)), J + 3 * half);
}

/// The Jacobian of a query for any scalar, from poses already in `work`.
template <class S>
void query_jacobian(const Model& model, const TreeKinematics<S>& kernels, const TreeView<S>& tree,
                    const ScratchView<S>& work, const JacobianQuery& query, S* J, S* J_base) {
  const Frame& frame = model.frames()[query.frame];
  const NodePose<S>& pose = work.pose[frame.node];
  const Vec3<S> point = pose.p + pose.R * lean<S>(frame.X_NF * query.point);
  const int n = tree.speeds;
  for (int k = 0; k < 6 * n; ++k) J[k] = S(0);
  kernels.jacobian(tree, work, frame.node, point, J);
  if (query.relative_to != 0) {
    // The point of the other body that passes through the same place.
    for (int k = 0; k < 6 * n; ++k) J_base[k] = S(0);
    kernels.jacobian(tree, work, model.frames()[query.relative_to].node, point, J_base);
    for (int k = 0; k < 6 * n; ++k) J[k] -= J_base[k];
  }
  if (query.expressed_in != 0) {
    const Frame& axes = model.frames()[query.expressed_in];
    express(work.pose[axes.node].R * lean<S>(axes.X_NF.rotation), n, J);
  }
}

// Of a frame with the pose X_NF in the frame of a node.

inline Pose<double> pose_on(const Workspace& work, int node, const Pose<double>& X_NF) {
  const NodePose<double>& pose = work.view().pose[node];
  return Pose<double>{plain(pose.R), plain(pose.p)} * X_NF;
}

inline Twist<double> velocity_on(const Workspace& work, int node, const Pose<double>& X_NF) {
  const NodeMotion<double>& m = work.view().motion[node];
  const Vec3<double> r = work.view().pose[node].R * lean<double>(X_NF.position);
  return {plain(m.w), plain(m.v + cross(m.w, r))};
}

inline Twist<double> acceleration_on(const Workspace& work, int node, const Pose<double>& X_NF) {
  const NodeMotion<double>& m = work.view().motion[node];
  const Vec3<double> r = work.view().pose[node].R * lean<double>(X_NF.position);
  return {plain(m.dw), plain(m.dv + cross(m.dw, r) + cross(m.w, cross(m.w, r)))};
}

/// The frames are counted once: this is a thirtieth of a tip's Jacobian.
[[gnu::always_inline]] inline void check_query(const Model& model, const JacobianQuery& query) {
  const auto count = static_cast<unsigned>(model.frames().size());
  const auto known = [&](int frame) { return static_cast<unsigned>(frame) < count; };
  if (known(query.frame) && known(query.relative_to) && known(query.expressed_in)) [[likely]]
    return;
  for (int frame : {query.frame, query.relative_to, query.expressed_in}) check_frame(model, frame);
}

}  // namespace

void update_poses(const Model& model, Workspace& work, const VectorRef& q) {
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  kernels_of(model).poses(tree_of(model), work.view(), q.data(), work.zero().data());
}

void update_motions(const Model& model, Workspace& work, const VectorRef& q, const VectorRef& v,
                    const VectorRef& a) {
  check_size(model, v, model.speeds(), "v");
  check_size(model, a, model.speeds(), "a");
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  const TreeKinematics<double>& kernels = kernels_of(model);
  const TreeView<double> tree = tree_of(model);
  kernels.poses(tree, work.view(), q.data(), v.data());
  kernels.motions(tree, work.view(), v.data(), a.data());
}

Carrier section_of(const Model& model, int body, const Vector3<double>& point) {
  Carrier carrier = model.carrier(body, point);
  carrier.X_NF = carrier.X_NF * Pose<double>::translation(-point);
  return carrier;
}

Pose<double> carrier_pose(const Workspace& work, const Carrier& carrier) {
  return pose_on(work, carrier.node, carrier.X_NF);
}
Twist<double> carrier_velocity(const Workspace& work, const Carrier& carrier) {
  return velocity_on(work, carrier.node, carrier.X_NF);
}
Twist<double> carrier_acceleration(const Workspace& work, const Carrier& carrier) {
  return acceleration_on(work, carrier.node, carrier.X_NF);
}

const Jacobian& carrier_jacobian(const Model& model, Workspace& work, const VectorRef& q,
                                 const Carrier& carrier, const Vector3<double>& point) {
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  const TreeKinematics<double>& kernels = kernels_of(model);
  const TreeView<double> tree = tree_of(model);
  kernels.poses(tree, work.view(), q.data(), work.zero().data());
  const NodePose<double>& pose = work.view().pose[carrier.node];
  work.jacobian.setZero();
  kernels.jacobian(tree, work.view(), carrier.node,
                   pose.p + pose.R * lean<double>(carrier.X_NF * point), work.jacobian.data());
  return work.jacobian;
}

Pose<double> frame_pose(const Model& model, const Workspace& work, int frame) {
  check_frame(model, frame);
  check_fits(model, work);
  const Frame& f = model.frames()[frame];
  return pose_on(work, f.node, f.X_NF);
}

Twist<double> frame_velocity(const Model& model, const Workspace& work, int frame) {
  check_frame(model, frame);
  check_fits(model, work);
  const Frame& f = model.frames()[frame];
  return velocity_on(work, f.node, f.X_NF);
}

Twist<double> frame_acceleration(const Model& model, const Workspace& work, int frame) {
  check_frame(model, frame);
  check_fits(model, work);
  const Frame& f = model.frames()[frame];
  return acceleration_on(work, f.node, f.X_NF);
}

const Jacobian& jacobian(const Model& model, Workspace& work, const VectorRef& q,
                         const JacobianQuery& query) {
  check_query(model, query);
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  const TreeKinematics<double>& kernels = kernels_of(model);
  const TreeView<double> tree = tree_of(model);
  const ScratchView<double>& scratch = work.view();
  kernels.poses(tree, scratch, q.data(), work.zero().data());
  if (query.relative_to != 0 || query.expressed_in != 0) {
    query_jacobian(model, kernels, tree, scratch, query, work.jacobian.data(),
                   work.jacobian2.data());
    return work.jacobian;
  }
  const Frame& frame = model.frames()[query.frame];
  const NodePose<double>& pose = scratch.pose[frame.node];
  const Vec3<double> point = pose.p + pose.R * lean<double>(frame.X_NF * query.point);
  work.jacobian.setZero();
  kernels.jacobian(tree, scratch, frame.node, point, work.jacobian.data());
  return work.jacobian;
}

Jacobian jacobian_derivative(const Model& model, const VectorRef& q, const VectorRef& v,
                             const JacobianQuery& query) {
  using D = Dual<1>;
  check_query(model, query);
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  // The same text on numbers that carry their rate.
  const Parameters<D> parameters = converted<D>(model.parameters());
  const std::vector<D> moving = moving_coordinates(model, q, v);
  Scratch<D> scratch(model.topology());
  const TreeView<D> tree = view<D>(model.topology(), parameters);
  const TreeKinematics<D>& kernels = by_bodies(model, rigid_kinematics<D>, flexible_kinematics<D>);
  const std::vector<D> zero(static_cast<std::size_t>(model.speeds()), D(0));
  kernels.poses(tree, scratch.view(), moving.data(), zero.data());
  std::vector<D> J(6 * model.speeds()), J_base(6 * model.speeds());
  query_jacobian(model, kernels, tree, scratch.view(), query, J.data(), J_base.data());
  Jacobian out(6, model.speeds());
  for (int k = 0; k < out.size(); ++k) out.data()[k] = J[k].d[0];
  return out;
}

Vector3<double> centre_of_mass(const Model& model, const Workspace& work) {
  if (model.flexible()) [[unlikely]]  // the text alone would take memory
    model.require_rigid("the centre of mass");
  Vec3<double> moment = Vec3<double>::zero();
  double mass = 0;
  for (std::size_t i = 1; i < model.parameters().nodes.size(); ++i) {
    const NodeParameters<double>& node = model.parameters().nodes[i];
    const NodePose<double>& pose = work.view().pose[i];
    moment += scaled(node.mass, pose.p) + pose.R * vec3(node.first_moment);
    mass += node.mass;
  }
  if (!(mass > 0))
    throw ComputationError("robot '" + model.name() + "': nothing that moves has mass");
  return plain(moment) / mass;
}

}  // namespace ulna
