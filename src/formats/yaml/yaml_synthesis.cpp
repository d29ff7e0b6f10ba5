#include <fmt/format.h>

#include <cmath>

#include "orientation.hpp"
#include "text_file.hpp"
#include "ulna/formats/internal/read_synthesis.hpp"
#include "wording.hpp"
#include "yaml/file_kind.hpp"
#include "yaml/yaml_joint.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {
namespace {

class SynthesisReader {
 public:
  SynthesisReader(YamlContext& context, const YamlNode& root, const Robot& robot)
      : context_(context),
        map_(context, root, "synthesis",
             {"synthesis", "description", "frame", "targets", "phase", "variables", "transmission",
              "grashof", "size", "speed"}),
        robot_(robot) {}

  SynthesisTask read() {
    const YamlNode* version = map_.need("synthesis", "'synthesis: 1', the version of this format");
    if (version && (version->kind != YamlNode::Kind::scalar || version->text != "1"))
      map_.complain("synthesis", fmt::format("version {}", describe(*version)), "'synthesis: 1'");
    task_.frame = map_.needed_text("frame", "the frame that shall meet the targets");
    read_phase();
    read_targets();
    read_variables();
    read_transmission();
    read_grashof();
    task_.size = map_.number("size", quantity::length, task_.size);
    read_speed();
    return std::move(task_);
  }

 private:
  void read_phase() {
    const std::string phase = map_.text("phase", "given");
    if (phase != "free" && phase != "given")
      map_.complain("phase", "found " + in_quotes(phase), "free or given",
                    nearest_name_hint(phase, {"free", "given"}));
    task_.free_phase = phase == "free";
  }

  void read_targets() {
    const YamlNode* list = map_.need("targets", "a list of {at: [x, y, z], input: {joint: value}}");
    if (!list) return;
    for (const YamlNode& item : read_list(context_, *list, "targets")) {
      const YamlMap map(context_, item, "target", {"at", "rpy", "input"});
      SynthesisTarget target;
      if (map.need("at", "[x, y, z]"))
        target.position = map.vector("at", quantity::length, target.position);
      if (map.has("rpy"))
        target.rotation =
            rotation_from_rpy(map.vector("rpy", quantity::angle, Vector3<double>::Zero()));
      if (const YamlNode* input = map.find("input")) {
        if (input->kind != YamlNode::Kind::map)
          map.complain("input", "found " + describe(*input), "{joint: value}");
        else
          for (const YamlEntry& entry : input->entries)
            target.inputs.push_back(
                {entry.key, read_number(context_, entry.value, "target, input", unit(entry.key))});
      }
      task_.targets.push_back(std::move(target));
    }
  }

  const Quantity& unit(const std::string& joint) const {
    for (const JointData& data : robot_.joints)
      if (data.name == joint && first_slides(data.type)) return quantity::length;
    return quantity::angle;
  }

  void read_variables() {
    const YamlNode* list =
        map_.need("variables", "a list of {name, of: joint.NAME.at.x, from: 1 mm, to: 1 m}");
    if (!list) return;
    for (const YamlNode& item : read_list(context_, *list, "variables")) {
      const YamlMap map(context_, item, "variable", {"name", "of", "from", "to"});
      const YamlNode* of =
          map.need("of", "joint.NAME.at.x, frame.NAME.at.x, ... or a list of them");
      if (!of) continue;
      std::vector<std::string> places;
      if (of->kind == YamlNode::Kind::sequence)
        for (const YamlNode& place : of->items)
          places.push_back(read_text(context_, place, map.element() + ", of"));
      else
        places.push_back(read_text(context_, *of, map.element() + ", of"));
      try {
        DesignVariable variable =
            design_variable(robot_, map.text("name", places.front()), places, 0, 0);
        const bool turn = variable.places[0].kind == DesignPlace::Kind::joint_turn;
        const Quantity& q = turn ? quantity::angle : quantity::length;
        if (map.need("from", "the lower bound")) variable.lower = map.number("from", q, 0);
        if (map.need("to", "the upper bound")) variable.upper = map.number("to", q, 1);
        if (!(variable.lower < variable.upper))
          map.complain("to", fmt::format("from {:.6g} to {:.6g}", variable.lower, variable.upper),
                       "the lower bound before the upper one");
        task_.variables.push_back(std::move(variable));
      } catch (const InputError& error) {
        for (const Problem& p : error.problems())
          map.complain("of", p.message, p.expectation, p.hint);
      }
    }
  }

  /// Names of joints, exactly `count`.
  std::vector<std::string> joints(const YamlMap& map, std::size_t count) {
    std::vector<std::string> names;
    const YamlNode* list = map.need("joints", fmt::format("a list of {} joints", count));
    if (!list) return std::vector<std::string>(count);
    for (const YamlNode& item : read_list(context_, *list, map.element() + ", joints"))
      names.push_back(read_text(context_, item, map.element() + ", joints"));
    if (names.size() != count)
      map.complain("joints", fmt::format("{} joints", names.size()), fmt::format("{}", count));
    names.resize(count);
    return names;
  }

  void read_transmission() {
    const YamlNode* node = map_.find("transmission");
    if (!node) return;
    const YamlMap map(context_, *node, "transmission", {"joints", "least"});
    const std::vector<std::string> names = joints(map, 3);
    map.need("least", "an angle");
    task_.transmission =
        TransmissionAngle{names[0], names[1], names[2], map.number("least", quantity::angle, 0)};
  }

  void read_grashof() {
    const YamlNode* node = map_.find("grashof");
    if (!node) return;
    const YamlMap map(context_, *node, "grashof", {"joints", "type"});
    GrashofCondition condition;
    const std::vector<std::string> names = joints(map, 4);
    for (int k = 0; k < 4; ++k) condition.joints[k] = names[k];
    const std::string name = map.text("type", "crank-rocker");
    if (const auto type = grashof_from_name(name))
      condition.type = *type;
    else
      map.complain(
          "type", "found " + in_quotes(name), "crank-rocker, double-crank, double-rocker or any",
          nearest_name_hint(name, {"crank-rocker", "double-crank", "double-rocker", "any"}));
    task_.grashof = condition;
  }

  void read_speed() {
    const YamlNode* node = map_.find("speed");
    if (!node) return;
    const YamlMap map(context_, *node, "speed", {"input", "limit"});
    const std::string input = map.needed_text("input", "the joint that drives");
    map.need("limit", "a velocity of the frame");
    const double limit = map.number("limit", quantity::velocity, 1);
    if (!(limit > 0)) map.complain("limit", fmt::format("{} m/s", limit), "a velocity above 0");
    task_.speed_limit = std::pair{input, limit};
  }

  YamlContext& context_;
  YamlMap map_;
  const Robot& robot_;
  SynthesisTask task_;
};

}  // namespace

SynthesisTask read_synthesis_task_text(const std::string& text, const std::string& file_name,
                                       const Robot& robot) {
  check_text(text, file_name, largest_yaml);
  YamlContext context{file_name, {}, {}};
  const YamlNode root = parse_file_of(FileKind::synthesis, text, file_name);
  SynthesisTask task = SynthesisReader(context, root, robot).read();
  context.problems.throw_if_any();
  return task;
}

SynthesisTask read_synthesis_task(const std::string& path, const Robot& robot) {
  return read_synthesis_task_text(read_text_file(path, largest_yaml), path, robot);
}

}  // namespace ulna
