#include "urdf/urdf_companion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "text_file.hpp"
#include "wording.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

bool has_key(const std::string& text, const std::string& key) {
  return text.starts_with(key + ":") || text.find("\n" + key + ":") != std::string::npos;
}

class CompanionReader {
 public:
  CompanionReader(ReadResult& urdf, const std::string& file)
      : urdf_(urdf), context_{file, {}, {}} {}

  void run(const YamlNode& root) {
    for (const YamlEntry& entry : root.entries)
      if (entry.key == "closed_loop")
        loops_ = read_list(context_, entry.value, "closed_loop");
      else if (entry.key == "type")
        types_ = read_list(context_, entry.value, "type");
      else if (entry.key == "name_mot")
        urdf_.report.used.push_back({context_.mark(entry.value), "name_mot",
                                     "names of the motors: give them to --actuated"});
      else
        urdf_.report.ignored.push_back({{context_.file, entry.line, entry.column},
                                        entry.key,
                                        "ignored: not part of the loops"});
    if (!types_.empty() && types_.size() != loops_.size())
      context_.problems.add(context_.mark(types_.front()), "type",
                            fmt::format("{} types", types_.size()),
                            fmt::format("{}, one for each pair of closed_loop", loops_.size()));
    for (std::size_t k = 0; k < loops_.size(); ++k) close(loops_[k], k);
    context_.problems.throw_if_any();
    free_joints();
  }

 private:
  void close(const YamlNode& pair, std::size_t k) {
    const std::vector<YamlNode>& ends = read_list(context_, pair, "closed_loop");
    if (ends.size() != 2) {
      context_.problems.add(context_.mark(pair), "closed_loop",
                            fmt::format("{} frames", ends.size()), "a pair of frames");
      return;
    }
    const std::optional<std::string> a = link(ends[0]), b = link(ends[1]);
    const std::string type = k < types_.size() ? read_text(context_, types_[k], "type") : "6d";
    if (type != "3d" && type != "6d")
      context_.problems.add(context_.mark(types_[k]), "type", "found " + in_quotes(type),
                            "'3d' or '6d'");
    if (!a || !b) return;
    JointData joint;
    joint.name = unique(ends[0].text + "_" + ends[1].text);
    joint.type = type == "3d" ? JointType::spherical : JointType::fixed;
    joint.degrees.resize(static_cast<std::size_t>(size_of(joint.type).speeds));
    joint.parent = *a;
    joint.child = *b;
    joint.cut = true;
    joint.mark = context_.mark(pair);
    urdf_.report.used.push_back(
        {joint.mark, "joint " + in_quotes(joint.name),
         fmt::format("{} joint that closes a loop from {} to {}", name_of(joint.type),
                     in_quotes(joint.parent), in_quotes(joint.child))});
    urdf_.robot.joints.push_back(std::move(joint));
  }

  /// Files of this kind leave out lower and upper, which by the rule of URDF are 0 then: joints
  /// that stand still close no loop.
  void free_joints() {
    for (JointData& joint : urdf_.robot.joints)
      for (DegreeData& degree : joint.degrees) {
        if (degree.lower != 0 || degree.upper != 0) continue;
        degree.lower = -DegreeData::unlimited;
        degree.upper = DegreeData::unlimited;
        urdf_.report.changed.push_back(
            {joint.mark, "joint " + in_quotes(joint.name),
             "<limit> leaves the single position 0: taken as unlimited, as it is part of a robot "
             "with loops"});
      }
  }

  std::optional<std::string> link(const YamlNode& node) {
    const std::string name = read_text(context_, node, "closed_loop");
    std::vector<std::string> known = {world_name};
    for (const BodyData& body : urdf_.robot.bodies) known.push_back(body.name);
    if (std::find(known.begin(), known.end(), name) != known.end()) return name;
    for (const JointData& joint : urdf_.robot.joints) {
      if (joint.name == name) return joint.child;
      known.push_back(joint.name);
    }
    if (!name.empty())
      context_.problems.add(
          context_.mark(node), "closed_loop", "there is no frame " + in_quotes(name),
          "a link or joint of " + in_quotes(urdf_.robot.source), nearest_name_hint(name, known));
    return std::nullopt;
  }

  std::string unique(std::string name) const {
    const auto taken = [&] {
      return std::any_of(urdf_.robot.joints.begin(), urdf_.robot.joints.end(),
                         [&](const JointData& joint) { return joint.name == name; });
    };
    while (taken()) name += "_";
    return name;
  }

  ReadResult& urdf_;
  YamlContext context_;
  std::vector<YamlNode> loops_, types_;
};

void close_loops(ReadResult& urdf, const std::string& text, const std::string& file) {
  check_text(text, file, largest_yaml);
  CompanionReader(urdf, file).run(parse_yaml(text, file));
}

}  // namespace

bool looks_like_companion(const std::string& text) {
  return has_key(text, "closed_loop") && !has_key(text, "ulna");
}

ReadResult read_companion(const std::string& text, const std::string& file,
                          const ReadOptions& options) {
  const std::string beside = fs::path(file).replace_extension(".urdf").string();
  std::error_code error;
  if (!fs::is_regular_file(beside, error))
    throw InputError(Problem{{file, 1, 1},
                             {},
                             "loops of an extended URDF, without the URDF",
                             in_quotes(beside) + " beside it",
                             {}});
  ReadResult urdf = read_urdf_text(read_text_file(beside, largest_xml), beside, options);
  close_loops(urdf, text, file);
  return urdf;
}

void add_companion_loops(ReadResult& urdf, const std::string& urdf_file) {
  for (const char* ending : {".yaml", ".yml"}) {
    const std::string beside = fs::path(urdf_file).replace_extension(ending).string();
    std::error_code error;
    if (!fs::is_regular_file(beside, error) || fs::file_size(beside, error) > largest_yaml || error)
      continue;
    const std::string text = read_text_file(beside, largest_yaml);
    if (looks_like_companion(text)) return close_loops(urdf, text, beside);
  }
}

}  // namespace ulna
