#include "robot_json.hpp"

#include "text.hpp"
#include "ulna/report/scene.hpp"
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

}  // namespace

Json list_json(const VectorRef& values) {
  Json out = Json::array();
  for (const double x : values) out.push_back(x);
  return out;
}

Json robot_json(const Model& model) {
  const Scene scene = scene_of(model);
  Json out;
  out["name"] = clean_utf8(model.name());
  out["description"] = clean_utf8(model.robot().description);
  out["mass"] = model.mass();
  out["speeds"] = model.speeds();
  out["reach"] = scene.reach;
  out["meshes_left_out"] = scene.meshes_left_out;
  out["bodies"] = Json::array();
  for (const Body& body : model.bodies()) out["bodies"].push_back(clean_utf8(body.name));
  out["frames"] = Json::array();
  for (const FrameData& frame : model.robot().frames) {
    Json entry = {{"name", clean_utf8(frame.name)}, {"body", model.body(frame.body)}};
    add_pose(entry, frame.X_BF);
    out["frames"].push_back(std::move(entry));
  }
  out["tip"] = clean_utf8(model.frames()[model.tip_frame()].name);
  out["axes"] = Json::array();
  for (const SceneAxis& axis : scene.axes)
    out["axes"].push_back({{"joint", clean_utf8(axis.joint)},
                           {"body", axis.body},
                           {"position", list_json(axis.position)},
                           {"direction", list_json(axis.direction)}});
  out["shapes"] = Json::array();
  for (const SceneShape& shape : scene.shapes) {
    Json entry = {
        {"kind", name_of(shape.kind)}, {"role", name_of(shape.role)}, {"body", shape.body}};
    add_pose(entry, shape.X_BS);
    entry["size"] = list_json(shape.size);
    if (shape.colour) entry["colour"] = *shape.colour;
    out["shapes"].push_back(std::move(entry));
  }
  return out;
}

}  // namespace ulna
