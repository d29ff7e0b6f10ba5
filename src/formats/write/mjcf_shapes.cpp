#include "write/mjcf_shapes.hpp"

#include <fmt/format.h>

#include "ulna/spatial/rotation.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

void set_text(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name) = value.c_str();
}

}  // namespace

void place_mjcf(pugi::xml_node node, const Pose<double>& X) {
  if (!X.position.isZero(0)) set_text(node, "pos", xml_numbers(X.position));
  if (X.rotation != Matrix3<double>::Identity())
    set_text(node, "quat", xml_numbers(quaternion_from_rotation(X.rotation)));
}

void MjcfShapes::add(pugi::xml_node body_node, const WrittenBody& body, const Geometry& shape,
                     std::vector<ImportNote>& lost) {
  using Shape = Geometry::Shape;
  if (shape.shape == Shape::mesh && mesh_name(body, shape, lost).empty()) return;
  pugi::xml_node geom = body_node.append_child("geom");
  place_mjcf(geom, shape.X_BG);
  const bool visual = shape.use == Geometry::Use::visual;
  if (shape.shape == Shape::box) {
    set_text(geom, "type", "box");
    set_text(geom, "size", xml_numbers(shape.size / 2));
  } else if (shape.shape == Shape::sphere) {
    set_text(geom, "type", "sphere");
    set_text(geom, "size", xml_number(shape.size.x()));
  } else if (shape.shape == Shape::mesh) {
    set_text(geom, "type", "mesh");
    set_text(geom, "mesh", mesh_name(body, shape, lost));
  } else {
    set_text(geom, "type", shape.shape == Shape::capsule ? "capsule" : "cylinder");
    set_text(geom, "size", xml_numbers(Eigen::Vector2d(shape.size.x(), shape.size.y() / 2)));
  }
  set_text(geom, "group", visual ? "2" : "3");
  if (visual) {
    set_text(geom, "contype", "0");
    set_text(geom, "conaffinity", "0");
  }
  if (shape.colour) {
    const auto& c = *shape.colour;
    set_text(geom, "rgba", xml_numbers(Eigen::Vector4d(c[0], c[1], c[2], c[3])));
  }
}

std::string MjcfShapes::mesh_name(const WrittenBody& body, const Geometry& shape,
                                  std::vector<ImportNote>& lost) {
  const std::string key = shape.mesh + "|" + xml_numbers(shape.scale);
  if (const auto known = meshes_.find(key); known != meshes_.end()) return known->second;
  const bool readable = shape.mesh.find("://") == std::string::npos &&
                        (shape.mesh.ends_with(".stl") || shape.mesh.ends_with(".STL") ||
                         shape.mesh.ends_with(".obj") || shape.mesh.ends_with(".OBJ"));
  if (!readable) {
    lost.push_back(
        {body.data->mark, "body " + in_quotes(body.name),
         "mesh " + in_quotes(shape.mesh) + " is not written: MuJoCo reads .stl and .obj files"});
    return meshes_[key] = "";
  }
  const std::string name = fmt::format("mesh{}", meshes_.size() + 1);
  pugi::xml_node mesh = asset_.append_child("mesh");
  set_text(mesh, "name", name);
  set_text(mesh, "file", shape.mesh);
  if (shape.scale != Vector3<double>::Ones()) set_text(mesh, "scale", xml_numbers(shape.scale));
  return meshes_[key] = name;
}

}  // namespace ulna
