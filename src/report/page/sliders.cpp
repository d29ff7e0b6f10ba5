#include "page/sliders.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "page/robot_json.hpp"
#include "page/text.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/simulation/channels.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

using Json = nlohmann::ordered_json;

constexpr int intervals = 16;  // turns between samples stay far below half a turn

Json pose_json(const Pose<double>& X) {
  return {{"position", list_json(X.position)},
          {"quaternion", list_json(quaternion_from_rotation(X.rotation))}};
}

const JointData& data_of(const Model& model, const Joint& joint) {
  for (const JointData& data : model.robot().joints)
    if (data.name == joint.name) return data;
  throw ComputationError("a joint of the model is not in its robot: " + joint.name);
}

class SliderWriter {
 public:
  SliderWriter(const Model& model, const VectorRef& q) : model_(model), work_(model), q_(q) {}

  Json joint(const Joint& joint) {
    const JointData& data = data_of(model_, joint);
    // The tree may run against the file: then everything is inverted.
    const Pose<double> before = joint.reversed ? data.X_MC.inverse() : data.X_PF;
    const Pose<double> after = joint.reversed ? data.X_PF.inverse() : data.X_MC;
    const int from_body = joint.reversed ? joint.child : joint.parent;
    const int to_body = joint.reversed ? joint.parent : joint.child;
    const auto motion = [&](const Eigen::VectorXd& q) {
      interruption_point();
      update_poses(model_, work_, q);
      const Pose<double> X =
          frame_pose(model_, work_, from_body).inverse() * frame_pose(model_, work_, to_body);
      return before.inverse() * X * after.inverse();
    };
    const int coordinate = moved_by(joint);
    Json out = {{"joint", clean_utf8(joint.name)},
                {"parent", from_body},
                {"child", to_body},
                {"coordinate", coordinate}};
    if (coordinate < 0) {
      out["from"] = 0, out["to"] = 0;
      out["before"] = pose_json(before * motion(q_));
    } else {
      const auto [low, high] = range(coordinate);
      out["from"] = low, out["to"] = high;
      out["before"] = pose_json(before);
      out["samples"] = Json::array();
      Eigen::VectorXd q = q_;
      for (int k = 0; k <= intervals; ++k) {
        q(coordinate) = low + (high - low) * k / intervals;
        out["samples"].push_back(pose_json(motion(q)));
      }
    }
    out["after"] = pose_json(after);
    return out;
  }

  /// The limits, or a turn or metre to both sides; and q itself.
  std::pair<double, double> range(int coordinate) const {
    double low = model_.lower()(coordinate), high = model_.upper()(coordinate);
    const double half =
        model_.coordinate_dimensions()[coordinate] == Dimension::angle ? std::numbers::pi : 1;
    const double q = q_(coordinate);
    if (!std::isfinite(low)) low = std::isfinite(high) ? high - 2 * half : -half;
    if (!std::isfinite(high)) high = low + 2 * half;
    low = std::min(low, q), high = std::max(high, q);
    return {low, std::max(high, low + 1e-3 * half)};
  }

 private:
  /// The coordinate of a one-degree joint, its own or that of the joint it follows; -1: none.
  int moved_by(const Joint& joint) const {
    const Joint& leader = joint.mimicked >= 0 ? model_.joints()[joint.mimicked] : joint;
    return leader.coordinates == 1 ? leader.q : -1;
  }

  const Model& model_;
  Workspace work_;
  Eigen::VectorXd q_;
};

/// Joints so that each comes after the one that carries it.
std::vector<const Joint*> outwards(const Model& model) {
  std::vector<bool> placed(model.bodies().size(), false);
  placed[0] = true;
  std::vector<const Joint*> list;
  for (bool grown = true; grown;) {
    grown = false;
    for (const Joint& joint : model.joints()) {
      const int from = joint.reversed ? joint.child : joint.parent;
      const int to = joint.reversed ? joint.parent : joint.child;
      if (!placed[from] || placed[to]) continue;
      placed[to] = grown = true;
      list.push_back(&joint);
    }
  }
  return list;
}

/// The speed that is a coordinate's rate; -1 for those of quaternions and free bodies.
std::vector<int> speed_of_coordinates(const Model& model) {
  std::vector<int> speeds(static_cast<std::size_t>(model.coordinates()), -1);
  for (const DegreeOfFreedom& degree : model.degrees())
    if (degree.joint >= 0 && degree.q >= 0) speeds[degree.q] = degree.v;
  return speeds;
}

/// Coordinates without limits that a whole turn leaves where they were. What follows one at
/// another ratio would be elsewhere.
std::vector<bool> endless_turns(const Model& model) {
  std::vector<bool> turns(static_cast<std::size_t>(model.coordinates()), false);
  for (const DegreeOfFreedom& degree : model.degrees())
    if (degree.joint >= 0 && degree.q >= 0)
      turns[degree.q] = degree.dimension == Dimension::angle &&
                        !std::isfinite(model.lower()(degree.q)) &&
                        !std::isfinite(model.upper()(degree.q));
  for (const TreeNode& node : model.topology().nodes)  // screws advance as they turn
    if (node.kind == NodeKind::screw && node.q >= 0 && node.h != 0) turns[node.q] = false;
  for (const Joint& joint : model.joints())
    if (joint.mimicked >= 0) turns[model.joints()[joint.mimicked].q] = false;
  return turns;
}

}  // namespace

Json sliders_json(const Model& model, const VectorRef& q, bool sampled) {
  const auto limit = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
  Json out = {{"coordinates", Json::array()}, {"joints", Json::array()}};
  const std::vector<std::string> units = coordinate_units(model);
  const std::vector<int> speeds = speed_of_coordinates(model);
  const std::vector<bool> turns = endless_turns(model);
  SliderWriter writer(model, q);
  for (int k = 0; k < model.coordinates(); ++k) {
    const auto [from, to] = writer.range(k);
    out["coordinates"].push_back({{"name", clean_utf8(model.coordinate_names()[k])},
                                  {"unit", units[k]},
                                  {"value", q(k)},
                                  {"lower", limit(model.lower()(k))},
                                  {"upper", limit(model.upper()(k))},
                                  {"from", from},
                                  {"to", to},
                                  {"speed", speeds[k]},
                                  {"turns", turns[k]}});
  }
  if (!sampled) return out;
  for (const Joint* joint : outwards(model)) out["joints"].push_back(writer.joint(*joint));
  return out;
}

}  // namespace ulna
