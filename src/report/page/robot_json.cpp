#include "page/robot_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "page/binary.hpp"
#include "page/text.hpp"
#include "ulna/model/internal/undeformed.hpp"
#include "ulna/report/internal/scene.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(SceneShape::Kind kind) {
  switch (kind) {
    case SceneShape::Kind::box:
      return "box";
    case SceneShape::Kind::cylinder:
      return "cylinder";
    case SceneShape::Kind::sphere:
      return "sphere";
    case SceneShape::Kind::capsule:
      return "capsule";
    case SceneShape::Kind::taper:
      return "taper";
    case SceneShape::Kind::mesh:
      return "mesh";
  }
  return "";
}

const char* name_of(SceneShape::Role role) {
  switch (role) {
    case SceneShape::Role::link:
      return "link";
    case SceneShape::Role::joint:
      return "joint";
    case SceneShape::Role::base:
      return "base";
    case SceneShape::Role::given:
      return "given";
  }
  return "";
}

void add_pose(Json& out, const Pose<double>& X) {
  out["position"] = list_json(X.position);
  out["quaternion"] = list_json(quaternion_from_rotation(X.rotation));
}

/// Corners as 16-bit shares of the extent of the mesh.
Json quantised_json(const Triangles& mesh) {
  float low[3], high[3], size[3];
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = high[axis] = mesh[axis];
    for (std::size_t k = axis; k < mesh.size(); k += 3) {
      low[axis] = std::min(low[axis], mesh[k]);
      high[axis] = std::max(high[axis], mesh[k]);
    }
    size[axis] = high[axis] - low[axis];
  }
  std::vector<std::uint16_t> shares;
  shares.reserve(mesh.size());
  for (std::size_t k = 0; k < mesh.size(); ++k) {
    const float share = size[k % 3] > 0 ? (mesh[k] - low[k % 3]) / size[k % 3] : 0;
    shares.push_back(
        static_cast<std::uint16_t>(std::lround(65535 * std::clamp(share, 0.0F, 1.0F))));
  }
  return {{"low", low}, {"size", size}, {"corners", base64_of(shares)}};
}

/// Where a joint is on its child.
Vector3<double> joint_origin(const Model& model, const Joint& joint) {
  for (const JointData& data : model.robot().joints)
    if (data.name == joint.name) return data.X_MC.inverse().position;
  return Vector3<double>::Zero();
}

}  // namespace

Json list_json(const VectorRef& values) {
  Json out = Json::array();
  for (const double x : values) out.push_back(x);
  return out;
}

namespace {

/// Where force elements hold on to their bodies, and the axis of those that turn.
Json elements_json(const Model& model) {
  Json out = Json::array();
  for (std::size_t k = 0; k < model.elements().size(); ++k) {
    const Element& element = model.elements()[k];
    Json points = Json::array();
    Vector3<double> axis = Vector3<double>::UnitZ();
    for (const ElementPoint& point : element.points) {
      Pose<double> X_NF;
      for (int i = 0; i < 9; ++i) X_NF.rotation(i / 3, i % 3) = point.R[i];
      for (int i = 0; i < 3; ++i) X_NF.position(i) = point.p[i];
      const Pose<double> X_BF = pose_on_body(model, point.body, point.node, X_NF);
      if (points.empty()) axis = X_BF.rotation.col(2);
      points.push_back({{"body", point.body}, {"point", list_json(X_BF.position)}});
    }
    for (const JointData& joint : model.robot().joints)
      if (joint.name == model.robot().elements[k].joint) {
        axis = joint.X_MC.rotation.transpose() * joint.axis;
        points.push_back({{"body", model.body(joint.child)},
                          {"point", list_json(joint.X_MC.inverse().position)}});
      }
    out.push_back({{"name", clean_utf8(element.name)},
                   {"type", name_of(element.type)},
                   {"points", points},
                   {"axis", list_json(axis)}});
  }
  return out;
}

}  // namespace

Json robot_json(const Model& model) {
  const Scene scene = scene_of(model);
  Json out;
  out["name"] = clean_utf8(model.name());
  out["description"] = clean_utf8(model.robot().description);
  out["mass"] = model.mass();
  out["speeds"] = model.speeds();
  out["reach"] = scene.reach;
  out["left_out"] = Json::array();
  for (const std::string& note : scene.left_out) out["left_out"].push_back(clean_utf8(note));
  out["meshes"] = Json::array();
  for (const Triangles& mesh : scene.meshes) out["meshes"].push_back(quantised_json(mesh));
  out["bodies"] = Json::array();
  for (const Body& body : model.bodies()) out["bodies"].push_back(clean_utf8(body.name));
  out["frames"] = Json::array();
  for (const FrameData& frame : model.robot().frames) {
    Json entry = {{"name", clean_utf8(frame.name)}, {"body", model.body(frame.body)}};
    add_pose(entry, frame.X_BF);
    out["frames"].push_back(std::move(entry));
  }
  out["tip"] = clean_utf8(model.frames()[model.tip_frame()].name);
  out["joints"] = Json::array();
  for (const Joint& joint : model.joints())
    out["joints"].push_back({{"name", clean_utf8(joint.name)},
                             {"body", joint.child},
                             {"position", list_json(joint_origin(model, joint))}});
  out["axes"] = Json::array();
  for (const SceneAxis& axis : scene.axes)
    out["axes"].push_back({{"joint", clean_utf8(axis.joint)},
                           {"body", axis.body},
                           {"position", list_json(axis.position)},
                           {"direction", list_json(axis.direction)}});
  out["loops"] = Json::array();
  for (const Loop& loop : model.loops()) {
    if (loop.kind == LoopKind::coupling) continue;  // it has no place
    const auto on = [&](int body, int node, const Pose<double>& X_NF) {
      return list_json(pose_on_body(model, body, node, X_NF).position);
    };
    out["loops"].push_back({{"name", clean_utf8(loop.joint)},
                            {"rod", loop.kind == LoopKind::distance},
                            {"parent", loop.parent},
                            {"parent_point", on(loop.parent, loop.node_F, loop.X_NF)},
                            {"child", loop.child},
                            {"child_point", on(loop.child, loop.node_M, loop.X_NM)}});
  }
  if (!model.elements().empty()) out["elements"] = elements_json(model);
  out["shapes"] = Json::array();
  for (const SceneShape& shape : scene.shapes) {
    Json entry = {
        {"kind", name_of(shape.kind)}, {"role", name_of(shape.role)}, {"body", shape.body}};
    add_pose(entry, shape.X_BS);
    entry["size"] = list_json(shape.size);
    if (shape.mesh >= 0) entry["mesh"] = shape.mesh;
    if (shape.colour) entry["colour"] = *shape.colour;
    out["shapes"].push_back(std::move(entry));
  }
  return out;
}

}  // namespace ulna
