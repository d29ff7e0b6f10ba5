#pragma once
// Sensors on joints that close loops, which have no coordinates of their own in the tree.

#include "ulna/simulation/parts/sensor.hpp"

namespace ulna {

/// Encoders of the coordinates of a closing joint, or tachometers of its rates. Empty where no
/// closing joint has this name; InputError for a position that is a quaternion.
ULNA_API std::vector<Sensor> closing_sensors(const Model& model, const std::string& joint,
                                             bool position, double period);

}  // namespace ulna
