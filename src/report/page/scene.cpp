#include "ulna/report/internal/scene.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "page/plate.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using ShapeKind = SceneShape::Kind;
using Role = SceneShape::Role;
using Vec = Vector3<double>;

/// z of the result along `direction`.
Pose<double> along(const Vec& position, const Vec& direction) {
  if (direction.isZero(0)) return Pose<double>::translation(position);  // ball joints need no axis
  return {turn_between(Vec::UnitZ(), direction), position};
}

class SceneBuilder {
 public:
  explicit SceneBuilder(const Model& model) : model_(model), robot_(model.robot()) {
    for (const JointData& joint : robot_.joints) {
      parent_.push_back(model.body(joint.parent));
      child_.push_back(model.body(joint.child));
    }
    const std::size_t bodies = model.bodies().size();
    depth_.assign(bodies, -1);
    distance_.assign(bodies, 0);
    measure();
    given_.assign(bodies, false);
  }

  Scene build() {
    scene_.reach = reach_;
    for (std::size_t k = 0; k < robot_.bodies.size(); ++k) given_shapes(robot_.bodies[k]);
    for (std::size_t b = 1; b < model_.bodies().size(); ++b)
      if (!given_[b]) links(static_cast<int>(b));
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) joint(j);
    base();
    return std::move(scene_);
  }

 private:
  /// Where the joint that carries a body sits on it.
  Vec inlet(std::size_t j) const { return robot_.joints[j].X_MC.inverse().position; }

  // Depth and distance from the world along the joints; loops are reached from whichever side
  // comes first.
  void measure() {
    depth_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
        const int from = parent_[j], to = child_[j];
        if (depth_[from] < 0 || depth_[to] >= 0) continue;
        depth_[to] = depth_[from] + (robot_.joints[j].type != JointType::fixed);
        const Vec start = from == 0 ? robot_.joints[j].X_PF.position : entry(from);
        distance_[to] = distance_[from] + (robot_.joints[j].X_PF.position - start).norm();
        entry_.push_back({to, inlet(j)});
        changed = true;
      }
    }
    reach_ = 0;
    for (std::size_t b = 0; b < distance_.size(); ++b) {
      deepest_ = std::max(deepest_, depth_[b]);
      double own = 0;
      for (const Vec& point : outlets(static_cast<int>(b)))
        own = std::max(own, (point - entry(static_cast<int>(b))).norm());
      reach_ = std::max(reach_, distance_[b] + (b == 0 ? 0 : own));
    }
    if (!(reach_ > 0)) reach_ = 1;
  }
  Vec entry(int body) const {
    for (const auto& [b, point] : entry_)
      if (b == body) return point;
    return Vec::Zero();
  }

  /// Points of a body that a link leads to: its further joints, else its frames, else the centre.
  std::vector<Vec> outlets(int body) const {
    std::vector<Vec> points;
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      if (parent_[j] == body) points.push_back(robot_.joints[j].X_PF.position);
      if (child_[j] == body && (inlet(j) - entry(body)).norm() > 0) points.push_back(inlet(j));
    }
    if (!points.empty() || body == 0) return points;
    const std::string& name = model_.bodies()[body].name;
    for (const FrameData& frame : robot_.frames)
      if (frame.body == name) points.push_back(frame.X_BF.position);
    points.push_back(Vec::Zero());
    for (const BodyData& data : robot_.bodies)
      if (data.name == name && (Vec::Zero() - entry(body)).norm() < 1e-9)
        points.push_back(inertial_of(data).centre);
    return points;
  }

  double radius(int body) const {
    const double share = deepest_ > 0 ? std::max(depth_[body], 0) / double(deepest_) : 0;
    return reach_ * (0.05 - 0.028 * share);
  }

  void add(ShapeKind kind, Role role, int body, const Pose<double>& X_BS, const Vec& size) {
    scene_.shapes.push_back({kind, role, body, X_BS, size, {}, -1});
  }

  void given_shapes(const BodyData& data) {
    const int body = model_.body(data.name);
    for (const Geometry& shape : data.geometry) {
      if (shape.use != Geometry::Use::visual) continue;
      if (shape.shape == Geometry::Shape::mesh) {
        mesh(body, shape);
        continue;
      }
      const ShapeKind kind = shape.shape == Geometry::Shape::box        ? ShapeKind::box
                             : shape.shape == Geometry::Shape::cylinder ? ShapeKind::cylinder
                             : shape.shape == Geometry::Shape::sphere   ? ShapeKind::sphere
                                                                        : ShapeKind::capsule;
      scene_.shapes.push_back({kind, Role::given, body, shape.X_BG, shape.size, shape.colour, -1});
      given_[body] = true;
    }
  }

  // A mesh that cannot be read leaves the body to be made up from the mechanism.
  void mesh(int body, const Geometry& shape) {
    namespace fs = std::filesystem;
    const bool url = shape.mesh.starts_with("file://");
    const std::string file =  // an absolute name takes the folder's place
        (fs::path(robot_.source).parent_path() / shape.mesh.substr(url ? 7 : 0)).string();
    auto known = mesh_of_.find(file);
    if (known == mesh_of_.end()) {
      std::vector<DrawnMesh> parts;
      try {
        for (MeshPart& part : read_mesh_parts(file)) {
          scene_.meshes.push_back(std::move(part.triangles));
          parts.push_back({static_cast<int>(scene_.meshes.size()) - 1, part.colour});
        }
      } catch (const InputError& problem) {
        scene_.left_out.push_back(problem.what());
      }
      known = mesh_of_.emplace(file, std::move(parts)).first;
    }
    // A colour of the robot file goes before those of the mesh.
    for (const DrawnMesh& part : known->second) {
      scene_.shapes.push_back({ShapeKind::mesh, Role::given, body, shape.X_BG, shape.scale,
                               shape.colour ? shape.colour : part.colour, part.index});
      given_[body] = true;
    }
  }

  void links(int body) {
    for (const FlexibleLink& link : model_.flexible_links())
      if (link.body == body) return;  // drawn as a beam that bends
    const double thick = radius(body);
    if (plate(body, Role::link, thick)) return;
    const Vec from = entry(body);
    bool any = false;
    for (const Vec& to : outlets(body)) {
      const double length = (to - from).norm();
      if (length < 0.02 * reach_) continue;
      add(ShapeKind::taper, Role::link, body, along((from + to) / 2, to - from),
          {0.78 * thick, 0.58 * thick, length});
      any = true;
    }
    if (!any && depth_[body] >= deepest_)  // the last body of a wrist: a flange
      add(ShapeKind::cylinder, Role::link, body, along(from, Vec::UnitZ()),
          {0.5 * thick, 0.6 * thick, 0});
  }

  void joint(std::size_t j) {
    const JointData& data = robot_.joints[j];
    const JointTraits& traits = traits_of(data.type);
    if (traits.keys.axis) {
      const Matrix3<double> R_CM = data.X_MC.inverse().rotation;
      scene_.axes.push_back({data.name, child_[j], inlet(j), R_CM * data.axis.normalized()});
    }
    if (given_[parent_[j]] || given_[child_[j]]) return;
    const double thick = radius(child_[j]);
    for (const Glyph& glyph : traits.glyphs) {
      const Vec axis = data.X_PF.rotation * (glyph.along_second ? data.axis2 : data.axis);
      const Vec size = thick * Vec(glyph.size[0], glyph.size[1], glyph.size[2]);
      if (glyph.shape == Glyph::Shape::rail)
        slide(j, size.x());
      else
        add(kind_of(glyph), Role::joint, parent_[j], along(data.X_PF.position, axis.normalized()),
            size);
    }
  }

  static ShapeKind kind_of(const Glyph& glyph) {
    if (glyph.shape == Glyph::Shape::sphere) return ShapeKind::sphere;
    return glyph.shape == Glyph::Shape::box ? ShapeKind::box : ShapeKind::cylinder;
  }

  // The rail of a slide, fixed to the child: it runs through the box when the joint moves.
  void slide(std::size_t j, double width) {
    const JointData& data = robot_.joints[j];
    double length = 0.5 * reach_;
    if (!data.degrees.empty() && std::isfinite(data.degrees[0].upper - data.degrees[0].lower))
      length = std::clamp(data.degrees[0].upper - data.degrees[0].lower, 0.1 * reach_, 3 * reach_);
    const Vec axis = data.X_MC.inverse().rotation * data.axis.normalized();
    add(ShapeKind::box, Role::link, child_[j], along(inlet(j) - axis * length / 2, axis),
        {width, width, length});
  }

  /// Places where joints sit on a body; free ones hold nothing.
  std::vector<Vec> seats(int body) const {
    std::vector<Vec> points;
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      if (robot_.joints[j].type == JointType::free) continue;
      if (parent_[j] == body) points.push_back(robot_.joints[j].X_PF.position);
      if (child_[j] == body) points.push_back(inlet(j));
    }
    return points;
  }

  /// Whether the joints of a body span a plate, which is drawn then.
  bool plate(int body, Role role, double thick) {
    std::optional<Plate> made = plate_through(seats(body), 0.8 * thick, 0.4 * thick);
    if (!made) return false;
    scene_.meshes.push_back(std::move(made->triangles));
    // A base lies under its joints: the bodies of a planar robot move over it.
    const bool flat = std::abs(robot_.gravity.dot(made->normal)) <= 1e-9;
    const Vec down = flat ? Vec(0, 0, -1) : Vec(robot_.gravity);
    const double side = down.dot(made->normal) < 0 ? -thick : thick;
    const Vec under = body == 0 ? Vec(side * made->normal) : Vec(Vec::Zero());
    add(ShapeKind::mesh, role, body, Pose<double>::translation(under), Vec::Ones());
    scene_.shapes.back().mesh = static_cast<int>(scene_.meshes.size()) - 1;
    return true;
  }

  // A plate under joints that span one, else a foot on the ground under each joint that the world
  // carries.
  void base() {
    if (plate(0, Role::base, radius(0))) return;
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const JointData& data = robot_.joints[j];
      if (parent_[j] != 0 || data.type == JointType::free || given_[child_[j]]) continue;
      const Vec top = data.X_PF.position;
      const double thick = radius(0), height = std::abs(top.z());
      const Vec ground(top.x(), top.y(), 0);
      if (height > 0.5 * thick && height < 2 * reach_)
        add(ShapeKind::taper, Role::base, 0, along((ground + top) / 2, top - ground),
            {1.5 * thick, thick, height});
      add(ShapeKind::cylinder, Role::base, 0,
          Pose<double>::translation(ground + Vec(0, 0, -0.15 * thick)),
          {2 * thick, 0.3 * thick, 0});
    }
  }

  const Model& model_;
  const Robot& robot_;
  std::vector<int> parent_, child_;  ///< of each joint of the robot, fixed and closing ones too
  std::vector<int> depth_;           ///< moving joints between the world and each body
  std::vector<double> distance_;
  std::vector<std::pair<int, Vec>> entry_;
  std::vector<bool> given_;
  int deepest_ = 0;
  double reach_ = 1;
  struct DrawnMesh {
    int index;  ///< into Scene::meshes
    std::optional<std::array<double, 4>> colour;
  };
  std::map<std::string, std::vector<DrawnMesh>> mesh_of_;  ///< by file; none: it cannot be read
  Scene scene_;
};

}  // namespace

Scene scene_of(const Model& model) { return SceneBuilder(model).build(); }

}  // namespace ulna
