#include "yaml/yaml_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "text_file.hpp"
#include "ulna/spatial/rotation.hpp"
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
  PathReader(YamlContext& context, const YamlNode& node)
      : context_(context),
        map_(context, node, "path",
             {"frame", "position_only", "free", "line", "screw", "circle", "polyline", "time",
              "program", "speed", "ramp"}) {}

  std::optional<PathRequest> read(const Model& model) {
    const std::size_t before = context_.problems.count();
    const std::string name = map_.needed_text("frame", "the name of a frame");
    if (name.empty()) return std::nullopt;
    request_.mark = map_.mark();
    request_.frame = model.frame(name);
    name_ = name;
    request_.position_only = map_.boolean("position_only", false);
    read_free();
    read_shape();
    read_time();
    if (context_.problems.count() != before) return std::nullopt;
    return std::move(request_);
  }

 private:
  using Shape = PathRequest::Shape;

  /// Coordinates of the origin that the path leaves free.
  void read_free() {
    const YamlNode* node = map_.find("free");
    if (!node) return;
    constexpr const char* expected = "some of x, y and z of the world, such as [x, y]";
    if (node->kind != YamlNode::Kind::sequence)
      return map_.complain("free", "it is not a list", expected);
    for (const YamlNode& item : node->items) {
      const std::size_t axis = std::string("xyz").find(item.text);
      if (item.text.size() != 1 || axis == std::string::npos)
        return map_.complain("free", "found " + in_quotes(item.text), expected);
      request_.held[axis] = false;
    }
    if (held_rows(request_.position_only, request_.held).empty())
      map_.complain("free", "nothing of the frame is led", expected);
  }

  void read_shape() {
    int shapes = 0;
    for (const char* shape : {"line", "screw", "circle", "polyline"}) shapes += map_.has(shape);
    if (shapes != 1)
      return map_.complain({}, fmt::format("{} of line, screw, circle and polyline", shapes),
                           "one");
    if (const YamlNode* node = map_.find("line"))
      read_ends(*node, "line", Shape::line);
    else if (const YamlNode* screw = map_.find("screw"))
      read_ends(*screw, "screw", Shape::screw);
    else if (const YamlNode* circle = map_.find("circle"))
      read_circle(*circle);
    else
      read_polyline(*map_.find("polyline"));
  }

  /// A pose; [x, y, z], or a map without orientation, keeps that of the frame at the start.
  PoseRequest pose(const YamlMap& map, const char* key) {
    const YamlNode* node = map.find(key);
    if (!node) return {};
    if (std::any_of(node->entries.begin(), node->entries.end(),
                    [](const YamlEntry& entry) { return entry.key == "file"; }))
      return stored_pose(YamlMap(context_, *node, map.element() + ", " + key, {"file"}));
    const Pose<double> pose = read_pose(context_, map, key);
    PoseRequest request;
    request.position = pose.position;
    for (const YamlEntry& entry : node->entries)
      if (entry.key != "position") request.rotation = pose.rotation;
    return request;
  }

  /// {file: there.json}: where the frame stands in the JSON of `ulna fk`, which is YAML too.
  PoseRequest stored_pose(const YamlMap& map) {
    namespace fs = std::filesystem;
    const fs::path file = fs::path(context_.file).parent_path() / map.text("file");
    PoseRequest request;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
      map.complain("file", "there is no file " + in_quotes(file.string()),
                   "the output of 'ulna fk ROBOT --json'");
      return request;
    }
    YamlContext inside;
    inside.file = file.string();
    const YamlNode root = parse_yaml(read_text_file(inside.file, megabyte), inside.file);
    const YamlNode* frame = &root;
    const auto enter = [&](const YamlNode* node, const std::string& key) -> const YamlNode* {
      for (const YamlEntry& entry : node->entries)
        if (entry.key == key) return &entry.value;
      return nullptr;
    };
    if (const YamlNode* frames = enter(&root, "frames")) frame = enter(frames, name_);
    const YamlNode* position = frame ? enter(frame, "position") : nullptr;
    const YamlNode* rotation = frame ? enter(frame, "rotation") : nullptr;
    if (position) request.position = read_vector(inside, *position, "position", quantity::length);
    if (rotation) request.rotation = read_matrix(inside, *rotation, "rotation", quantity::number);
    if (!position || inside.problems.count() > 0 ||
        (request.rotation && !is_rotation(*request.rotation, 1e-9)))
      map.complain("file",
                   fmt::format("there is no pose of frame {} in {}", in_quotes(name_),
                               in_quotes(inside.file)),
                   "the output of 'ulna fk ROBOT --json'");
    return request;
  }

  void read_ends(const YamlNode& node, const char* word, Shape shape) {
    const YamlMap map(context_, node, std::string("path, ") + word, {"from", "to"});
    map.need("to", "a pose: [x, y, z], or position with rpy, quaternion, ...");
    request_.shape = shape;
    request_.from = pose(map, "from");
    request_.to = pose(map, "to");
  }

  void read_circle(const YamlNode& node) {
    const YamlMap map(context_, node, "path, circle",
                      {"from", "centre", "axis", "angle", "rotation"});
    map.need("centre", "[x, y, z]");
    const std::string rotation = map.text("rotation", "fixed");
    if (rotation != "fixed" && rotation != "turning")
      return map.complain("rotation", "found " + in_quotes(rotation), "fixed or turning");
    request_.shape = Shape::circle;
    request_.from = pose(map, "from");
    request_.centre = map.vector("centre", quantity::length, request_.centre);
    request_.axis = map.vector("axis", quantity::number, request_.axis);
    request_.angle = map.number("angle", quantity::angle, 2 * M_PI);
    request_.turning = rotation == "turning";
  }

  void read_polyline(const YamlNode& node) {
    const YamlMap map(context_, node, "path, polyline", {"points", "blend"});
    const YamlNode* list = map.need("points", "a list of [x, y, z]");
    if (!list) return;
    request_.shape = Shape::polyline;
    for (const YamlNode& item : read_list(context_, *list, "path, polyline, points"))
      request_.points.push_back(
          read_vector(context_, item, "path, polyline, points", quantity::length));
    request_.blend = map.number("blend", quantity::length, 0);
  }

  void read_time() {
    if (map_.has("program")) request_.program = map_.text("program");
    if (map_.has("ramp")) request_.ramp = map_.number("ramp", quantity::time, 0);
    if (map_.has("ramp") && !map_.has("speed"))
      map_.complain("ramp", "it is given without a speed", "ramp together with speed");
    if (map_.has("speed")) {
      if (map_.has("time")) map_.complain("time", "both time and speed are given", "one of them");
      request_.speed = map_.number("speed", quantity::velocity, 1);
    } else if (map_.has("time")) {
      request_.time = map_.number("time", quantity::time, 1);
      if (!(*request_.time > 0))
        map_.complain("time", fmt::format("the time is {} s", *request_.time), "a time above 0");
    }
  }

  YamlContext& context_;
  YamlMap map_;
  std::string name_;  ///< of the frame
  PathRequest request_;
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
    const std::size_t before = context.problems.count();
    const double x = read_number(context, item, element, q);
    if (!(x > 0) && context.problems.count() == before)
      map.complain(key, fmt::format("a limit of {}", x), "above 0");
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

std::optional<PathRequest> read_path(YamlContext& context, const YamlNode& node,
                                     const Model& model) {
  std::optional<PathRequest> request;
  attempt(context, node, "path", [&] { request = PathReader(context, node).read(model); });
  return request;
}

std::optional<TimingRequest> read_timing(YamlContext& context, const YamlNode& node,
                                         const Model& model) {
  const std::size_t before = context.problems.count();
  const YamlMap map(context, node, "timing", {"scale", "within", "minimum_time"});
  const int ways = int(map.has("scale")) + int(map.has("within")) + int(map.has("minimum_time"));
  if (ways != 1) {
    map.complain({}, fmt::format("{} of scale, within and minimum_time", ways), "one");
    return std::nullopt;
  }
  TimingRequest request;
  request.mark = context.mark(node);
  Timing& timing = request.timing;
  attempt(context, node, "timing", [&] {
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
  });
  if (context.problems.count() != before) return std::nullopt;
  return request;
}

}  // namespace ulna
