#pragma once
// The natural modes of a robot at a posture, with what each is made of.

#include "ulna/elastic/complex_modes.hpp"
#include "ulna/elastic/natural_modes.hpp"
#include "ulna/structure/parts/motion_terms.hpp"

namespace ulna {

struct StructureModes {
  elastic::NaturalModes modes;
  /// Shares of each mode's strain energy (rows: modes): of the bodies in Model::bodies() order,
  /// then of the springs of the joints by speed, then of the closing joints in Model::loops()
  /// order. Rigid-body modes have none.
  Eigen::MatrixXd strain;
  /// Shares of the kinetic energy by body.
  Eigen::MatrixXd kinetic;
  /// Motion of each joint coordinate (columns: speeds) in a mode whose largest node displacement
  /// is 1 (m or rad); zero for locked joints.
  Eigen::MatrixXd joint_motion;
  /// Effective mass for a motion of the base along x, y, z (columns), kg.
  Eigen::MatrixXd effective_mass;
};

ULNA_API StructureModes structure_modes(const RobotStructure& structure,
                                        const elastic::EigenOptions& options = {});

/// Damping beside the dampers of joints: `ratio` of critical in every mode of the robot at rest,
/// and mass times `mass` plus stiffness times `stiffness` (Rayleigh).
struct StructureDamping {
  double ratio = 0, mass = 0, stiffness = 0;
};

/// The matrices of the frame with damping added.
ULNA_API elastic::SystemMatrices damped_system(const RobotStructure& structure,
                                               const StructureDamping& damping);

/// With the chosen terms of a motion, and dampers: complex modes.
ULNA_API elastic::ComplexModes moving_modes(const RobotStructure& structure, const VectorRef& q,
                                            const StructureMotion& motion,
                                            const MotionTermChoice& choice, int count,
                                            const StructureDamping& damping = {});

/// Displacement (rows: nodes, columns x, y, z) of the frame's nodes in a shape, scaled so that the
/// largest is 1.
ULNA_API Eigen::MatrixXd node_displacements(const RobotStructure& structure,
                                            const Eigen::VectorXd& shape);

}  // namespace ulna
