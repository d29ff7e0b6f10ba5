#include "ulna/structure/statics.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "link_motion.hpp"
#include "ulna/elastic/internal/sparse_factor.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

using Vec = Vector3<double>;
using elastic::StructureBody;
using elastic::StructureElement;
using elastic::Vector12;

std::vector<LinkMotion> link_motions(const RobotStructure& structure, const VectorRef& q,
                                     const StructureMotion& motion) {
  const Model& model = structure.model();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
  Workspace work(model);
  update_motions(model, work, q, motion.v.size() ? motion.v : zero,
                 motion.a.size() ? motion.a : zero);
  std::vector<LinkMotion> motions;
  for (std::size_t b = 0; b < model.bodies().size(); ++b) {
    const int frame = static_cast<int>(b);  // body frames come first
    const Twist<double> V = frame_velocity(model, work, frame);
    const Twist<double> A = frame_acceleration(model, work, frame);
    LinkMotion m;
    m.w = V.angular, m.dw = A.angular, m.a = A.linear;
    m.origin = structure.body_pose(frame).position;
    m.turning = skew(m.dw) + skew(m.w) * skew(m.w);
    motions.push_back(m);
  }
  return motions;
}

BodyLoads body_loads(const RobotStructure& structure, const std::vector<LinkMotion>& motions,
                     const Vec& gravity) {
  const elastic::BeamStructure& frame = structure.frame();
  BodyLoads loads;
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(frame.freedoms());
  for (const StructureElement& e : frame.elements()) {
    const LinkMotion& m = motions[e.group];
    const elastic::ShearRatio phi =
        elastic::shear_ratio(e.properties, e.length, structure.options().element.theory);
    const auto load_at = [&](int node) {
      const Vec a = m.acceleration(frame.nodes()[node].position);
      return Vec(e.properties.mass * (e.axes.transpose() * (gravity - a)));
    };
    loads.elements.push_back(elastic::beam_load(e.length, phi, load_at(e.start), load_at(e.end)));
    frame.add_element_force(e, loads.elements.back(), sum);
  }
  for (const StructureBody& body : frame.bodies()) {
    const LinkMotion& m = motions[body.group];
    const Inertia<double>& I = body.inertia;
    const Vec p = frame.nodes()[body.node].position;
    const Vec c = I.mass > 0 ? Vec(I.first_moment / I.mass) : Vec::Zero();
    const Matrix3<double> about_centre = I.about_origin - Inertia<double>::parallel_axis(I.mass, c);
    Vector6<double> f;
    f.head<3>() = I.mass * (gravity - m.acceleration(p + c));
    f.tail<3>() = c.cross(Vec(f.head<3>())) - about_centre * m.dw - m.w.cross(about_centre * m.w);
    frame.add_force(body.node, f, sum);
  }
  loads.sum = frame.reduced(sum);
  return loads;
}

Eigen::VectorXd solve_statics(const elastic::SystemMatrices& system, const Eigen::VectorXd& load) {
  const elastic::SparseFactor factor(system.K);
  const Eigen::VectorXd k = system.K.diagonal();
  if (!factor.ok() || !(factor.pivots().array() > 1e-13 * k.array()).all())
    throw ComputationError(
        "the structure cannot carry a load: a joint is free, or its stiffness is singular "
        "(lock the joints, or give them stiffness)");
  return factor.solve(load);
}

namespace {

// End forces of an element in its axes: K d less the load spread on it. x: all freedoms.
Vector12 end_forces(const RobotStructure& structure, const StructureElement& e,
                    const Vector12& load, const Eigen::VectorXd& x) {
  const elastic::Matrix12 K =
      elastic::beam_stiffness(e.properties, e.length, structure.options().element.theory);
  return K * structure.frame().element_motion(e, x) - load;
}

}  // namespace

std::vector<AxialForce> axial_forces(const RobotStructure& structure, const BodyLoads& loads,
                                     const Eigen::VectorXd& y) {
  std::vector<AxialForce> forces;
  const Eigen::VectorXd x = structure.frame().full(y);
  for (std::size_t k = 0; k < loads.elements.size(); ++k) {
    const Vector12 f = end_forces(structure, structure.frame().elements()[k], loads.elements[k], x);
    forces.push_back({-f(0), f(6)});
  }
  return forces;
}

Eigen::VectorXd uniform_load(const RobotStructure& structure, const Vec& acceleration) {
  LinkMotion still{Vec::Zero(), Vec::Zero(), Vec::Zero(), Vec::Zero(), Matrix3<double>::Zero()};
  const std::vector<LinkMotion> motions(structure.model().bodies().size(), still);
  return body_loads(structure, motions, acceleration).sum;
}

Eigen::VectorXd gravity_load(const RobotStructure& structure) {
  return uniform_load(structure, structure.model().robot().gravity);
}

Eigen::VectorXd inertia_load(const RobotStructure& structure, const VectorRef& q,
                             const StructureMotion& motion) {
  return body_loads(structure, link_motions(structure, q, motion), Vec::Zero()).sum;
}

StaticDeflection static_deflection(const RobotStructure& structure, const VectorRef& q,
                                   const StaticLoad& load) {
  const Vec gravity = load.gravity ? structure.model().robot().gravity : Vec(Vec::Zero());
  const BodyLoads loads = body_loads(structure, link_motions(structure, q, load.motion), gravity);
  Eigen::VectorXd f = loads.sum + passive_load(structure, q, load.motion.v);
  for (const auto& [frame, force] : load.forces)
    f += structure.frame().force_at(structure.node_of(frame), force);
  StaticDeflection result;
  result.freedoms = solve_statics(structure.system(), f);
  const auto& elements = structure.frame().elements();
  const Eigen::VectorXd x = structure.frame().full(result.freedoms);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Vector12 e = end_forces(structure, elements[k], loads.elements[k], x);
    result.members.push_back({elements[k].name, elements[k].group, -e.head<6>(), e.tail<6>()});
  }
  return result;
}

Matrix6<double> compliance(const RobotStructure& structure, int frame) {
  const elastic::SystemMatrices system = structure.system();
  const int node = structure.node_of(frame);
  Matrix6<double> C;
  for (int k = 0; k < 6; ++k) {
    const Eigen::VectorXd f = structure.frame().force_at(node, Vector6<double>::Unit(k));
    C.col(k) = structure.frame().node_motion(node, solve_statics(system, f));
  }
  return C;
}

}  // namespace ulna
