#include <fmt/format.h>

#include "text_file.hpp"
#include "ulna/formats/internal/read_speeds.hpp"
#include "yaml/yaml_values.hpp"

namespace ulna {

GeneralizedSpeeds read_speeds_text(const std::string& text, const std::string& file_name) {
  check_text(text, file_name, largest_yaml);
  const YamlNode root = parse_yaml(text, file_name);
  const YamlNode* map = &root;
  if (root.kind == YamlNode::Kind::map && root.entries.size() == 1 &&
      root.entries[0].key == "speeds" && root.entries[0].value.kind == YamlNode::Kind::map)
    map = &root.entries[0].value;
  const auto refuse = [&](const YamlNode& node, const std::string& element) {
    throw InputError(Problem{{file_name, node.line, node.column},
                             element,
                             "found " + describe(node),
                             "one formula for each speed, as u1: cos(q.joint2)*v.joint1 + t",
                             {}});
  };
  if (map->kind != YamlNode::Kind::map || map->entries.empty()) refuse(*map, "speeds");
  GeneralizedSpeeds speeds{file_name, {}};
  for (const YamlEntry& entry : map->entries) {
    if (entry.value.kind != YamlNode::Kind::scalar)
      refuse(entry.value, fmt::format("speed '{}'", entry.key));
    speeds.formulas.emplace_back(entry.key, entry.value.text);
  }
  return speeds;
}

GeneralizedSpeeds read_speeds(const std::string& path) {
  return read_speeds_text(read_text_file(path, largest_yaml), path);
}

}  // namespace ulna
