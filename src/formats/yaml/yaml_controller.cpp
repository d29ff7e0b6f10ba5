#include "yaml/yaml_controller.hpp"

#include <fmt/format.h>

#include "wording.hpp"

namespace ulna {
namespace {

class ControllerReader {
 public:
  ControllerReader(YamlContext& context, const YamlNode& node, const Experiment& experiment)
      : context_(context),
        e_(experiment),
        model_(*experiment.model),
        map_(context, node, "controller",
             {"name", "law", "joints", "kp", "kd", "ki", "gravity", "limit", "integral_limit",
              "rate"}) {}

  std::shared_ptr<const Controller> read() {
    const std::size_t before = context_.problems.count();
    read_law();
    read_joints();
    feedback_->kp = gains("kp", 0);
    feedback_->kd = gains("kd", 0);
    if (map_.has("ki")) feedback_->ki = gains("ki", 0);
    if (map_.has("limit")) {
      const YamlNode& limit = *map_.find("limit");
      feedback_->limit = limit.kind == YamlNode::Kind::scalar && limit.text == "robot"
                             ? model_.effort_limit()
                             : gains("limit", INFINITY);
    }
    if (map_.has("integral_limit")) feedback_->integral_limit = gains("integral_limit", INFINITY);
    feedback_->gravity = map_.boolean("gravity", false);
    if (feedback_->gravity && feedback_->law != FeedbackLaw::pd)
      map_.complain("gravity", fmt::format("{} already knows gravity", name_of(feedback_->law)),
                    "gravity with the laws pd and pid only");
    if (map_.has("rate")) {
      const double rate = map_.number("rate", quantity::frequency, 1);
      if (!(rate > 0)) map_.complain("rate", fmt::format("the rate is {} Hz", rate), "above 0");
      feedback_->period = 1 / rate;
    }
    return context_.problems.count() == before ? feedback_ : nullptr;
  }

 private:
  void read_law() {
    const std::vector<std::string> laws = {"pd", "pid", "computed-torque", "feed-forward"};
    const std::string law = map_.needed_text("law", one_of(laws));
    if (law == "pd" || law == "pid")
      feedback_->law = FeedbackLaw::pd;
    else if (law == "computed-torque")
      feedback_->law = FeedbackLaw::computed_torque;
    else if (law == "feed-forward")
      feedback_->law = FeedbackLaw::feed_forward;
    else if (!law.empty())
      map_.complain("law", "found " + in_quotes(law), one_of(laws), nearest_name_hint(law, laws));
    if (law == "pid") map_.need("ki", "the gain of the integral");
  }

  /// Those named, or all that the drives give to controllers.
  void read_joints() {
    const YamlNode* node = map_.find("joints");
    if (!node || (node->kind == YamlNode::Kind::scalar && node->text == "all")) {
      for (std::size_t j = 0; j < e_.drives.size(); ++j)
        if (e_.drives[j].kind == DriveKind::controller)
          feedback_->joints.push_back(static_cast<int>(j));
      if (feedback_->joints.empty())
        map_.complain("joints", "no joint is driven by a controller",
                      "'controller' under drives, for the joints it drives");
      return;
    }
    for (const YamlNode& item : read_list(context_, *node, map_.element() + ", joints")) {
      const std::string name = read_text(context_, item, map_.element() + ", joints");
      try {
        feedback_->joints.push_back(model_.joint(name));
      } catch (const InputError& error) {
        for (const Problem& p : error.problems())
          context_.problems.add(context_.mark(item), map_.element() + ", joints", p.message,
                                p.expectation, p.hint);
      }
    }
  }

  /// A number for all its joints, a list with one per speed of its joints, or a map by joint.
  Eigen::VectorXd gains(const std::string& key, double fallback) {
    Eigen::VectorXd values = Eigen::VectorXd::Constant(model_.speeds(), fallback);
    const YamlNode* node = map_.find(key);
    if (!node) return values;
    const std::string element = map_.element() + ", " + key;
    const auto read = [&](const YamlNode& item) {
      const double x = read_number(context_, item, element, quantity::number);
      if (!(x >= 0))
        context_.problems.add(context_.mark(item), element, fmt::format("found {}", x),
                              "0 or more");
      return x;
    };
    std::vector<int> speeds;
    for (const int j : feedback_->joints)
      for (int k = 0; k < model_.joints()[j].speeds; ++k)
        speeds.push_back(model_.joints()[j].v + k);
    if (node->kind == YamlNode::Kind::sequence) {
      if (node->items.size() != speeds.size()) {
        map_.complain(key, fmt::format("{} values", node->items.size()),
                      fmt::format("{}, one for each speed of its joints", speeds.size()));
        return values;
      }
      for (std::size_t i = 0; i < speeds.size(); ++i) values(speeds[i]) = read(node->items[i]);
    } else if (node->kind == YamlNode::Kind::map) {
      for (const YamlEntry& entry : node->entries) {
        bool known = false;
        for (const int j : feedback_->joints)
          if (const Joint& joint = model_.joints()[j]; joint.name == entry.key) {
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

  YamlContext& context_;
  const Experiment& e_;
  const Model& model_;
  YamlMap map_;
  std::shared_ptr<Feedback> feedback_ = std::make_shared<Feedback>();
};

}  // namespace

std::shared_ptr<const Controller> read_controller(YamlContext& context, const YamlNode& node,
                                                  const Experiment& experiment) {
  return ControllerReader(context, node, experiment).read();
}

}  // namespace ulna
