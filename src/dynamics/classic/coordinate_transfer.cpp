#include "ulna/dynamics/internal/coordinate_transfer.hpp"

#include <fmt/format.h>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

using Planes = std::vector<Eigen::MatrixXd>;

/// (w x J w)_a = w' Xi_a w. eq. 13
Planes gyroscopic_planes(const Matrix3<double>& J) {
  Planes Xi(3, Eigen::MatrixXd::Zero(3, 3));
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    Xi[a].col(b) = J.row(c).transpose();
    Xi[a].col(c) = -J.row(b).transpose();
  }
  return Xi;
}

void add(Planes& sum, const Planes& other) {
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += other[k];
}

}  // namespace

DynamicModel DynamicModel::zero(Eigen::Index n) {
  return {Eigen::MatrixXd::Zero(n, n),
          Planes(static_cast<std::size_t>(n), Eigen::MatrixXd::Zero(n, n)),
          Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n)};
}

DynamicModel& DynamicModel::operator+=(const DynamicModel& other) {
  I += other.I;
  add(P, other.P);
  gravity += other.gravity;
  load += other.load;
  return *this;
}

Eigen::VectorXd DynamicModel::from_velocities(const Eigen::VectorXd& v) const {
  Eigen::VectorXd out(size());
  for (Eigen::Index k = 0; k < size(); ++k) out(k) = v.dot(P[static_cast<std::size_t>(k)] * v);
  return out;
}

Eigen::VectorXd DynamicModel::efforts(const Eigen::VectorXd& v, const Eigen::VectorXd& a) const {
  return I * a + from_velocities(v) + gravity + load;
}

Eigen::VectorXd DynamicModel::accelerations(const Eigen::VectorXd& v,
                                            const Eigen::VectorXd& tau) const {
  const dense::Ldlt solver(I);
  const double least = size() == 0 ? 1 : solver.pivots().minCoeff();
  if (size() > 0 && !(least > 1e-14 * I.diagonal().cwiseAbs().maxCoeff()))
    throw ComputationError(fmt::format("the effective inertia is singular (pivot {:.3g})", least),
                           least);
  return solver.solve(tau - from_velocities(v) - gravity - load);
}

Eigen::MatrixXd DynamicModel::coriolis(const Eigen::VectorXd& v) const {
  Eigen::MatrixXd C(size(), size());
  for (Eigen::Index k = 0; k < size(); ++k) {
    const Eigen::MatrixXd& plane = P[static_cast<std::size_t>(k)];
    C.row(k) = 0.5 * (plane * v + plane.transpose() * v).transpose();
  }
  return C;
}

DynamicModel body_model(const CoordinateMap& centre, double mass, const Matrix3<double>& inertia_W,
                        const Vector3<double>& gravity) {
  const Eigen::MatrixXd Gw = centre.G.topRows<3>(), Gc = centre.G.bottomRows<3>();
  const Planes Hw(centre.H.begin(), centre.H.begin() + 3), Hc(centre.H.begin() + 3, centre.H.end());
  DynamicModel model = DynamicModel::zero(centre.in());
  model.I = mass * Gc.transpose() * Gc + Gw.transpose() * inertia_W * Gw;  // eq. 11
  add(model.P, generalized_product(mass * Gc.transpose(), Hc));            // eq. 12
  add(model.P, generalized_product(Gw.transpose() * inertia_W, Hw));
  Planes turning = generalized_product(Gw.transpose(), gyroscopic_planes(inertia_W));
  for (Eigen::MatrixXd& plane : turning) plane = (Gw.transpose() * plane * Gw).eval();
  add(model.P, turning);
  model.gravity = -mass * (Gc.transpose() * gravity);
  return model;
}

DynamicModel dynamic_model(const Model& model, Workspace& work, const VectorRef& q,
                           ExternalWrenches wrenches) {
  update_poses(model, work, q);
  const Parameters<double>& parameters = model.parameters();
  const Vector3<double> gravity(parameters.gravity[0], parameters.gravity[1],
                                parameters.gravity[2]);
  DynamicModel sum = DynamicModel::zero(model.speeds());
  for (int i = 1; i < std::ssize(parameters.nodes); ++i) {
    const NodeParameters<double>& node = parameters.nodes[i];
    const double* s = node.second_moment;
    if (node.mass == 0 && s[0] + s[1] + s[2] == 0) continue;
    const NodePose<double>& X = work.view().pose[i];
    Matrix3<double> R, second;
    R << X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz;
    second << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
    const Vector3<double> h(node.first_moment[0], node.first_moment[1], node.first_moment[2]);
    const Vector3<double> c = node.mass == 0 ? Vector3<double>::Zero() : (h / node.mass).eval();
    second -= node.mass * c * c.transpose();
    const Matrix3<double> inertia = second.trace() * Matrix3<double>::Identity() - second;
    const Vector3<double> p = Vector3<double>(X.p.x, X.p.y, X.p.z) + R * c;
    sum += body_model(node_influence(model, work, i, p), node.mass, R * inertia * R.transpose(),
                      gravity);
  }
  for (int k = 0; k < model.speeds(); ++k) sum.I(k, k) += parameters.armature[k];
  for (const ExternalWrench& wrench : wrenches) {
    const int frame = wrench.body;  // the frames of the bodies come first
    const Matrix3<double> R = frame_pose(model, work, wrench.expressed_in).rotation;
    Vector6<double> F;
    F << R * wrench.moment, R * wrench.force;
    sum.load -= influence_coefficients(model, work, frame, wrench.point).G.transpose() * F;
  }
  return sum;
}

DynamicModel transfer(const DynamicModel& model, const CoordinateMap& map) {
  if (map.out() != model.size())
    throw InputError(
        fmt::format("a dynamic model in {} coordinates and a map to {}", model.size(), map.out()),
        "a map to the coordinates of the model");
  if (std::ssize(map.H) != map.out())
    throw InputError("a coordinate map without second-order coefficients", "H");
  DynamicModel moved;
  moved.I = map.G.transpose() * model.I * map.G;
  // I . H + G' P G, then G' . of it
  Planes planes = generalized_product(model.I, map.H);
  for (std::size_t k = 0; k < planes.size(); ++k)
    planes[k] += map.G.transpose() * model.P[k] * map.G;
  moved.P = generalized_product(map.G.transpose(), planes);
  moved.gravity = map.efforts(model.gravity);
  moved.load = map.efforts(model.load);
  return moved;
}

DynamicModel transfer_along(const DynamicModel& model, const CoordinateMap& map) {
  return transfer(model, inverse(map));
}

}  // namespace ulna
