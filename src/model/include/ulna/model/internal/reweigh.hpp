#pragma once
// A robot with other numbers on the same tree, for those who need thousands: the model is copied,
// and masses, efforts of joints and gravity are computed anew.

#include <functional>
#include <optional>

#include "ulna/model/model.hpp"

namespace ulna {

/// The model of the robot that `change` makes of the robot of `model`, to the last bit. It may
/// change masses, centres and inertias of bodies and payloads, gravity, damping, friction, springs,
/// and rotors of joints. Empty where the robot has loops, beams or joints that mimic others, where
/// a mass comes or goes, and where a number is none that a robot may have: then Model(robot)
/// decides.
ULNA_API std::optional<Model> reweighed(const Model& model,
                                        const std::function<void(Robot&)>& change);

/// The conditions above, of the model and of the numbers after the change.
bool can_be_reweighed(const Model& model);
bool has_possible_numbers(const Robot& before, const Robot& after);

}  // namespace ulna
