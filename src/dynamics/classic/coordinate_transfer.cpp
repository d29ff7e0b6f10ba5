#include "ulna/dynamics/internal/coordinate_transfer.hpp"

#include <fmt/format.h>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kernels/influence_model.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

using Planes = std::vector<Eigen::MatrixXd>;

/// n planes of n x n, one after the other.
void add_planes(const std::vector<double>& entries, Eigen::Index n, Planes& P) {
  for (Eigen::Index k = 0; k < n; ++k)
    P[static_cast<std::size_t>(k)] +=
        Eigen::Map<const Eigen::MatrixXd>(entries.data() + n * n * k, n, n);
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
  const int n = static_cast<int>(centre.in());
  CentreInfluence<double> influence;
  const auto entry = [&](int first, int i, int j) -> Vec3<double> {
    return {centre.H[first](i, j), centre.H[first + 1](i, j), centre.H[first + 2](i, j)};
  };
  for (int j = 0; j < n; ++j) {
    influence.speeds.push_back(j);
    influence.Gw.push_back({centre.G(0, j), centre.G(1, j), centre.G(2, j)});
    influence.Gc.push_back({centre.G(3, j), centre.G(4, j), centre.G(5, j)});
    for (int i = 0; i < n; ++i) {
      influence.Hw.push_back(entry(0, i, j));
      influence.Hc.push_back(entry(3, i, j));
    }
  }
  const Matrix3<double>& J = inertia_W;
  DynamicModel model = DynamicModel::zero(n);
  std::vector<double> planes(static_cast<std::size_t>(n) * n * n, 0.0);
  add_body_model<double>(
      influence, mass,
      {J(0, 0), J(0, 1), J(0, 2), J(1, 0), J(1, 1), J(1, 2), J(2, 0), J(2, 1), J(2, 2)},
      {gravity.x(), gravity.y(), gravity.z()}, n, model.I.data(), planes.data(),
      model.gravity.data());
  add_planes(planes, n, model.P);
  return model;
}

DynamicModel dynamic_model(const Model& model, Workspace& work, const VectorRef& q,
                           ExternalWrenches wrenches) {
  model.require_rigid("the map of influence coefficients");
  update_poses(model, work, q);
  const Parameters<double>& parameters = model.parameters();
  const Vec3<double> gravity = vec3(parameters.gravity);
  const int n = model.speeds();
  DynamicModel sum = DynamicModel::zero(n);
  std::vector<double> planes(static_cast<std::size_t>(n) * n * n, 0.0);
  for (int i = 1; i < std::ssize(parameters.nodes); ++i) {
    const NodeParameters<double>& node = parameters.nodes[i];
    const double* s = node.second_moment;
    if (node.mass == 0 && s[0] + s[1] + s[2] == 0) continue;
    const NodePose<double>& X = work.view().pose[i];
    const CentralInertia<double> central = central_inertia(node, node.mass == 0);
    const Mat3<double> turned{X.R.xx, X.R.yx, X.R.zx, X.R.xy, X.R.yy,
                              X.R.zy, X.R.xz, X.R.yz, X.R.zz};
    const auto way = influence_columns<double>(model.topology().nodes.data(), work.view().pose, i,
                                               X.p + X.R * central.c);
    add_body_model(centre_influence(way, n), node.mass, X.R * central.J * turned, gravity, n,
                   sum.I.data(), planes.data(), sum.gravity.data());
  }
  add_planes(planes, n, sum.P);
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
