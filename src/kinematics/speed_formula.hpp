#pragma once
// Generalized speeds given as formulas: text to the entries of Y and y.

#include "ulna/kinematics/generalized_speeds.hpp"

namespace ulna {

/// InputError naming the formula and the position of what is wrong in it, or that it is not linear
/// in the speeds.
std::shared_ptr<const SpeedFormulas> read_speed_formulas(const Model& model,
                                                         const GeneralizedSpeeds& speeds);

}  // namespace ulna
