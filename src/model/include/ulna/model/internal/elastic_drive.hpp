#pragma once
// A joint whose drive gives: between motor and link there is a gear or belt that twists. The motor
// keeps the joint's name, rotor, friction and limits, so that motions, controllers and efforts act
// on it as before; behind it a joint NAME.twist has the spring. With stiffness to infinity the
// twist vanishes and the robot is the one without it.
//
//   parent --- NAME (motor) --- body NAME.rotor --- NAME.twist (spring) --- child

#include "ulna/model/robot.hpp"

namespace ulna {

struct ElasticDrive {
  double stiffness = 0;  ///< above zero
  double hardening = 0, backlash = 0;
  double damping = 0;
  /// Coulomb friction inside the drive: with the spring it makes the loop of a hysteresis.
  double friction = 0;
};

/// Splits the joint. Its rotor inertia must be above zero: the rotor is all that the motor moves
/// by itself. InputError names the joint when it has not exactly one degree of freedom of its own,
/// no rotor, or a stiffness that is not above zero.
ULNA_API void add_elastic_drive(Robot& robot, const std::string& joint, const ElasticDrive& drive);

}  // namespace ulna
