// Shapes: one of box, cylinder, capsule, sphere, mesh, with `at`, `colour` and `use`.

#include <fmt/format.h>

#include "wording.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {

namespace {

using Shape = Geometry::Shape;

void read_round(YamlContext& context, const YamlMap& map, const std::string& key,
                Geometry& geometry) {
  const YamlMap round(context, *map.find(key), map.element() + ", " + key, {"radius", "length"});
  round.need("radius", "a length");
  round.need("length", "a length");
  geometry.size.x() = round.number("radius", quantity::length, 0);
  geometry.size.y() = round.number("length", quantity::length, 0);
}

void read_mesh(YamlContext& context, const YamlMap& map, Geometry& geometry) {
  const YamlNode& node = *map.find("mesh");
  if (node.kind == YamlNode::Kind::scalar) {
    geometry.mesh = node.text;
    return;
  }
  const YamlMap mesh(context, node, map.element() + ", mesh", {"file", "scale"});
  geometry.mesh = mesh.needed_text("file", "the name of a mesh file");
  geometry.scale = mesh.vector("scale", quantity::number, geometry.scale);
}

void read_shape(YamlContext& context, const YamlMap& map, const std::string& shape,
                Geometry& geometry) {
  if (shape == "box") {
    geometry.shape = Shape::box;
    geometry.size = map.vector("box", quantity::length, geometry.size);
  } else if (shape == "sphere") {
    geometry.shape = Shape::sphere;
    geometry.size.x() = map.number("sphere", quantity::length, 0);
  } else if (shape == "mesh") {
    geometry.shape = Shape::mesh;
    read_mesh(context, map, geometry);
  } else {
    geometry.shape = shape == "cylinder" ? Shape::cylinder : Shape::capsule;
    read_round(context, map, shape, geometry);
  }
}

}  // namespace

Geometry read_geometry(YamlContext& context, const YamlNode& node, const std::string& element) {
  static const std::vector<std::string> shapes = {"box", "cylinder", "capsule", "sphere", "mesh"};
  std::vector<std::string> keys = shapes;
  keys.insert(keys.end(), {"at", "colour", "use"});
  const YamlMap map(context, node, element, keys);

  Geometry geometry;
  int found = 0;
  for (const std::string& shape : shapes)
    if (map.has(shape)) {
      read_shape(context, map, shape, geometry);
      ++found;
    }
  if (found != 1 && node.kind == YamlNode::Kind::map)
    map.complain({}, fmt::format("{} shapes in one item", found), "one of " + one_of(shapes));

  geometry.X_BG = read_pose(context, map, "at");
  if (const YamlNode* colour = map.find("colour")) {
    const std::size_t count = colour->items.size() == 3 ? 3 : 4;
    const std::vector<double> v =
        read_numbers(context, *colour, element + ", colour", quantity::number, count);
    geometry.colour = {v[0], v[1], v[2], count == 4 ? v[3] : 1.0};
  }
  const std::string use = map.text("use", "visual");
  if (use == "collision")
    geometry.use = Geometry::Use::collision;
  else if (use != "visual")
    map.complain("use", "use: found " + in_quotes(use), "visual or collision");
  return geometry;
}

}  // namespace ulna
