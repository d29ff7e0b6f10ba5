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

}  // namespace ulna
