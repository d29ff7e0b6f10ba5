#include "ulna/dynamics/centroidal.hpp"

#include "common.hpp"
#include "ulna/dynamics/kernels/flexible_energy.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/model/other_scalars.hpp"

namespace ulna {
namespace {

double sum_of_masses(const Model& model) {
  double mass = 0;
  for (std::size_t i = 1; i < model.parameters().nodes.size(); ++i)
    mass += model.parameters().nodes[i].mass;
  return mass;
}

double moving_mass(const Model& model) {
  const double mass = sum_of_masses(model);
  if (!(mass > 0))
    throw ComputationError("robot '" + model.name() + "': nothing that moves has mass");
  return mass;
}

/// Rigid bodies and beams.
CentreOfMass flexible_centre(const Model& model, Workspace& work, const VectorRef& q,
                             const VectorRef& v) {
  const Vector6<double> h = momentum(model, work, q, v);
  double mass = 0;
  Vec3<double> moment = Vec3<double>::zero();
  for (int i = 1; i < work.nodes(); ++i) {
    const NodeParameters<double>& node = model.parameters().nodes[i];
    const NodePose<double>& X = work.view().pose[i];
    mass += node.mass;
    moment += scaled(node.mass, X.p) + X.R * vec3(node.first_moment);
  }
  for (const FlexibleLink& link : model.flexible_links()) {
    const NodePose<double>& X = work.view().pose[link.node];
    const BeamMomentum<double> m =
        beam_momentum(*link.modal, X, work.view().motion[link.node], q.data() + link.q,
                      v.data() + link.v, work.view().modal[link.node].hinge);
    mass += m.mass;
    moment += scaled(m.mass, X.p) + X.R * m.first_moment;
  }
  return {mass, Vector3<double>(moment.x, moment.y, moment.z) / mass, h.tail<3>() / mass};
}

/// Momentum about the centre of mass from that about the world's origin.
Vector6<double> about_centre(const Vector6<double>& h, const Vector3<double>& centre) {
  Vector6<double> out = h;
  out.head<3>() -= centre.cross(Vector3<double>(h.tail<3>()));
  return out;
}

/// Column by column: the momentum is linear in the speeds.
const Jacobian& flexible_matrix(const Model& model, Workspace& work, const VectorRef& q) {
  const Vector3<double> centre = flexible_centre(model, work, q, work.zero()).position;
  for (int k = 0; k < model.speeds(); ++k)
    work.momentum_matrix.col(k) =
        about_centre(momentum(model, work, q, Eigen::VectorXd::Unit(model.speeds(), k)), centre);
  return work.momentum_matrix;
}

}  // namespace

bool has_moving_mass(const Model& model) { return model.flexible() || sum_of_masses(model) > 0; }

const Jacobian& centroidal_momentum_matrix(const Model& model, Workspace& work,
                                           const VectorRef& q) {
  check_fits(model, work);
  check_size(model, q, model.coordinates(), "q");
  if (model.flexible()) return flexible_matrix(model, work, q);
  moving_mass(model);
  Vec3<double> centre;
  centroidal_momentum<double>(view<double>(model.topology(), model.parameters()), work.view(),
                              q.data(), centre, work.momentum_matrix.data());
  return work.momentum_matrix;
}

Jacobian centroidal_momentum_matrix_derivative(const Model& model, const VectorRef& q,
                                               const VectorRef& v) {
  using D = Dual<1>;
  check_size(model, q, model.coordinates(), "q");
  check_size(model, v, model.speeds(), "v");
  if (model.flexible()) [[unlikely]]
    model.require_rigid("the rate of the centroidal momentum matrix");
  moving_mass(model);
  const Parameters<D> parameters = converted<D>(model.parameters());
  const std::vector<D> moving = moving_coordinates(model, q, v);
  Scratch<D> scratch(model.topology());
  std::vector<D> A(6 * model.speeds());
  Vec3<D> centre;
  centroidal_momentum<D>(view<D>(model.topology(), parameters), scratch.view(), moving.data(),
                         centre, A.data());
  Jacobian rate(6, model.speeds());
  for (int k = 0; k < rate.size(); ++k) rate.data()[k] = A[k].d[0];
  return rate;
}

CentreOfMass centre_of_mass_motion(const Model& model, Workspace& work, const VectorRef& q,
                                   const VectorRef& v) {
  if (model.flexible()) return flexible_centre(model, work, q, v);
  const double mass = moving_mass(model);
  update_motions(model, work, q, v, work.zero());
  const Vector3<double> centre = centre_of_mass(model, work);
  return {mass, centre, momentum_about(model, work, centre).tail<3>() / mass};
}

Vector6<double> centroidal_momentum(const Model& model, Workspace& work, const VectorRef& q,
                                    const VectorRef& v) {
  if (model.flexible())
    return about_centre(momentum(model, work, q, v), flexible_centre(model, work, q, v).position);
  update_motions(model, work, q, v, work.zero());
  return momentum_about(model, work, centre_of_mass(model, work));
}

}  // namespace ulna
