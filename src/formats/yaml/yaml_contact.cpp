#include "yaml/yaml_contact.hpp"

#include <fmt/format.h>

#include "wording.hpp"

namespace ulna {
namespace {

/// Index of a body or frame, or -1 with the problem noted.
template <class Search>
int find(const YamlMap& map, const char* key, const Search& search) {
  try {
    return search(map.text(key));
  } catch (const InputError& error) {
    for (const Problem& p : error.problems()) map.complain(key, p.message, p.expectation, p.hint);
    return -1;
  }
}

/// Where something sits: `body`, or `frame`, whose axes and origin then count.
struct Seat {
  int body = 0;
  Pose<double> X_BS;
};

Seat read_seat(const YamlMap& map, const Model& model, bool needed) {
  Seat seat;
  if (map.has("body") && map.has("frame"))
    map.complain("frame", "both body and frame are given", "one of them");
  if (map.has("frame")) {
    const int frame = find(map, "frame", [&](const std::string& n) { return model.frame(n); });
    if (frame < 0) return seat;
    seat.body = model.frames()[frame].body;
    seat.X_BS = model.frames()[frame].X_BF;
  } else if (map.has("body")) {
    seat.body = std::max(0, find(map, "body", [&](const std::string& n) { return model.body(n); }));
  } else if (needed) {
    map.complain({}, "neither body nor frame is given", "the name of one");
  }
  return seat;
}

ContactPlane read_plane(YamlContext& context, const YamlMap& owner, const Model& model) {
  ContactPlane plane;
  const YamlNode* node = owner.find("plane");
  if (!node) return plane;
  const YamlMap map(context, *node, owner.element() + ", plane",
                    {"body", "frame", "point", "normal"});
  const Seat seat = read_seat(map, model, false);
  plane.body = seat.body;
  plane.point = seat.X_BS * map.vector("point", quantity::length, plane.point);
  plane.normal = seat.X_BS.rotation * map.vector("normal", quantity::number, plane.normal);
  return plane;
}

TouchingShape read_shape(const YamlMap& map, const Model& model) {
  TouchingShape shape;
  const Seat seat = read_seat(map, model, true);
  shape.body = seat.body;
  shape.point = seat.X_BS * map.vector("point", quantity::length, shape.point);
  shape.radius = map.number("radius", quantity::length, 0);
  if (map.has("axis")) {
    shape.axis = seat.X_BS.rotation * map.vector("axis", quantity::number, shape.axis);
    if (!shape.disc()) map.complain("axis", "the axis is zero", "a direction");
  }
  return shape;
}

void read_contact(YamlContext& context, const YamlNode& node, Experiment& e) {
  const YamlMap map(
      context, node, "contact",
      {"name", "body", "frame", "point", "radius", "axis", "plane", "restitution", "friction",
       "rest_speed", "static_friction", "stribeck_speed", "rolling_resistance"});
  Contact contact;
  contact.mark = map.mark();
  contact.name = map.text("name", fmt::format("contact{}", e.contacts.size() + 1));
  contact.shape = read_shape(map, *e.model);
  contact.plane = read_plane(context, map, *e.model);
  contact.restitution = map.number("restitution", quantity::number, contact.restitution);
  contact.friction = map.number("friction", quantity::number, contact.friction);
  contact.rest_speed = map.number("rest_speed", quantity::velocity, contact.rest_speed);
  if (map.has("static_friction"))
    contact.static_friction = map.number("static_friction", quantity::number, 0);
  contact.stribeck_speed = map.number("stribeck_speed", quantity::velocity, 0);
  contact.rolling_resistance = map.number("rolling_resistance", quantity::length, 0);
  e.contacts.push_back(contact);
}

/// `directions`: one vector or a list of them, in the axes of the body or frame.
void read_blade(YamlContext& context, const YamlMap& map, const Model& model,
                NonholonomicConstraint& row) {
  const Seat seat = read_seat(map, model, true);
  row.shape.body = seat.body;
  row.shape.point = seat.X_BS * map.vector("point", quantity::length, row.shape.point);
  if (map.has("on"))
    row.plane.body =
        std::max(0, find(map, "on", [&](const std::string& n) { return model.body(n); }));
  const YamlNode* list = map.need("directions", "[x, y, z], along which it does not move");
  if (!list || list->kind != YamlNode::Kind::sequence) return;
  const std::string element = map.element() + ", directions";
  const bool one = !list->items.empty() && list->items[0].kind == YamlNode::Kind::scalar;
  if (one) row.directions = {read_vector(context, *list, element, quantity::number)};
  for (std::size_t k = 0; !one && k < list->items.size(); ++k)
    row.directions.push_back(read_vector(context, list->items[k], element, quantity::number));
  for (Vector3<double>& d : row.directions) d = seat.X_BS.rotation * d;
}

void read_nonholonomic(YamlContext& context, const YamlNode& node, Experiment& e) {
  const YamlMap outer(context, node, "nonholonomic", {"name", "rolling", "knife_edge"});
  NonholonomicConstraint row;
  row.mark = outer.mark();
  row.name = outer.text("name", fmt::format("row{}", e.nonholonomic.size() + 1));
  const YamlNode *rolling = outer.find("rolling"), *edge = outer.find("knife_edge");
  if ((rolling != nullptr) == (edge != nullptr))
    return outer.complain({}, "its kind is not given", "rolling or knife_edge");
  if (rolling) {
    const YamlMap map(context, *rolling, outer.element() + ", rolling",
                      {"body", "frame", "point", "radius", "axis", "plane"});
    row.kind = NonholonomicConstraint::Kind::rolling;
    row.shape = read_shape(map, *e.model);
    row.plane = read_plane(context, map, *e.model);
  } else {
    const YamlMap map(context, *edge, outer.element() + ", knife_edge",
                      {"body", "frame", "point", "directions", "on"});
    row.kind = NonholonomicConstraint::Kind::knife_edge;
    read_blade(context, map, *e.model, row);
  }
  e.nonholonomic.push_back(row);
}

}  // namespace

void read_contacts(YamlContext& context, const YamlMap& map, Experiment& experiment) {
  if (const YamlNode* list = map.find("contacts"))
    for (const YamlNode& item : read_list(context, *list, "contacts"))
      read_contact(context, item, experiment);
  if (const YamlNode* list = map.find("nonholonomic"))
    for (const YamlNode& item : read_list(context, *list, "nonholonomic"))
      read_nonholonomic(context, item, experiment);
}

}  // namespace ulna
