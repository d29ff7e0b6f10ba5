#pragma once
// A robot with other inertial parameters than those it was described with: the way back from an
// identification (identification.hpp) to a robot that can be simulated.
//
//   Robot better = robot_with_parameters(regressor, nearest_parameters(regressor, base, estimate));
//   repair_inertias(better);   // where the estimate gave bodies that cannot exist

#include "ulna/dynamics/torque_regressor.hpp"

namespace ulna {

/// The robot of the regressor's model with these values of its columns. Bodies whose parameters do
/// not change stay as they are; payloads stay too, and their body takes up the difference. Terms
/// along a speed are written into the one joint that has this speed. InputError where several
/// joints act on it, where a body without mass gets a moment, and for a preload without a spring.
ULNA_API Robot robot_with_parameters(const TorqueRegressor& regressor,
                                     const Eigen::VectorXd& parameters);

}  // namespace ulna
