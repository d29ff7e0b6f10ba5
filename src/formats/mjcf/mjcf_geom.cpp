#include <fmt/format.h>

#include <algorithm>

#include "mesh/solid.hpp"
#include "mjcf/mjcf_parts.hpp"
#include "ulna/model/parts/placement.hpp"
#include "ulna/numerics/dense.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

/// How many numbers of `size` a shape needs.
int sizes_of(const std::string& type, bool with_ends) {
  if (type == "sphere") return 1;
  if (type == "capsule" || type == "cylinder") return with_ends ? 1 : 2;
  return with_ends ? 1 : 3;  // square, or round, across the line between its ends
}

class GeomReader {
 public:
  GeomReader(MjcfContext& context, pugi::xml_node node)
      : context_(context), node_(node), element_(context.element(node)) {}

  MjcfGeom read(const Pose<double>& X_BF) {
    context_.account(element_, node_,
                     with_pose({"type", "size", "fromto", "mass", "density", "group", "mesh",
                                "rgba", "material", "shellinertia", "fitscale"}));
    type_ = element_.has("type") ? element_.text("type") : element_.has("mesh") ? "mesh" : "sphere";
    X_BG_ = X_BF * mjcf_pose(context_, element_);
    MjcfGeom geom;
    if (type_ == "plane" || type_ == "hfield") {
      element_.note_ignored(
          fmt::format("<geom> of type {} ignored: it has no mass and is not drawn", type_));
      return geom;
    }
    if (type_ == "mesh" || type_ == "sdf") return mesh();
    if (sizes_of(type_, false) == 3 && type_ != "box" && type_ != "ellipsoid") {
      element_.complain("type of <geom> is " + in_quotes(type_),
                        "one of sphere, capsule, ellipsoid, cylinder, box, mesh, plane, hfield");
      return geom;
    }
    if (!element_.has("mesh"))
      read_size(X_BF);
    else if (!fit_to_mesh())
      return geom;
    geom.shape = shape();
    if (counts()) geom.inertia = inertia();
    return geom;
  }

 private:
  void read_size(const Pose<double>& X_BF) {
    const bool ends = element_.has("fromto") && type_ != "sphere";
    const std::size_t needed = static_cast<std::size_t>(sizes_of(type_, ends));
    const std::size_t count = element_.count("size");
    if (count < needed || count > 3) {  // classes give three
      element_.complain(fmt::format("size of this {} holds {} numbers", type_, count),
                        fmt::format("{} numbers", needed));
      return;
    }
    const std::vector<double> sizes = element_.numbers("size", count);
    for (std::size_t k = 0; k < needed; ++k) {
      if (!(sizes[k] > 0))
        element_.complain(fmt::format("size of this {} is not positive", type_), "lengths above 0");
      size_[static_cast<Eigen::Index>(k)] = sizes[k];
    }
    if (!ends) return;
    const auto [X, half] = mjcf_fromto(element_);
    X_BG_ = X_BF * X;
    if (type_ == "box" || type_ == "ellipsoid") {
      size_.z() = half;
      size_.y() = size_.x();
    } else {
      size_.y() = half;
    }
  }

  /// Takes size and place from the box that has the inertia of a mesh, its longest edge along z.
  bool fit_to_mesh() {
    const MjcfMesh* mesh = mesh_of();
    if (!mesh) return false;
    std::string complaint;
    const std::optional<MeshMass> mass = mjcf_mesh_mass(context_, element_.text("mesh"), complaint);
    if (!mass || context_.settings.fit_to_bounds) {
      element_.note_changed(fmt::format("left out: its size is that of mesh {} ({})",
                                        in_quotes(element_.text("mesh")),
                                        mass ? "by fitaabb, which is not read" : complaint));
      return false;
    }
    const dense::SymmetricEigen principal = dense::eigen_symmetric(mass->inertia / mass->volume);
    const Vector3<double>& I = principal.values;  // ascending
    const double half_sum = I.sum() / 2;
    const Vector3<double> edges(half_sum - I[2], half_sum - I[1], half_sum - I[0]);
    const Vector3<double> box =
        element_.number("fitscale", 1) * (3 * edges.cwiseMax(0)).cwiseSqrt();
    Pose<double> X_GP;
    X_GP.position = mass->centre;
    X_GP.rotation.col(0) = principal.vectors.col(2);
    X_GP.rotation.col(1) = principal.vectors.col(1);
    X_GP.rotation.col(2) = X_GP.rotation.col(0).cross(X_GP.rotation.col(1));
    X_BG_ = X_BG_ * X_GP;
    const double across = (box.x() + box.y()) / 2;
    if (type_ == "sphere")
      size_.x() = box.sum() / 3;
    else if (type_ == "capsule")
      size_ = {across, std::max(0.0, box.z() - across / 2), 0};
    else if (type_ == "cylinder")
      size_ = {across, box.z(), 0};
    else
      size_ = box;
    return true;
  }

  bool counts() const {
    const int group = static_cast<int>(element_.number("group", 0));
    return group >= context_.settings.first_group && group <= context_.settings.last_group;
  }

  /// Of the solid, or with `shellinertia` of its surface, for which `density` is kg/m^2.
  Inertia<double> inertia() const {
    const Solid solid = solid_of(type_, size_);
    double amount = solid.volume;
    Vector3<double> moments = solid.moments;
    if (node_.attribute("shellinertia").value() == std::string("true")) {
      const Shell shell = shell_of(type_, size_);
      if (shell.area == 0)
        element_.complain(
            fmt::format("the mass of this {} is in its surface (shellinertia)", type_),
            "a solid, or the surface of a sphere, box, cylinder or capsule",
            "give the body an <inertial>");
      amount = shell.area, moments = shell.moments;
    }
    const double mass = element_.has("mass") ? element_.number("mass", 0)
                                             : element_.number("density", 1000) * amount;
    if (mass < 0) element_.complain("the mass is negative", "a mass of 0 or more");
    Inertia<double> about;
    about.mass = mass;
    about.about_origin = (mass * moments).asDiagonal();
    return transform(X_BG_, about);
  }

  std::optional<Geometry> shape() {
    Geometry shape = begun();
    if (type_ == "sphere") {
      shape.shape = Geometry::Shape::sphere;
      shape.size.x() = size_.x();
    } else if (type_ == "box") {
      shape.shape = Geometry::Shape::box;
      shape.size = 2 * size_;
    } else if (type_ == "ellipsoid") {
      element_.note_ignored("ellipsoid not drawn; its mass counts");
      return std::nullopt;
    } else {
      shape.shape = type_ == "capsule" ? Geometry::Shape::capsule : Geometry::Shape::cylinder;
      shape.size = {size_.x(), 2 * size_.y(), 0};
    }
    return shape;
  }

  Geometry begun() const {
    Geometry shape;
    shape.X_BG = X_BG_;
    // By the habit of MuJoCo's users, groups from 3 on hold shapes for collision.
    shape.use = element_.number("group", 0) >= 3 ? Geometry::Use::collision : Geometry::Use::visual;
    if (element_.has("rgba")) {
      const std::vector<double> c = element_.numbers("rgba", 4);
      shape.colour = Colour{c[0], c[1], c[2], c[3]};
    }
    return shape;
  }

  const MjcfMesh* mesh_of() {
    const std::string name = element_.text("mesh");
    const auto known = context_.meshes.find(name);
    if (known != context_.meshes.end()) return &known->second;
    complain_unknown(element_, "mesh", name, context_.meshes);
    return nullptr;
  }

  MjcfGeom mesh() {
    MjcfGeom geom;
    const MjcfMesh* known = mesh_of();
    if (!known) return geom;
    if (!known->file.empty()) {
      geom.shape = begun();
      geom.shape->shape = Geometry::Shape::mesh;
      geom.shape->mesh = known->file;
      geom.shape->scale = known->scale;
      Pose<double> X_RM = known->X_MR.inverse();
      X_RM.position = X_RM.position.cwiseProduct(known->scale).eval();
      geom.shape->X_BG = X_BG_ * X_RM;
    }
    const std::optional<double> mass =
        element_.has("mass") ? std::optional(element_.number("mass", 0)) : std::nullopt;
    const double density = element_.number("density", 1000);
    if (counts() && (mass ? *mass : density) != 0)
      geom.mesh = MjcfMeshGeom{element_.text("mesh"), X_BG_, mass, density};
    return geom;
  }

  MjcfContext& context_;
  pugi::xml_node node_;
  XmlElement element_;
  std::string type_;
  Vector3<double> size_ = Vector3<double>::Zero();
  Pose<double> X_BG_;
};

}  // namespace

std::pair<Pose<double>, double> mjcf_fromto(const XmlElement& element) {
  const std::vector<double> v = element.numbers("fromto", 6);
  const Vector3<double> from(v[0], v[1], v[2]), to(v[3], v[4], v[5]);
  const double half = (to - from).norm() / 2;
  Pose<double> X;
  if (half > 0) {
    X.position = (from + to) / 2;
    X.rotation = axes_along((from - to).normalized());
  } else {
    element.complain("both ends of fromto are the same point", "two points");
  }
  return {X, half};
}

MjcfGeom read_mjcf_geom(MjcfContext& context, pugi::xml_node node, const Pose<double>& X_BF) {
  return GeomReader(context, node).read(X_BF);
}

}  // namespace ulna
