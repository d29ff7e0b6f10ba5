// What moves the joints in an experiment file: `motions` and `drives`.

#include <fmt/format.h>

#include "wording.hpp"
#include "yaml/yaml_experiment_reader.hpp"

namespace ulna {

/// Index of a joint that has freedoms of its own, or -1 with the problem noted.
int ExperimentReader::joint_named(const std::string& name, const SourceMark& mark,
                                  const std::string& element) {
  std::vector<std::string> known;
  for (std::size_t j = 0; j < model().joints().size(); ++j) {
    if (model().joints()[j].speeds > 0) known.push_back(model().joints()[j].name);
    if (model().joints()[j].name == name) return static_cast<int>(j);
  }
  context_.problems.add(mark, element,
                        fmt::format("robot '{}' has no joint {}", model().name(), in_quotes(name)),
                        one_of(known), nearest_name_hint(name, known));
  return -1;
}

/// One function per speed of the joint: a single one, or a list.
std::vector<ScalarMotionPtr> ExperimentReader::read_functions(const YamlNode& node, int j,
                                                              const std::string& element,
                                                              bool effort) {
  const Joint& joint = model().joints()[j];
  std::vector<ScalarMotionPtr> functions;
  const bool list = node.kind == YamlNode::Kind::sequence;
  const std::size_t count = list ? node.items.size() : 1;
  if (static_cast<int>(count) != joint.speeds) {
    context_.problems.add(context_.mark(node), element, fmt::format("{} functions of time", count),
                          joint.speeds == 0
                              ? "none: the joint has no freedom of its own"
                              : fmt::format("{}, one for each degree of freedom of a {} joint",
                                            joint.speeds, name_of(joint.type)));
    return {};
  }
  for (int k = 0; k < joint.speeds; ++k) {
    const bool slides = model().speed_dimensions()[joint.v + k] == Dimension::length;
    const Quantity& q = effort ? (slides ? quantity::force : quantity::torque)
                               : (slides ? quantity::length : quantity::angle);
    ScalarMotionPtr f = read_motion(motions_, list ? node.items[k] : node, element, q);
    if (!f) return {};
    functions.push_back(std::move(f));
  }
  return functions;
}

void ExperimentReader::read_motions() {
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

void ExperimentReader::read_drives() {
  const YamlNode* node = map_.find("drives");
  if (!node) return;
  for_each_joint(*node, "drives", [&](int j, const YamlNode& value) { read_drive(j, value); });
}

void ExperimentReader::read_drive(int j, const YamlNode& value) {
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

}  // namespace ulna
