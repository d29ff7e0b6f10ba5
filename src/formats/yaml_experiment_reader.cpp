#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "text_file.hpp"
#include "ulna/elastic/modal_body.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/model/recut.hpp"
#include "ulna/simulation/channels.hpp"
#include "wording.hpp"
#include "yaml_controller.hpp"
#include "yaml_motion.hpp"
#include "yaml_parts.hpp"
#include "yaml_path.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> top_keys = {
    "experiment", "name",       "description", "robot",  "gravity",     "payloads", "constants",
    "duration",   "start",      "motions",     "drives", "controllers", "wrenches", "stop",
    "stops",      "integrator", "record",      "path",   "timing",      "goal",     "elastic"};

class ExperimentReader {
 public:
  ExperimentReader(YamlContext& context, const YamlNode& root, std::string folder,
                   const ReadOptions& options)
      : context_(context),
        map_(context, root, "experiment", top_keys),
        folder_(std::move(folder)),
        options_(options),
        motions_{context, {}, folder_, 0} {}

  Experiment read(ImportReport& report) {
    if (!check_version()) return {};
    e_.source = context_.file;
    e_.name = map_.text("name", fs::path(context_.file).stem().string());
    e_.description = map_.text("description");
    read_times();
    if (!read_robot_of(report)) return {};
    e_.drives.resize(e_.model->joints().size());
    for (std::size_t j = 0; j < e_.drives.size(); ++j) e_.drives[j].mark = map_.mark();
    read_constants();
    read_motions();
    read_drives();
    read_start();
    read_plan();
    if (const YamlNode* list = map_.find("controllers"))
      for (const YamlNode& item : read_list(context_, *list, "controllers"))
        if (auto controller = read_controller(context_, item, e_))
          e_.controllers.push_back(controller);
    read_goal();
    read_wrenches();
    read_events();
    read_stops();
    read_integrator();
    read_record();
    return std::move(e_);
  }

 private:
  const Model& model() const { return *e_.model; }

  bool check_version() {
    const YamlNode* version =
        map_.need("experiment", "'experiment: 1', the version of this format");
    if (!version) return false;
    if (version->kind == YamlNode::Kind::scalar && version->text == "1") return true;
    map_.complain("experiment",
                  fmt::format("version {} of the experiment file", describe(*version)),
                  "'experiment: 1'", "this library reads version 1");
    return false;
  }

  void read_times() {
    const YamlNode* node = map_.find("duration");
    // A planned motion knows how long it takes.
    if (!node && (map_.has("path") || map_.has("timing"))) {
      motions_.duration = 1;
      return;
    }
    if (!node) map_.need("duration", "how long it lasts, such as 2 s");
    e_.end = map_.number("duration", quantity::time, 1);
    if (node && !(e_.end > 0)) {
      map_.complain("duration", fmt::format("the duration is {} s", e_.end), "a time above 0");
      e_.end = 1;
    }
    motions_.duration = e_.end;
  }

  /// `path` and `timing`: motions that are computed. The start then begins on them.
  void read_plan() {
    if (const YamlNode* node = map_.find("path")) {
      if (map_.has("motions"))
        map_.complain("path", "both motions and a path are given", "one of them");
      read_path(context_, *node, e_.q.size() > 0 ? e_.q : model().neutral(), e_.end, e_);
      start_on_motions();
    }
    if (const YamlNode* node = map_.find("timing"))
      if (const auto timing = read_timing(context_, *node, e_)) {
        if (!map_.has("duration")) e_.end = timing->duration;
        e_.timing = *timing;
      }
    if (e_.end == 0) e_.end = motions_end(e_);
  }

  /// `start` only chose the branch for the joints that follow the path exactly.
  void start_on_motions() {
    if (e_.q.size() == 0) return;
    const Eigen::VectorXd q = start_of_motions().first;
    for (std::size_t j = 0; j < e_.drives.size(); ++j) {
      const Joint& joint = model().joints()[j];
      if (e_.drives[j].kind == DriveKind::motion && joint.coordinates == joint.speeds)
        e_.q.segment(joint.q, joint.speeds) = q.segment(joint.q, joint.speeds);
    }
  }

  bool read_robot_of(ImportReport& report) {
    const std::string name =
        map_.needed_text("robot", "a robot file or the name of a shipped robot");
    if (name.empty()) return false;
    try {
      const fs::path beside = fs::path(folder_) / name;
      std::error_code ignored;
      const bool local = !fs::path(name).is_absolute() && fs::is_regular_file(beside, ignored);
      ReadResult result = read_robot(local ? beside.string() : name, options_);
      report = std::move(result.report);
      result.robot.gravity = map_.vector("gravity", quantity::acceleration, result.robot.gravity);
      if (const YamlNode* list = map_.find("payloads"))
        for (const YamlNode& item : read_list(context_, *list, "payloads"))
          result.robot.payloads.push_back(read_payload(context_, item));
      read_elastic(result.robot);
      e_.model = std::make_shared<const Model>(std::move(result.robot));
      // What is driven or started needs coordinates: loops are cut elsewhere.
      if (!e_.model->loops().empty())
        e_.model = std::make_shared<const Model>(
            with_joints_in_tree(e_.model->robot(), joints_spoken_of()));
      return true;
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        context_.problems.add(p.where.line > 0 ? p.where : context_.mark(*map_.find("robot")),
                              p.element.empty() ? "robot " + ulna::quoted(name) : p.element,
                              p.message, p.expectation, p.hint);
      return false;
    }
  }

  /// Names under motions, drives and start.
  std::vector<std::string> joints_spoken_of() const {
    std::vector<std::string> names;
    const auto add = [&](const YamlNode* node) {
      if (node && node->kind == YamlNode::Kind::map)
        for (const YamlEntry& entry : node->entries) names.push_back(entry.key);
    };
    add(map_.find("motions"));
    add(map_.find("drives"));
    if (const YamlNode* start = map_.find("start"); start && start->kind == YamlNode::Kind::map)
      for (const YamlEntry& entry : start->entries) add(&entry.value);
    return names;
  }

  /// The level, and how many modes each bending plane of each flexible body has here.
  void read_elastic(Robot& robot) {
    const YamlNode* node = map_.find("elastic");
    if (!node) return;
    const auto level = [&](const std::string& name, const YamlNode& at) {
      if (const auto found = elastic_level_from_name(name))
        e_.elastic = *found;
      else
        context_.problems.add(context_.mark(at), "elastic", "found " + ulna::quoted(name),
                              one_of(elastic_level_names()),
                              nearest_name_hint(name, elastic_level_names()));
    };
    if (node->kind != YamlNode::Kind::map) {
      level(read_text(context_, *node, "elastic"), *node);
      return;
    }
    const YamlMap map(context_, *node, "elastic", {"level", "modes", "rigid"});
    if (map.has("level")) level(map.text("level", ""), *map.find("level"));
    if (const YamlNode* list = map.find("rigid")) {
      std::vector<std::string> bodies, known;
      for (const BodyData& body : robot.bodies)
        if (body.modal) known.push_back(body.name);
      for (const YamlNode& item : read_list(context_, *list, "elastic, rigid")) {
        bodies.push_back(read_text(context_, item, "elastic, rigid"));
        if (std::find(known.begin(), known.end(), bodies.back()) == known.end())
          context_.problems.add(context_.mark(item), "elastic, rigid",
                                "found " + ulna::quoted(bodies.back()), one_of(known),
                                nearest_name_hint(bodies.back(), known));
      }
      if (!bodies.empty()) robot = with_rigid_links(std::move(robot), bodies);
    }
    if (!map.has("modes")) return;
    const double modes = map.number("modes", quantity::number, 2);
    if (!(modes >= 1 && modes <= 50 && modes == std::floor(modes)))
      return map.complain("modes", fmt::format("found {}", modes), "a whole number, 1 to 50");
    robot = with_bending_modes(std::move(robot), static_cast<int>(modes));
  }

  void read_constants() {
    const YamlNode* node = map_.find("constants");
    if (!node) return;
    if (node->kind != YamlNode::Kind::map)
      return map_.complain("constants", "found " + describe(*node), "names with numbers");
    for (const YamlEntry& entry : node->entries) {
      const std::string text = read_text(context_, entry.value, "constants, " + entry.key);
      try {
        motions_.constants[entry.key] = constant_formula(text, motions_.constants);
      } catch (const InputError& error) {
        for (const Problem& p : error.problems())
          context_.problems.add(context_.mark(entry.value), "constants, " + ulna::quoted(entry.key),
                                p.message, p.expectation, p.hint);
      }
    }
  }

  /// Index of a joint that has freedoms of its own, or -1 with the problem noted.
  int joint_named(const std::string& name, const SourceMark& mark, const std::string& element) {
    std::vector<std::string> known;
    for (std::size_t j = 0; j < model().joints().size(); ++j) {
      if (model().joints()[j].speeds > 0) known.push_back(model().joints()[j].name);
      if (model().joints()[j].name == name) return static_cast<int>(j);
    }
    context_.problems.add(
        mark, element,
        fmt::format("robot '{}' has no joint {}", model().name(), ulna::quoted(name)),
        one_of(known), nearest_name_hint(name, known));
    return -1;
  }

  /// Visits the entries of a map by joint; `all` stands for every joint and comes first.
  template <class Visit>
  void for_each_joint(const YamlNode& node, const std::string& element, const Visit& visit) {
    if (node.kind != YamlNode::Kind::map)
      return context_.problems.add(context_.mark(node), element, "found " + describe(node),
                                   "a map with the names of joints, or all");
    for (const YamlEntry& entry : node.entries)
      if (entry.key == "all")
        for (std::size_t j = 0; j < model().joints().size(); ++j)
          if (model().joints()[j].speeds > 0) visit(static_cast<int>(j), entry.value);
    for (const YamlEntry& entry : node.entries) {
      if (entry.key == "all") continue;
      const int j = joint_named(entry.key, {context_.file, entry.line, entry.column}, element);
      if (j >= 0) visit(j, entry.value);
    }
  }

  /// One function per speed of the joint: a single one, or a list.
  std::vector<ScalarMotionPtr> read_functions(const YamlNode& node, int j,
                                              const std::string& element, bool effort) {
    const Joint& joint = model().joints()[j];
    const std::vector<std::string> units = speed_units(model());
    std::vector<ScalarMotionPtr> functions;
    const bool list = node.kind == YamlNode::Kind::sequence;
    const std::size_t count = list ? node.items.size() : 1;
    if (static_cast<int>(count) != joint.speeds) {
      context_.problems.add(
          context_.mark(node), element, fmt::format("{} functions of time", count),
          joint.speeds == 0 ? "none: the joint has no freedom of its own"
                            : fmt::format("{}, one for each degree of freedom of a {} joint",
                                          joint.speeds, name_of(joint.type)));
      return {};
    }
    for (int k = 0; k < joint.speeds; ++k) {
      const bool slides = units[joint.v + k] == "m";
      const Quantity& q = effort ? (slides ? quantity::force : quantity::torque)
                                 : (slides ? quantity::length : quantity::angle);
      ScalarMotionPtr f = read_motion(motions_, list ? node.items[k] : node, element, q);
      if (!f) return {};
      functions.push_back(std::move(f));
    }
    return functions;
  }

  void read_motions() {
    const YamlNode* node = map_.find("motions");
    if (!node) return;
    for_each_joint(*node, "motions", [&](int j, const YamlNode& value) {
      Drive& drive = e_.drives[j];
      drive.motion = read_functions(
          value, j, fmt::format("motion of joint '{}'", model().joints()[j].name), false);
      drive.mark = context_.mark(value);
      drive.kind = DriveKind::motion;
    });
  }

  void read_drives() {
    const YamlNode* node = map_.find("drives");
    if (!node) return;
    for_each_joint(*node, "drives", [&](int j, const YamlNode& value) { read_drive(j, value); });
  }

  void read_drive(int j, const YamlNode& value) {
    const std::string element = fmt::format("drive of joint '{}'", model().joints()[j].name);
    Drive& drive = e_.drives[j];
    drive.mark = context_.mark(value);
    drive.effort.clear();
    if (value.kind == YamlNode::Kind::map) {
      const YamlMap map(context_, value, element, {"effort"});
      const YamlNode* effort = map.need("effort", "a formula in t, a table, ...");
      if (effort) drive.effort = read_functions(*effort, j, element, true);
      drive.kind = DriveKind::effort;
      return;
    }
    for (const DriveKind kind :
         {DriveKind::free, DriveKind::locked, DriveKind::motion, DriveKind::controller})
      if (value.kind == YamlNode::Kind::scalar && value.text == name_of(kind)) {
        drive.kind = kind;
        return;
      }
    const std::vector<std::string> known = {"free", "locked", "motion", "controller"};
    context_.problems.add(drive.mark, element, "found " + describe(value),
                          "free, locked, motion, controller or {effort: ...}",
                          nearest_name_hint(value.text, known));
  }

  void read_start() {
    const YamlNode* node = map_.find("start");
    if (!node) return;
    const YamlMap map(context_, *node, "start", {"q", "v"});
    if (const YamlNode* q = map.find("q")) {
      Eigen::VectorXd values = start_of_motions().first;
      read_state(*q, "start, q", true, values, e_.keep_q);
      try {
        e_.q = model().normalized(values);
      } catch (const InputError& error) {
        for (const Problem& p : error.problems())
          context_.problems.add(context_.mark(*q), "start, q", p.message, p.expectation, p.hint);
      }
    }
    if (const YamlNode* v = map.find("v")) {
      Eigen::VectorXd values = start_of_motions().second;
      read_state(*v, "start, v", false, values, e_.keep_v);
      e_.v = values;
    }
  }

  std::pair<Eigen::VectorXd, Eigen::VectorXd> start_of_motions() const {
    Eigen::VectorXd q = model().neutral(), v = Eigen::VectorXd::Zero(model().speeds());
    for (std::size_t j = 0; j < e_.drives.size(); ++j) {
      const Joint& joint = model().joints()[j];
      if (joint.coordinates != joint.speeds) continue;
      for (std::size_t k = 0; k < e_.drives[j].motion.size(); ++k) {
        const MotionValue x = e_.drives[j].motion[k]->at(0);
        q(joint.q + k) = x.value;
        v(joint.v + k) = x.rate;
      }
    }
    return {q, v};
  }

  /// All values in a list, or those of some joints in a map: with loops these are kept, and the
  /// others follow.
  void read_state(const YamlNode& node, const std::string& element, bool coordinates,
                  Eigen::VectorXd& values, std::vector<char>& keep) {
    const std::vector<std::string> units =
        coordinates ? coordinate_units(model()) : speed_units(model());
    const auto read_one = [&](const YamlNode& item, int k) {
      const std::string& unit = units[k];
      const Quantity& q = unit == "1" ? quantity::number
                          : coordinates
                              ? (unit == "m" ? quantity::length : quantity::angle)
                              : (unit == "m" ? quantity::velocity : quantity::angular_velocity);
      values(k) = read_number(context_, item, element, q);
    };
    if (node.kind == YamlNode::Kind::sequence) {
      // The modes of flexible bodies may be left out.
      const long joints = values.size() - model().modes(),
                 given = static_cast<long>(node.items.size());
      if (given != values.size() && given != joints)
        return context_.problems.add(
            context_.mark(node), element, fmt::format("{} values", node.items.size()),
            fmt::format("{} in the order of the joints, or a map with their names", joints));
      for (long k = 0; k < given; ++k) read_one(node.items[k], static_cast<int>(k));
      return;
    }
    for_each_joint(node, element, [&](int j, const YamlNode& value) {
      const Joint& joint = model().joints()[j];
      const int first = coordinates ? joint.q : joint.v,
                count = coordinates ? joint.coordinates : joint.speeds;
      const bool list = value.kind == YamlNode::Kind::sequence;
      if ((list ? static_cast<int>(value.items.size()) : 1) != count)
        return context_.problems.add(
            context_.mark(value), element, "found " + describe(value),
            fmt::format("{} values for the {} joint '{}'", count, name_of(joint.type), joint.name));
      keep.resize(static_cast<std::size_t>(values.size()), 0);
      for (int k = 0; k < count; ++k) {
        read_one(list ? value.items[k] : value, first + k);
        keep[first + k] = 1;
      }
    });
  }

  /// Where switched efforts are to lead.
  void read_goal() {
    const YamlNode* node = map_.find("goal");
    if (!node) return;
    const YamlMap map(context_, *node, "goal", {"q", "v", "tolerance", "shortest"});
    Goal goal;
    goal.q = Eigen::VectorXd::Constant(model().coordinates(), NAN);
    goal.v = Eigen::VectorXd::Constant(model().speeds(), NAN);
    std::vector<char> said;
    if (const YamlNode* q = map.find("q")) read_state(*q, "goal, q", true, goal.q, said);
    if (const YamlNode* v = map.find("v")) read_state(*v, "goal, v", false, goal.v, said);
    goal.tolerance = map.number("tolerance", quantity::number, goal.tolerance);
    goal.shortest = map.boolean("shortest", goal.shortest);
    if (!(goal.tolerance > 0))
      map.complain("tolerance", fmt::format("the tolerance is {}", goal.tolerance), "above 0");
    e_.goal = goal;
  }

  void read_wrenches() {
    const YamlNode* list = map_.find("wrenches");
    if (!list) return;
    for (const YamlNode& item : read_list(context_, *list, "wrenches")) {
      const YamlMap map(context_, item, "wrench", {"body", "point", "frame", "force", "moment"});
      AppliedWrench wrench;
      const auto find = [&](const char* key, auto search) {
        try {
          return search();
        } catch (const InputError& error) {
          for (const Problem& p : error.problems())
            map.complain(key, p.message, p.expectation, p.hint);
          return 0;
        }
      };
      const std::string body = map.needed_text("body", "the name of a body");
      if (!body.empty()) wrench.body = find("body", [&] { return model().body(body); });
      wrench.point = map.vector("point", quantity::length, wrench.point);
      if (map.has("frame"))
        wrench.expressed_in = find("frame", [&] { return model().frame(map.text("frame")); });
      read_vector_function(map, "force", quantity::force, wrench.force);
      read_vector_function(map, "moment", quantity::torque, wrench.moment);
      if (!map.has("force") && !map.has("moment"))
        map.complain({}, "neither force nor moment is given", "one of them, or both");
      e_.wrenches.push_back(wrench);
    }
  }

  void read_vector_function(const YamlMap& map, const char* key, const Quantity& q,
                            ScalarMotionPtr (&out)[3]) {
    const YamlNode* node = map.find(key);
    if (!node) return;
    if (node->kind != YamlNode::Kind::sequence || node->items.size() != 3)
      return map.complain(key, "found " + describe(*node), "[x, y, z], each a function of time");
    for (int k = 0; k < 3; ++k)
      out[k] = read_motion(motions_, node->items[k], map.element() + ", " + key, q);
  }

  void read_events() {
    const YamlNode* list = map_.find("stop");
    if (!list) return;
    for (const YamlNode& item : read_list(context_, *list, "stop")) {
      const YamlMap map(context_, item, "stop",
                        {"name", "when", "above", "below", "passes", "go_on"});
      Event event;
      event.mark = map.mark();
      event.channel = map.needed_text("when", "a channel such as q.joint1 or frame.wrist.z");
      event.name = map.text("name", event.channel);
      event.stops = !map.boolean("go_on", false);
      const int ways = int(map.has("above")) + int(map.has("below")) + int(map.has("passes"));
      if (ways != 1)
        map.complain({}, fmt::format("{} of above, below and passes are given", ways), "one");
      for (const auto& [key, direction] : {std::pair{"above", Event::Direction::rising},
                                           {"below", Event::Direction::falling},
                                           {"passes", Event::Direction::either}})
        if (map.has(key)) {
          event.value = map.number(key, quantity_of(event.channel), 0);
          event.direction = direction;
        }
      e_.events.push_back(event);
    }
  }

  /// What a channel is measured in, so that limits may have units.
  Quantity quantity_of(const std::string& channel) const {
    try {
      const std::vector<Channel> found = channels_named(model(), channel);
      if (found.size() != 1) return quantity::number;
      const std::string& unit = found[0].unit;
      if (unit == "rad") return quantity::angle;
      if (unit == "m") return quantity::length;
      if (unit == "rad/s") return quantity::angular_velocity;
      if (unit == "m/s") return quantity::velocity;
      if (unit == "Nm") return quantity::torque;
      if (unit == "N") return quantity::force;
    } catch (const InputError&) {  // said later, by the check of the experiment
    }
    return quantity::number;
  }

  /// `stops: true`, or a map.
  void read_stops() {
    const YamlNode* node = map_.find("stops");
    if (!node) return;
    StopOptions& stops = e_.stops;
    if (node->kind == YamlNode::Kind::scalar) {
      stops.enabled = map_.boolean("stops", false);
      return;
    }
    const YamlMap map(context_, *node, "stops", {"restitution", "rest_speed"});
    stops.enabled = true;
    stops.restitution = map.number("restitution", quantity::number, stops.restitution);
    stops.rest_speed = map.number("rest_speed", quantity::number, stops.rest_speed);
  }

  void read_integrator() {
    const YamlNode* node = map_.find("integrator");
    if (!node) return;
    const YamlMap map(context_, *node, "integrator",
                      {"method", "rtol", "atol", "step", "largest_step", "most_steps"});
    IntegratorOptions& o = e_.integrator;
    const std::string name = map.text("method", name_of(o.method));
    if (const auto method = integrator_from_name(name))
      o.method = *method;
    else
      map.complain("method", "found " + ulna::quoted(name), one_of(integrator_names()),
                   nearest_name_hint(name, integrator_names()));
    o.tolerances.relative = map.number("rtol", quantity::number, o.tolerances.relative);
    o.tolerances.absolute = map.number("atol", quantity::number, 1e-2 * o.tolerances.relative);
    o.step = map.number("step", quantity::time, o.step);
    o.largest_step = map.number("largest_step", quantity::time, o.largest_step);
    o.most_steps = static_cast<long>(
        map.number("most_steps", quantity::number, static_cast<double>(o.most_steps)));
  }

  void read_record() {
    const YamlNode* node = map_.find("record");
    if (!node) return;
    const YamlMap map(context_, *node, "record", {"interval", "channels", "interpolate"});
    e_.record.interval = map.number("interval", quantity::time, 0);
    if (map.has("interval") && !(e_.record.interval > 0))
      map.complain("interval", fmt::format("the interval is {} s", e_.record.interval),
                   "a time above 0");
    if (const YamlNode* list = map.find("channels"))
      for (const YamlNode& item : read_list(context_, *list, "record, channels")) {
        const std::string name = read_text(context_, item, "record, channels");
        try {
          channels_named(model(), name);
          e_.record.channels.push_back(name);
        } catch (const InputError& error) {
          for (const Problem& p : error.problems())
            context_.problems.add(context_.mark(item), "record, channels", p.message, p.expectation,
                                  p.hint);
        }
      }
    e_.record.interpolate = map.boolean("interpolate", false);
  }

  YamlContext& context_;
  YamlMap map_;
  std::string folder_;
  const ReadOptions& options_;
  MotionContext motions_;
  Experiment e_;
};

}  // namespace

ReadExperiment read_experiment_text(const std::string& text, const std::string& file_name,
                                    const ReadOptions& options) {
  check_text(text, file_name, largest_yaml);
  YamlContext context{file_name, {}, {}};
  const YamlNode root = parse_yaml(text, file_name);
  ReadExperiment result;
  result.text = text;
  result.experiment =
      ExperimentReader(context, root, fs::path(file_name).parent_path().string(), options)
          .read(result.report);
  context.problems.throw_if_any();
  check(result.experiment);
  return result;
}

ReadExperiment read_experiment(const std::string& path, const ReadOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw InputError(Problem{{path}, {}, "no such file", "an experiment file (.yaml)", {}});
  return read_experiment_text(read_text_file(path, largest_yaml), path, options);
}

bool is_experiment_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  const std::string extension = fs::path(path).extension().string();
  if (extension != ".yaml" && extension != ".yml") return false;
  try {
    const std::string text = read_text_file(path, largest_yaml);
    return text.starts_with("experiment:") || text.find("\nexperiment:") != std::string::npos;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace ulna
