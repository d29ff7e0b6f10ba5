#pragma once
// What a robot's frame carries: gravity, the inertia of a motion, springs and force elements,
// forces at frames; how far it bends under them, what its members feel, and how compliant a frame
// is (docs/theory/structure.md, eqs. 28-30, 51). Joints should be locked or elastic: a free joint
// carries nothing along its coordinate.

#include "ulna/structure/robot_structure.hpp"

namespace ulna {

/// A motion of the robot; empty v or a are zero.
struct StructureMotion {
  Eigen::VectorXd v, a;
};

/// Generalised forces of gravity and of the inertia of a motion (quasi-static).
ULNA_API Eigen::VectorXd gravity_load(const RobotStructure& structure);
ULNA_API Eigen::VectorXd inertia_load(const RobotStructure& structure, const VectorRef& q,
                                      const StructureMotion& motion);
/// The same for a uniform acceleration of everything (also base excitation).
ULNA_API Eigen::VectorXd uniform_load(const RobotStructure& structure,
                                      const Vector3<double>& acceleration);
/// What force elements and the springs and dampers of free joints exert at a state. q as the
/// structure was made; an empty v is zero.
ULNA_API Eigen::VectorXd passive_load(const RobotStructure& structure, const VectorRef& q,
                                      const VectorRef& v);

/// Forces and moments at the two ends of a member, in its axes; N > 0 is tension.
struct StressResultants {
  std::string element;
  int body = 0;
  Eigen::Matrix<double, 6, 1> start, end;  ///< N, Qy, Qz, T, My, Mz on the positive face
};

struct StaticDeflection {
  Eigen::VectorXd freedoms;
  std::vector<StressResultants> members;
};

/// Under gravity and the motion (both optional), springs, force elements and given forces.
/// ComputationError when a joint is free: the stiffness is singular.
struct StaticLoad {
  bool gravity = true;
  StructureMotion motion;
  std::vector<std::pair<int, Vector6<double>>> forces;  ///< frame, (force, moment) in the world
};
ULNA_API StaticDeflection static_deflection(const RobotStructure& structure, const VectorRef& q,
                                            const StaticLoad& load = {});

/// 6 x 6: (translation, rotation) of a frame per (force, moment) there, world axes.
ULNA_API Matrix6<double> compliance(const RobotStructure& structure, int frame);

}  // namespace ulna
