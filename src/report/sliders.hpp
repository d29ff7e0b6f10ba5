#pragma once
// The joints of the tree for a page where they are moved by hand: X_parent_child = before *
// motion(q) * after, with the motion sampled by Ulna's kinematics at a few values of its
// coordinate. Between samples the page turns along the arc and shifts along the line, which is
// exact for one-degree joints; joints of more degrees stay at the given q.

#include <nlohmann/json.hpp>

#include "ulna/model/model.hpp"

namespace ulna {

/// {"coordinates": [{name, unit, value, lower, upper}], "joints": [{joint, parent, child,
/// coordinate, from, to, before, after, samples}]}, the joints from the world outwards.
nlohmann::ordered_json sliders_json(const Model& model, const VectorRef& q);

}  // namespace ulna
