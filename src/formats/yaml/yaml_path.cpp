#include "yaml/yaml_path.hpp"

#include <fmt/format.h>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/motion/pose_path.hpp"
#include "ulna/motion/program.hpp"
#include "wording.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {
namespace {

/// What the library refuses is said at its place in the file.
template <class Action>
void attempt(YamlContext& context, const YamlNode& node, const std::string& element,
             const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context.problems.add(p.where.line > 0 ? p.where : context.mark(node),
                           p.element.empty() ? element : element + ", " + p.element, p.message,
                           p.expectation, p.hint);
  }
}

class PathReader {
 public:
  PathReader(YamlContext& context, const YamlNode& node, const Eigen::VectorXd& near,
             double duration, Experiment& experiment)
      : context_(context),
        map_(context, node, "path",
             {"frame", "position_only", "line", "screw", "circle", "polyline", "time", "program",
              "speed", "ramp"}),
        near_(near),
        duration_(duration),
        e_(experiment) {}

  void read() {
    const std::size_t before = context_.problems.count();
    const std::string name = map_.needed_text("frame", "the name of a frame");
    if (name.empty()) return;
    const int frame = e_.model->frame(name);
    close_loops();
    Workspace work(*e_.model);
    update_poses(*e_.model, work, near_);
    from_ = frame_pose(*e_.model, work, frame);
    read_shape();
    if (!path_ || context_.problems.count() != before) return;
    CartesianMotionOptions options;
    options.start = near_;
    options.position_only = map_.boolean("position_only", false);
    const std::optional<PathMotion> motion = timed();
    if (motion && context_.problems.count() == before)
      plan_frame_motion(e_, frame, *motion, options);
  }

 private:
  /// Of a mechanism, `start` may say some coordinates only.
  void close_loops() {
    if (e_.model->loops().empty()) return;
    AssemblyOptions options;
    options.start = near_;
    for (std::size_t k = 0; k < e_.keep_q.size(); ++k)
      if (e_.keep_q[k]) options.held.push_back(static_cast<int>(k));
    near_ = assembled(*e_.model, options);
  }

  void read_shape() {
    int shapes = 0;
    for (const char* shape : {"line", "screw", "circle", "polyline"}) shapes += map_.has(shape);
    if (shapes != 1)
      return map_.complain({}, fmt::format("{} of line, screw, circle and polyline", shapes),
                           "one");
    if (const YamlNode* node = map_.find("line")) {
      const auto [from, to] = read_ends(*node, "line");
      path_ = std::make_shared<LinePath>(from, to);
    } else if (const YamlNode* screw = map_.find("screw")) {
      const auto [from, to] = read_ends(*screw, "screw");
      path_ = std::make_shared<ScrewPath>(from, to);
    } else if (const YamlNode* circle = map_.find("circle")) {
      read_circle(*circle);
    } else {
      read_polyline(*map_.find("polyline"));
    }
  }

  /// A pose; [x, y, z], or a map without orientation, keeps that of the frame at the start.
  Pose<double> pose(const YamlMap& map, const char* key) {
    const YamlNode* node = map.find(key);
    if (!node) return from_;
    Pose<double> pose = read_pose(context_, map, key);
    bool turned = false;
    for (const YamlEntry& entry : node->entries) turned = turned || entry.key != "position";
    if (!turned) pose.rotation = from_.rotation;
    return pose;
  }
  std::pair<Pose<double>, Pose<double>> read_ends(const YamlNode& node, const char* shape) {
    const YamlMap map(context_, node, std::string("path, ") + shape, {"from", "to"});
    map.need("to", "a pose: [x, y, z], or position with rpy, quaternion, ...");
    return {pose(map, "from"), pose(map, "to")};
  }

  void read_circle(const YamlNode& node) {
    const YamlMap map(context_, node, "path, circle",
                      {"from", "centre", "axis", "angle", "rotation"});
    map.need("centre", "[x, y, z]");
    const std::string rotation = map.text("rotation", "fixed");
    if (rotation != "fixed" && rotation != "turning")
      return map.complain("rotation", "found " + in_quotes(rotation), "fixed or turning");
    path_ = std::make_shared<CirclePath>(
        pose(map, "from"), map.vector("centre", quantity::length, Vector3<double>::Zero()),
        map.vector("axis", quantity::number, Vector3<double>::UnitZ()),
        map.number("angle", quantity::angle, 2 * M_PI),
        rotation == "fixed" ? CirclePath::Rotation::fixed : CirclePath::Rotation::turning);
  }

  void read_polyline(const YamlNode& node) {
    const YamlMap map(context_, node, "path, polyline", {"points", "blend"});
    const YamlNode* list = map.need("points", "a list of [x, y, z]");
    if (!list) return;
    std::vector<Vector3<double>> points;
    for (const YamlNode& item : read_list(context_, *list, "path, polyline, points"))
      points.push_back(read_vector(context_, item, "path, polyline, points", quantity::length));
    polyline_ = std::make_shared<PolylinePath>(points, from_.rotation,
                                               map.number("blend", quantity::length, 0));
    path_ = polyline_;
  }

  std::optional<PathMotion> timed() {
    const std::string program = map_.text("program", "poly345");
    const bool corners = !path_->sharp_corners().empty();
    const double peak = program_named(program, 0, 1, 1)->peak_factors().velocity;
    if (map_.has("speed")) {
      if (map_.has("time")) map_.complain("time", "both time and speed are given", "one of them");
      const double speed = map_.number("speed", quantity::velocity, 1);
      if (corners && map_.has("ramp")) {
        if (map_.has("program"))
          map_.complain("program", "both program and ramp are given", "one of them");
        return trapezoids_between_corners(polyline_, speed, map_.number("ramp", quantity::time, 0));
      }
      if (corners) return stop_at_corners(polyline_, speed, program);
      if (map_.has("program"))
        map_.complain("program", "speed is constant speed", "time with a program, or speed");
      return constant_speed(path_, speed, map_.number("ramp", quantity::time, 0));
    }
    if (map_.has("ramp"))
      map_.complain("ramp", "it is given without a speed", "ramp together with speed");
    const double time = map_.number("time", quantity::time, duration_ > 0 ? duration_ : 1);
    if (!(time > 0)) {
      map_.complain("time", fmt::format("the time is {} s", time), "a time above 0");
      return std::nullopt;
    }
    // Each leg by the program, so that the whole takes the time.
    if (corners) return stop_at_corners(polyline_, peak * path_->length() / time, program);
    return PathMotion(path_, program_named(program, 0, path_->length(), time));
  }

  YamlContext& context_;
  YamlMap map_;
  Eigen::VectorXd near_;
  double duration_;
  Experiment& e_;
  Pose<double> from_;  ///< of the frame at `near`
  PosePathPtr path_;
  std::shared_ptr<const PolylinePath> polyline_;
};

/// `robot`, a number for all, or a map by joint; joints without one have no limit.
Eigen::VectorXd read_limits(YamlContext& context, const YamlMap& map, const char* key,
                            const Model& model, const Eigen::VectorXd& of_robot, bool effort) {
  Eigen::VectorXd limits = Eigen::VectorXd::Constant(model.speeds(), INFINITY);
  const YamlNode* node = map.find(key);
  if (!node) return limits;
  if (node->kind == YamlNode::Kind::scalar && node->text == "robot") return of_robot;
  const std::string element = map.element() + ", " + key;
  const auto read_one = [&](const YamlNode& item, int v) {
    const bool slides = model.speed_dimensions()[v] == Dimension::length;
    const Quantity& q = effort ? (slides ? quantity::force : quantity::torque)
                               : (slides ? quantity::velocity : quantity::angular_velocity);
    const double x = read_number(context, item, element, q);
    if (!(x > 0)) map.complain(key, fmt::format("a limit of {}", x), "above 0");
    limits(v) = x;
  };
  // One for all degrees of freedom of a joint, or one for each.
  const auto read = [&](const YamlNode& item, const Joint& joint) {
    const bool list = item.kind == YamlNode::Kind::sequence;
    if (list && static_cast<int>(item.items.size()) != joint.speeds)
      return context.problems.add(
          context.mark(item), element, "found " + describe(item),
          fmt::format("one limit for each of the {} degrees of freedom of the {} joint '{}', or a "
                      "single one",
                      joint.speeds, name_of(joint.type), joint.name));
    const std::size_t before = context.problems.count();
    for (int k = 0; k < joint.speeds && context.problems.count() == before; ++k)
      read_one(list ? item.items[k] : item, joint.v + k);
  };
  if (node->kind != YamlNode::Kind::map) {
    for (const Joint& joint : model.joints())
      if (joint.speeds > 0) read(*node, joint);
    return limits;
  }
  for (const YamlEntry& entry : node->entries) {
    attempt(context, entry.value, map.element() + ", " + key, [&] {
      read(entry.value, model.joints()[static_cast<std::size_t>(model.joint(entry.key))]);
    });
  }
  return limits;
}

}  // namespace

void read_path(YamlContext& context, const YamlNode& node, const Eigen::VectorXd& near,
               double duration, Experiment& experiment) {
  attempt(context, node, "path",
          [&] { PathReader(context, node, near, duration, experiment).read(); });
}

std::optional<TimingResult> read_timing(YamlContext& context, const YamlNode& node,
                                        Experiment& experiment) {
  const std::size_t before = context.problems.count();
  const YamlMap map(context, node, "timing", {"scale", "within", "minimum_time"});
  const int ways = int(map.has("scale")) + int(map.has("within")) + int(map.has("minimum_time"));
  if (ways != 1) {
    map.complain({}, fmt::format("{} of scale, within and minimum_time", ways), "one");
    return std::nullopt;
  }
  Timing timing;
  std::optional<TimingResult> result;
  attempt(context, node, "timing", [&] {
    const Model& model = *experiment.model;
    if (map.has("scale")) {
      timing.scale = map.number("scale", quantity::number, 1);
    } else {
      const char* key = map.has("within") ? "within" : "minimum_time";
      timing.kind = map.has("within") ? TimingKind::limits : TimingKind::minimum_time;
      const YamlMap inner(context, *map.find(key), std::string("timing, ") + key,
                          {"rates", "efforts", "intervals"});
      timing.limits.rates =
          read_limits(context, inner, "rates", model, model.velocity_limit(), false);
      timing.limits.efforts =
          read_limits(context, inner, "efforts", model, model.effort_limit(), true);
      timing.intervals = static_cast<int>(inner.number("intervals", quantity::number, 1000));
    }
    if (context.problems.count() == before) result = plan_timing(experiment, timing);
  });
  return result;
}

}  // namespace ulna
