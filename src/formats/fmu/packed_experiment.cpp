#include "fmu/packed_experiment.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "fmu/embedded_c.hpp"
#include "text_file.hpp"
#include "ulna/formats/write_robot.hpp"
#include "yaml/yaml_experiment_reader.hpp"
#include "yaml/yaml_tree.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

/// The text with its robot in the file robot.yaml.
std::string with_packed_robot(const std::string& text, const std::string& file) {
  std::istringstream lines(text);
  std::string out;
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    const bool robot = line.starts_with("robot:") || line.starts_with("\"robot\":") ||
                       line.starts_with("'robot':");
    out += (robot ? "robot: robot.yaml" : line) + "\n";
    found = found || robot;
  }
  if (!found)
    throw InputError(Problem{{file, 0, 0},
                             "robot",
                             "no line begins with this key",
                             "an experiment file in block style",
                             "ulna fmu packs the robot and writes this line"});
  return out;
}

/// Names of files under the keys that may name one.
void collect_names(const YamlNode& node, const std::string& key, std::vector<std::string>& names) {
  const bool names_a_file = key == "table" || key == "model" || key == "file";
  if (node.kind == YamlNode::Kind::scalar && names_a_file) names.push_back(node.text);
  for (const YamlNode& item : node.items) collect_names(item, key, names);
  for (const YamlEntry& entry : node.entries)
    if (!(key.empty() && entry.key == "robot"))
      collect_names(entry.value, entry.key == "robot" ? "file" : entry.key, names);
}

std::vector<SourceFile> named_files(const ReadExperiment& read) {
  std::vector<std::string> names;
  collect_names(parse_yaml(read.text, read.experiment.source), "", names);
  const fs::path folder = fs::path(read.experiment.source).parent_path();
  std::vector<SourceFile> files;
  for (const std::string& name : names) {
    std::error_code ignored;
    if (!fs::is_regular_file(folder / name, ignored)) continue;  // the name of a shipped robot
    if (fs::path(name).is_absolute() || name.find("..") != std::string::npos)
      throw InputError(Problem{{read.experiment.source, 0, 0},
                               name,
                               "lies outside the folder of the experiment",
                               "files beside the experiment file",
                               "copy it there"});
    constexpr std::size_t most = 64 * megabyte;
    bool known = false;
    for (const SourceFile& file : files) known |= file.name == name;
    if (!known) files.push_back({name, read_text_file((folder / name).string(), most)});
  }
  return files;
}

}  // namespace

std::vector<SourceFile> packed_experiment(const ReadExperiment& read,
                                          const ExperimentParameters& parameters,
                                          const FmuVariables& variables) {
  const std::string& source = read.experiment.source;
  const ReadResult robot =
      read_robot_beside(fs::path(source).parent_path().string(), parameters.value("robot"), {});
  std::string list;
  for (const FmuVariable& p : variables.parameters)
    list += fmt::format("parameter {} {}\n", p.name, p.start);
  for (const FmuVariable& u : variables.inputs) list += fmt::format("input {}\n", u.name);
  for (const FmuVariable& y : variables.outputs) list += fmt::format("output {}\n", y.name);
  std::vector<SourceFile> files = {{"experiment.yaml", with_packed_robot(read.text, source)},
                                   {"robot.yaml", write_robot_yaml(robot.robot)},
                                   {"model.txt", list}};
  for (SourceFile& file : named_files(read)) files.push_back(std::move(file));
  return files;
}

std::string embedded_c(const std::string& name) {
  for (const EmbeddedC* file = embedded_c_files; file->name; ++file)
    if (name == file->name) return file->text;
  throw InputError(fmt::format("there is no C file {}", name));
}

}  // namespace ulna
