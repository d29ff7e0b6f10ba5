#include <fmt/format.h>

#include "ulna/formats/internal/mesh_packages.hpp"
#include "urdf/urdf_parts.hpp"
#include "wording.hpp"

namespace ulna {

namespace {

using Shape = Geometry::Shape;

std::optional<Colour> colour_of(const XmlElement& material) {
  const XmlElement colour = material.child("color");
  if (!colour) return std::nullopt;
  const std::vector<double> v = colour.numbers("rgba", 4);
  return Colour{v[0], v[1], v[2], v[3]};
}

// package://name/rest becomes a path when the folder of that package is known.
std::string resolve(XmlContext& context, const std::string& file_name) {
  const std::string scheme = "package://";
  if (!file_name.starts_with(scheme)) return file_name;
  const std::size_t slash = std::min(file_name.find('/', scheme.size()), file_name.size());
  const std::string package = file_name.substr(scheme.size(), slash - scheme.size());
  const std::string folder =
      find_package(package, context.lines.file(), context.options.packages).folder;
  if (folder.empty()) {
    ++context.unresolved_packages[package];
    return file_name;
  }
  return folder + file_name.substr(slash);
}

void read_shape(XmlContext& context, const XmlElement& geometry, Geometry& shape) {
  int found = 0;
  if (const XmlElement box = geometry.child("box")) {
    box.expect({"size"});
    shape.shape = Shape::box;
    box.needed_text("size");
    shape.size = box.vector("size", shape.size);
    ++found;
  }
  if (const XmlElement sphere = geometry.child("sphere")) {
    sphere.expect({"radius"});
    shape.shape = Shape::sphere;
    shape.size.x() = sphere.needed_number("radius");
    ++found;
  }
  for (const auto& [tag, kind] :
       {std::pair("cylinder", Shape::cylinder), std::pair("capsule", Shape::capsule)})
    if (const XmlElement round = geometry.child(tag)) {
      round.expect({"radius", "length"});
      shape.shape = kind;
      shape.size.x() = round.needed_number("radius");
      shape.size.y() = round.needed_number("length");
      ++found;
    }
  if (const XmlElement mesh = geometry.child("mesh")) {
    mesh.expect({"filename", "scale"});
    shape.shape = Shape::mesh;
    shape.mesh = resolve(context, mesh.needed_text("filename"));
    shape.scale = mesh.vector("scale", shape.scale);
    ++found;
  }
  if (found != 1)
    geometry.complain(fmt::format("<geometry> holds {} shapes", found),
                      "one of box, cylinder, sphere, capsule or mesh");
}

void read_material(XmlContext& context, const XmlElement& material, Geometry& shape) {
  material.expect({"name"}, {"color"});
  shape.colour = colour_of(material);
  const std::string name = material.text("name");
  if (shape.colour || name.empty()) return;
  const auto known = context.materials.find(name);
  if (known != context.materials.end())
    shape.colour = known->second;
  else
    material.note_ignored(fmt::format("material {} ignored: it has no colour", in_quotes(name)));
}

}  // namespace

void read_urdf_materials(XmlContext& context, const XmlElement& robot) {
  const auto define = [&](const XmlElement& material) {
    const std::string name = material.text("name");
    if (name.empty() || context.materials.count(name)) return;
    if (const auto colour = colour_of(material)) context.materials[name] = *colour;
  };
  for (const XmlElement& material : robot.children("material")) {
    material.expect({"name"}, {"color"});
    material.note_used("material " + in_quotes(material.text("name")));
    define(material);
  }
  for (const XmlElement& link : robot.children("link"))
    for (const XmlElement& visual : link.children("visual")) define(visual.child("material"));
}

void read_urdf_geometry(XmlContext& context, const XmlElement& element, BodyData& body) {
  const bool visual = element.tag() == "visual";
  element.expect({}, visual ? std::vector<std::string>{"origin", "geometry", "material"}
                            : std::vector<std::string>{"origin", "geometry"});
  Geometry shape;
  shape.use = visual ? Geometry::Use::visual : Geometry::Use::collision;
  shape.X_BG = element.origin();
  if (const XmlElement geometry = element.needed_child("geometry")) {
    geometry.expect({}, {"box", "cylinder", "sphere", "capsule", "mesh"});
    read_shape(context, geometry, shape);
  }
  if (const XmlElement material = element.child("material"); visual && material)
    read_material(context, material, shape);
  body.geometry.push_back(std::move(shape));
}

}  // namespace ulna
