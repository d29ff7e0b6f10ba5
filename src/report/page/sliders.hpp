#pragma once
// The coordinates for a page where they are moved by hand. Where the page has no generated
// kinematics, also the joints of the tree: X_parent_child = before * motion(q) * after, with the
// motion sampled by Ulna's kinematics at a few values of its coordinate. Between samples the page
// turns along the arc and shifts along the line, which is exact for one-degree joints; joints of
// more degrees stay at the given q.

#include <nlohmann/json_fwd.hpp>

#include "ulna/model/model.hpp"

namespace ulna {

/// {"coordinates": [{name, unit, value, lower, upper, from, to, speed, turns}], "joints": [{joint,
/// parent, child, coordinate, from, to, before, after, samples}]}, the joints from the world
/// outwards. `speed`: index of its rate, -1 for quaternions and free bodies, which stay; `turns`: a
/// whole turn changes nothing.
nlohmann::ordered_json sliders_json(const Model& model, const VectorRef& q, bool sampled);

}  // namespace ulna
