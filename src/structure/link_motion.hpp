#pragma once
// How the bodies of a robot move, as the loads and terms of a structure need it.

#include <vector>

#include "ulna/structure/statics.hpp"

namespace ulna {

struct LinkMotion {
  Vector3<double> w, dw;      ///< world axes
  Vector3<double> origin, a;  ///< a point of the body and its acceleration
  Matrix3<double> turning;    ///< [dw] + [w][w]

  Vector3<double> acceleration(const Vector3<double>& p) const {
    return a + turning * (p - origin);
  }
};

std::vector<LinkMotion> link_motions(const RobotStructure& structure, const VectorRef& q,
                                     const StructureMotion& motion);

/// Nodal loads of every element (12, member axes) and the sum of everything, for the acceleration
/// of free fall less that of the motion.
struct BodyLoads {
  std::vector<elastic::Vector12> elements;
  Eigen::VectorXd sum;
};
BodyLoads body_loads(const RobotStructure& structure, const std::vector<LinkMotion>& motions,
                     const Vector3<double>& gravity);

/// Axial force at the two ends of each element, from its displacements and its own load.
struct AxialForce {
  double start, end;
};
std::vector<AxialForce> axial_forces(const RobotStructure& structure, const BodyLoads& loads,
                                     const Eigen::VectorXd& y);
/// Geometric stiffness of the force on a rigid body at an arm from its node
/// (docs/theory/structure.md, eq. 36).
Matrix6<double> body_geometric(const RobotStructure& structure, const elastic::StructureBody& body,
                               const LinkMotion& motion, const Vector3<double>& gravity);
Eigen::VectorXd solve_statics(const elastic::SystemMatrices& system, const Eigen::VectorXd& load);

}  // namespace ulna
