#include "ulna/structure/structure_modes.hpp"

#include <cmath>

namespace ulna {
namespace {

using elastic::Matrix12;
using elastic::StructureBody;
using elastic::StructureElement;
using elastic::Vector12;

double quadratic(const Matrix12& A, const Vector12& d) { return d.dot(A * d); }

// x'Kx and x'Mx of every body's members for one shape.
void energies(const RobotStructure& structure, const Eigen::VectorXd& y, Eigen::VectorXd& strain,
              Eigen::VectorXd& kinetic) {
  const elastic::BeamStructure& frame = structure.frame();
  const elastic::ElementOptions& o = structure.options().element;
  const Eigen::VectorXd x = frame.full(y);
  for (const StructureElement& e : frame.elements()) {
    const Vector12 d = frame.element_motion(e, x);
    strain(e.group) += quadratic(elastic::beam_stiffness(e.properties, e.length, o.theory), d);
    kinetic(e.group) += quadratic(elastic::beam_mass(e.properties, e.length, o), d);
  }
  for (const StructureBody& b : frame.bodies()) {
    const Vector6<double> u = frame.nodes()[b.node].map.motion(x);
    Vector6<double> twist;
    twist << u.tail<3>(), u.head<3>();
    kinetic(b.group) += twist.dot(b.inertia.matrix() * twist);
  }
}

// x'kx of the spring of a closing joint.
double spring_energy(const elastic::BeamStructure& frame, const elastic::StructureSpring& spring,
                     const Eigen::VectorXd& full) {
  Vector6<double> stretch = frame.nodes()[spring.a].map.motion(full);
  if (spring.b >= 0) stretch -= frame.nodes()[spring.b].map.motion(full);
  return stretch.dot(spring.stiffness * stretch);
}

}  // namespace

Eigen::MatrixXd node_displacements(const RobotStructure& structure, const Eigen::VectorXd& shape) {
  const elastic::BeamStructure& frame = structure.frame();
  const Eigen::VectorXd x = frame.full(shape);
  Eigen::MatrixXd u(frame.nodes().size(), 3);
  for (std::size_t k = 0; k < frame.nodes().size(); ++k)
    u.row(static_cast<int>(k)) = frame.nodes()[k].map.motion(x).head<3>().transpose();
  const double largest = u.rowwise().norm().maxCoeff();
  if (largest > 0) u /= largest;
  return u;
}

StructureModes structure_modes(const RobotStructure& structure,
                               const elastic::EigenOptions& options) {
  const Model& model = structure.model();
  const elastic::BeamStructure& frame = structure.frame();
  StructureModes result;
  result.modes = elastic::natural_modes(structure.system(), options);
  const int n = result.modes.count(), bodies = static_cast<int>(model.bodies().size());
  const int loops = static_cast<int>(std::ssize(model.loops())), joints = bodies + model.speeds();
  result.strain.setZero(n, joints + loops);
  result.kinetic.setZero(n, bodies);
  result.joint_motion.setZero(n, model.speeds());
  result.effective_mass.setZero(n, 3);
  Eigen::MatrixXd loads(frame.size(), 3);
  for (int k = 0; k < 3; ++k) loads.col(k) = uniform_load(structure, Vector3<double>::Unit(k));
  for (int i = 0; i < n; ++i) {
    const Eigen::VectorXd x = result.modes.shapes.col(i);
    const double w2 = result.modes.omega(i) * result.modes.omega(i);
    Eigen::VectorXd strain = Eigen::VectorXd::Zero(bodies), kinetic = strain;
    energies(structure, x, strain, kinetic);
    if (w2 > 0) result.strain.row(i).head(bodies) = strain.transpose() / w2;
    result.kinetic.row(i) = kinetic.transpose();
    const Eigen::VectorXd full = frame.full(x);
    double largest = 0;
    for (const elastic::StructureNode& node : frame.nodes())
      largest = std::max(largest, node.map.motion(full).head<3>().norm());
    for (int v = 0; v < model.speeds(); ++v)
      if (const int f = structure.freedom_of(v); f >= 0)
        result.joint_motion(i, v) = full(f) / (largest > 0 ? largest : 1);
    // What the members leave of the strain energy is in the springs of joints, by their motion.
    for (int v = 0; v < model.speeds() && w2 > 0; ++v)
      if (const int f = structure.freedom_of(v); f >= 0)
        result.strain(i, bodies + v) = structure.joint_stiffness(f) * full(f) * full(f) / w2;
    for (int l = 0; l < loops && w2 > 0; ++l)
      if (const int spring = structure.spring_of(l); spring >= 0)
        result.strain(i, joints + l) = spring_energy(frame, frame.springs()[spring], full) / w2;
    result.effective_mass.row(i) = (x.transpose() * loads).cwiseAbs2();
  }
  return result;
}

elastic::SystemMatrices damped_system(const RobotStructure& structure,
                                      const StructureDamping& damping) {
  elastic::SystemMatrices system = structure.system();
  if (damping.ratio == 0 && damping.mass == 0 && damping.stiffness == 0) return system;
  const int n = system.size();
  elastic::SparseMatrix C = system.damped() ? system.C : elastic::SparseMatrix(n, n);
  C += elastic::rayleigh_damping(system, damping.mass, damping.stiffness);
  if (damping.ratio != 0) {
    elastic::EigenOptions all;
    all.count = 0;
    const elastic::NaturalModes modes = elastic::natural_modes(system, all);
    const Eigen::MatrixXd modal = elastic::modal_damping(
        system, modes.omega, modes.shapes, Eigen::VectorXd::Constant(modes.count(), damping.ratio));
    C += elastic::SparseMatrix(modal.sparseView());
  }
  system.C = C;
  return system;
}

elastic::ComplexModes moving_modes(const RobotStructure& structure, const VectorRef& q,
                                   const StructureMotion& motion, const MotionTermChoice& choice,
                                   int count, const StructureDamping& damping) {
  const elastic::SystemMatrices system = damped_system(structure, damping);
  elastic::check(system);
  Eigen::MatrixXd M = system.M, K = system.K, C = Eigen::MatrixXd::Zero(M.rows(), M.cols());
  if (system.damped()) C = system.C;
  if (choice.any()) {
    const MotionTerms terms = motion_terms(structure, q, motion);
    if (choice.gyroscopic) C += terms.gyroscopic;
    if (choice.centrifugal) K += terms.centrifugal;
    if (choice.euler) K += terms.euler;
    if (choice.geometric) K += terms.geometric;
  }
  return elastic::complex_modes(M, C, K, count);
}

}  // namespace ulna
