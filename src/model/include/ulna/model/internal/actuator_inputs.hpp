#pragma once
// A model made from the data of another one has its elements, not the inputs that were set since:
// forces of actuators and the time of their formulas.

#include "ulna/model/model.hpp"

namespace ulna {

/// `to` has the elements of `from` in the same order.
inline void take_actuator_inputs(const Model& from, Model& to) {
  for (int k = 0; k < std::ssize(from.elements()); ++k) {
    const Element& e = from.elements()[static_cast<std::size_t>(k)];
    if (k == 0) to.set_time(e.time);
    if (e.type == ElementData::Type::actuator && !e.formula) to.set_actuator_force(k, e.force);
  }
}

/// A model of `robot`, whose data were made from those of `from`. Forces that were set are part of
/// the data, but the time of formulas is not, and a robot file has no word for the force of an
/// actuator that is an input.
inline Model made_from(const Model& from, Robot robot) {
  Model made(std::move(robot));
  for (const Element& before : from.elements()) {
    made.set_time(before.time);
    for (int k = 0; k < std::ssize(made.elements()); ++k)
      if (const Element& e = made.elements()[static_cast<std::size_t>(k)];
          before.input && e.input && e.name == before.name)
        made.set_actuator_force(k, before.force);
  }
  return made;
}

}  // namespace ulna
