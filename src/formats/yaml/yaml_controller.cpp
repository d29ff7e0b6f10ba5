#include "yaml/yaml_controller.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/simulation/simulate.hpp"
#include "wording.hpp"
#include "yaml/yaml_controller_reader.hpp"

namespace ulna {
namespace {

struct LawKeys {
  const char* law;
  std::vector<std::string> keys;
};
const std::vector<LawKeys>& law_keys() {
  static const std::vector<std::string> feedback = {"kp", "kd", "ki", "gravity", "integral_limit"};
  static const std::vector<LawKeys> table = {
      {"pd", feedback},
      {"pid", feedback},
      {"computed-torque", feedback},
      {"feed-forward", feedback},
      {"state-feedback", {"lqr", "poles", "gains", "at", "kalman"}},
      {"impedance", {"frame", "stiffness", "damping", "gravity", "joint_damping"}},
      {"operational-space", {"frame", "position_only", "kp", "kd", "joint_kp", "joint_kd"}},
      {"adaptive", {"lambda", "kd", "learning"}}};
  return table;
}

std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const LawKeys& row : law_keys()) names.emplace_back(row.law);
  return names;
}

/// Keys of the law that the node names; of all laws where it names none of them.
std::vector<std::string> keys_for(const YamlNode& node) {
  std::vector<std::string> keys = {"name",  "law",     "joints", "limit",   "rate",
                                   "delay", "sensors", "model",  "feedback"};
  std::string law;
  if (node.kind == YamlNode::Kind::map)
    for (const YamlEntry& entry : node.entries)
      if (entry.key == "law") law = entry.value.text;
  bool known = false;
  for (const LawKeys& row : law_keys()) known |= row.law == law;
  for (const LawKeys& row : law_keys())
    if (row.law == law || !known) keys.insert(keys.end(), row.keys.begin(), row.keys.end());
  return keys;
}

}  // namespace

ControllerReader::ControllerReader(YamlContext& context, const YamlNode& node,
                                   const Experiment& experiment, std::string folder,
                                   const ReadOptions& options)
    : context_(context),
      e_(experiment),
      folder_(std::move(folder)),
      options_(options),
      map_(context, node, "controller", keys_for(node)) {}

std::shared_ptr<const Controller> ControllerReader::read() {
  const std::size_t before = context_.problems.count();
  read_joints();
  if (map_.has("model")) read_model();
  if (context_.problems.count() != before) return nullptr;
  const std::shared_ptr<Controller> controller = read_law();
  if (!controller) return nullptr;
  controller->joints = joints_;
  controller->own_model = own_model_;
  controller->title = map_.text("name");
  controller->mark = map_.mark();
  read_timing(*controller);
  read_sensors(*controller);
  read_outer(*controller);
  return context_.problems.count() == before ? controller : nullptr;
}

std::shared_ptr<Controller> ControllerReader::read_law() {
  const std::vector<std::string> laws = law_names();
  const std::string law = map_.needed_text("law", one_of(laws));
  if (law == "pid") map_.need("ki", "the gain of the integral");
  if (law == "pd" || law == "pid") return read_feedback(FeedbackLaw::pd);
  if (law == "computed-torque") return read_feedback(FeedbackLaw::computed_torque);
  if (law == "feed-forward") return read_feedback(FeedbackLaw::feed_forward);
  if (law == "state-feedback") return read_state_feedback();
  if (law == "impedance") return read_impedance();
  if (law == "operational-space") return read_operational_space();
  if (law == "adaptive") return read_adaptive();
  if (!law.empty())
    map_.complain("law", "found " + in_quotes(law), one_of(laws), nearest_name_hint(law, laws));
  return nullptr;
}

std::shared_ptr<Controller> ControllerReader::read_feedback(FeedbackLaw law) {
  auto feedback = std::make_shared<Feedback>();
  feedback->law = law;
  feedback->kp = gains("kp", 0);
  feedback->kd = gains("kd", 0);
  if (map_.has("ki")) feedback->ki = gains("ki", 0);
  feedback->limit = limits();
  if (map_.has("integral_limit")) feedback->integral_limit = gains("integral_limit", INFINITY);
  feedback->gravity = map_.boolean("gravity", false);
  if (feedback->gravity && law != FeedbackLaw::pd)
    map_.complain("gravity", fmt::format("{} already includes gravity", name_of(law)),
                  "gravity with the laws pd and pid only");
  return feedback;
}

void ControllerReader::read_timing(Controller& controller) {
  if (map_.has("rate")) {
    const double rate = map_.number("rate", quantity::frequency, 1);
    if (!(rate > 0)) map_.complain("rate", fmt::format("the rate is {} Hz", rate), "above 0");
    controller.period = 1 / rate;
  }
  controller.delay = map_.number("delay", quantity::time, 0);
}

/// Names, or all encoders and tachometers.
void ControllerReader::read_sensors(Controller& controller) {
  const YamlNode* node = map_.find("sensors");
  if (!node) return;
  if (node->kind == YamlNode::Kind::scalar && node->text == "all") {
    for (const Sensor& sensor : e_.sensors)
      if (sensor.speed >= 0) controller.sensors.push_back(sensor.name);
    if (controller.sensors.empty())
      map_.complain("sensors", "there is no encoder and no tachometer", "sensors of joints");
    return;
  }
  for (const YamlNode& item : read_list(context_, *node, map_.element() + ", sensors"))
    controller.sensors.push_back(read_text(context_, item, map_.element() + ", sensors"));
}

void ControllerReader::read_outer(Controller& controller) {
  const YamlNode* node = map_.find("feedback");
  if (!node) return;
  const std::string element = map_.element() + ", feedback";
  for (const YamlNode& item : read_list(context_, *node, element)) {
    const YamlMap map(context_, item, element, {"channel", "frame", "kp", "ki"});
    if (map.has("channel") == map.has("frame")) {
      map.complain({}, "neither or both of channel and frame are given", "one of them");
      continue;
    }
    OuterFeedback outer;
    try {
      if (map.has("frame")) outer.frame = e_.model->frame(map.text("frame"));
      outer.channel = map.text("channel");
      const std::string reason =
          outer.channel.empty() ? std::string() : why_no_feedback_of(e_, outer.channel);
      if (!reason.empty())
        map.complain("channel", in_quotes(outer.channel) + " " + reason,
                     "a channel that follows from coordinates and speeds");
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        map.complain(map.has("frame") ? "frame" : "channel", p.message, p.expectation, p.hint);
    }
    // The sign of a gain on a channel depends on what the channel is.
    const double least = outer.channel.empty() ? 0 : -INFINITY;
    outer.kp = gains(map, "kp", 0, least);
    if (map.has("ki")) outer.ki = gains(map, "ki", 0, least);
    if (!map.has("kp") && !map.has("ki")) map.complain({}, "it has no gain", "kp, ki or both");
    controller.feedback.push_back(std::move(outer));
  }
}

Eigen::VectorXd ControllerReader::limits() {
  const YamlNode* limit = map_.find("limit");
  if (!limit) return {};
  return limit->kind == YamlNode::Kind::scalar && limit->text == "robot" ? e_.model->effort_limit()
                                                                         : gains("limit", INFINITY);
}

/// Those named, or all that the drives give to controllers.
void ControllerReader::read_joints() {
  const YamlNode* node = map_.find("joints");
  if (!node || (node->kind == YamlNode::Kind::scalar && node->text == "all")) {
    for (std::size_t j = 0; j < e_.drives.size(); ++j)
      if (e_.drives[j].kind == DriveKind::controller) joints_.push_back(static_cast<int>(j));
    if (joints_.empty())
      map_.complain("joints", "no joint is driven by a controller",
                    "'controller' under drives, for the joints it drives");
    return;
  }
  for (const YamlNode& item : read_list(context_, *node, map_.element() + ", joints")) {
    const std::string name = read_text(context_, item, map_.element() + ", joints");
    try {
      joints_.push_back(e_.model->joint(name));
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        context_.problems.add(context_.mark(item), map_.element() + ", joints", p.message,
                              p.expectation, p.hint);
    }
  }
}

std::vector<int> ControllerReader::speeds_of_joints() const {
  std::vector<int> speeds;
  for (const int j : joints_)
    for (int k = 0; k < e_.model->joints()[j].speeds; ++k)
      speeds.push_back(e_.model->joints()[j].v + k);
  return speeds;
}

Eigen::VectorXd ControllerReader::gains(const YamlMap& map, const std::string& key, double fallback,
                                        double least) {
  Eigen::VectorXd values = Eigen::VectorXd::Constant(e_.model->speeds(), fallback);
  const YamlNode* node = map.find(key);
  if (!node) return values;
  const std::string element = map.element() + ", " + key;
  const auto read = [&](const YamlNode& item) {
    const double x = read_number(context_, item, element, quantity::number);
    if (!(x >= least))
      context_.problems.add(context_.mark(item), element, fmt::format("found {}", x), "0 or more");
    return x;
  };
  const std::vector<int> speeds = speeds_of_joints();
  if (node->kind == YamlNode::Kind::sequence) {
    if (node->items.size() != speeds.size()) {
      map.complain(key, fmt::format("{} values", node->items.size()),
                   fmt::format("{}, one for each speed of its joints", speeds.size()));
      return values;
    }
    for (std::size_t i = 0; i < speeds.size(); ++i) values(speeds[i]) = read(node->items[i]);
  } else if (node->kind == YamlNode::Kind::map) {
    for (const YamlEntry& entry : node->entries) {
      bool known = false;
      for (const int j : joints_)
        if (const Joint& joint = e_.model->joints()[j]; joint.name == entry.key) {
          values.segment(joint.v, joint.speeds).setConstant(read(entry.value));
          known = true;
        }
      if (!known)
        context_.problems.add({context_.file, entry.line, entry.column}, element,
                              fmt::format("it has no joint {}", in_quotes(entry.key)));
    }
  } else {
    const double x = read(*node);
    for (const int k : speeds) values(k) = x;
  }
  return values;
}

std::shared_ptr<const Controller> read_controller(YamlContext& context, const YamlNode& node,
                                                  const Experiment& experiment,
                                                  const std::string& folder,
                                                  const ReadOptions& options) {
  return ControllerReader(context, node, experiment, folder, options).read();
}

}  // namespace ulna
