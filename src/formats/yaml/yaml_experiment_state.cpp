// States in an experiment file: `start` and `goal`.

#include <fmt/format.h>

#include <cmath>

#include "ulna/kinematics/posture.hpp"
#include "wording.hpp"
#include "yaml/yaml_experiment_reader.hpp"

namespace ulna {

void ExperimentReader::read_start() {
  const YamlNode* node = map_.find("start");
  if (!node) return;
  const YamlMap map(context_, *node, "start", {"q", "v"});
  if (const YamlNode* q = map.find("q")) {
    Eigen::VectorXd values = start_of_motions(e_).q;
    const bool named = q->kind == YamlNode::Kind::scalar;  // a posture of the robot
    if (!named) read_state(*q, "start, q", true, values, e_.keep_q);
    try {
      e_.q = named ? posture(model(), q->text) : model().normalized(values);
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        context_.problems.add(context_.mark(*q), "start, q", p.message, p.expectation, p.hint);
    }
  }
  if (const YamlNode* v = map.find("v")) {
    Eigen::VectorXd values = start_of_motions(e_).v;
    read_state(*v, "start, v", false, values, e_.keep_v);
    e_.v = values;
  }
}

/// All values in a list, or those of some joints in a map: with loops these are kept, and the
/// others follow.
void ExperimentReader::read_state(const YamlNode& node, const std::string& element,
                                  bool coordinates, Eigen::VectorXd& values,
                                  std::vector<char>& keep) {
  const std::span<const Dimension> dimensions =
      coordinates ? model().coordinate_dimensions() : model().speed_dimensions();
  const auto read_one = [&](const YamlNode& item, int k) {
    const bool slides = dimensions[k] == Dimension::length;
    const Quantity& q = dimensions[k] == Dimension::number ? quantity::number
                        : coordinates ? (slides ? quantity::length : quantity::angle)
                                      : (slides ? quantity::velocity : quantity::angular_velocity);
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
void ExperimentReader::read_goal() {
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

}  // namespace ulna
