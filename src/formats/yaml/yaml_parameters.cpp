#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "shipped.hpp"
#include "text_file.hpp"
#include "ulna/formats/internal/experiment_draft.hpp"
#include "ulna/formats/parameters.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/model/model.hpp"
#include "ulna/model/parts/beam.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/simulation/internal/check_again.hpp"
#include "wording.hpp"
#include "yaml/yaml_experiment_editor.hpp"
#include "yaml/yaml_experiment_reader.hpp"
#include "yaml/yaml_parts.hpp"
#include "yaml/yaml_place.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

constexpr std::array robot_heads = {"bodies",   "joints", "beams",    "constraints",
                                    "elements", "frames", "payloads", "loop_tolerance"};

std::string head_of(const std::string& path) { return path.substr(0, path.find('.')); }

void set_values(YamlNode& root, const std::vector<ParameterValue>& values) {
  for (const ParameterValue& given : values)
    for (YamlNode* place : place_in(root, given.path)) {
      place->kind = YamlNode::Kind::scalar;
      place->text = given.value;
    }
}

/// What the reader says of a changed file, said of the values that changed it.
[[noreturn]] void refuse_values(const InputError& error,
                                const std::vector<ParameterValue>& values) {
  const Problem& first = error.problems().front();
  std::string paths, texts;
  for (const ParameterValue& p : values) {
    paths += (paths.empty() ? "" : ", ") + p.path;
    texts += (texts.empty() ? "'" : ", '") + p.value + "'";
  }
  const std::string what = first.element.empty() ? "" : first.element + ": ";
  throw InputError(Problem{{},
                           paths,
                           fmt::format("{}: {}{}", texts, what, first.message),
                           first.expectation,
                           first.hint});
}

/// The robot file that a robot came from, when it is one.
std::string text_of_source(const std::string& source) {
  std::error_code ignored;
  const std::string extension = fs::path(source).extension().string();
  if (extension != ".yaml" && extension != ".yml") return {};
  if (fs::is_regular_file(source, ignored)) return read_text_file(source, largest_yaml);
  return find_embedded_robot(fs::path(source).stem().string()).value_or("");
}

}  // namespace

void keep_polar(const Robot& before, Robot& after) {
  const auto polar = [](const Section& s) {
    const Section numbers = numbers_of(s);
    return *numbers.Iy + *numbers.Iz;
  };
  for (std::size_t b = 0; b < std::min(before.bodies.size(), after.bodies.size()); ++b)
    for (std::size_t k = 0; k < after.bodies[b].beams.size(); ++k)
      for (std::size_t i = 0; i < after.bodies[b].beams[k].sections.size(); ++i) {
        const Section& old = before.bodies[b].beams[k].sections[i];
        Section& now = after.bodies[b].beams[k].sections[i];
        const bool shaped = old.shape != Section::Shape::numbers && old.shape == now.shape;
        if (shaped && old.J && now.J && *old.J == *now.J && *old.J == polar(old))
          now.J = polar(now);
      }
}

ParameterValue parameter(std::string path, double value) {
  return {std::move(path), fmt::format("{}", value)};
}

bool is_robot_path(const std::string& path) {
  const std::string head = head_of(path);
  if (head == "gravity" || head == "loop_tolerance") return true;
  return head != path &&
         std::find(robot_heads.begin(), robot_heads.end(), head) != robot_heads.end();
}

struct RobotParameters::File {
  Robot robot;
  YamlNode root;
};

RobotParameters::RobotParameters(const Robot& robot) {
  File file{robot, {}};
  const std::string written = write_robot_yaml(robot);
  try {
    const std::string text = text_of_source(robot.source);
    Robot read = text.empty() ? Robot() : read_robot_yaml_text(text, robot.source).robot;
    // Commands set these two beside the file.
    read.gravity = robot.gravity, read.loop_tolerance = robot.loop_tolerance;
    if (!text.empty() && write_robot_yaml(read) == written) {
      file.root = parse_yaml(text, robot.source);
      std::vector<ParameterValue> beside = {parameter("loop_tolerance", robot.loop_tolerance)};
      for (int k = 0; k < 3; ++k)
        beside.push_back(parameter(fmt::format("gravity.{}", k), robot.gravity(k)));
      set_values(file.root, beside);
    }
  } catch (const InputError&) {
    file.root = {};  // the file is another one by now; the robot itself is what counts
  }
  if (file.root.kind == YamlNode::Kind::null) file.root = parse_yaml(written, robot.source);
  file_ = std::make_shared<const File>(std::move(file));
}

Robot RobotParameters::with(const std::vector<ParameterValue>& values) const {
  if (values.empty()) return file_->robot;
  YamlNode root = file_->root;
  set_values(root, values);
  try {
    Robot changed = read_robot_yaml_tree(root, file_->robot.source, {}).robot;
    changed.source = file_->robot.source;
    keep_polar(file_->robot, changed);
    return changed;
  } catch (const InputError& error) {
    refuse_values(error, values);
  }
}

std::string RobotParameters::value(const std::string& path) const {
  return text_at(file_->root, path);
}

Robot with_value(const Robot& robot, const std::string& path, const std::string& value) {
  return RobotParameters(robot).with({{path, value}});
}

struct ExperimentParameters::File {
  std::string text, name;
  ReadOptions options;
  YamlNode root;
  ReadResult robot;  ///< as its file has it
  std::shared_ptr<const RobotParameters> parameters;

  /// Payloads, gravity and the like may stand in both files: the experiment's come first.
  bool of_robot(const std::string& path) const {
    const std::string head = head_of(path);
    for (const YamlEntry& entry : root.entries)
      if (entry.key == head) return false;
    return head != "gravity" && is_robot_path(path);
  }
};

ExperimentParameters::ExperimentParameters(const std::string& path, const ReadOptions& options) {
  *this = from_text(read_text_file(path, largest_yaml), path, options);
}

ExperimentParameters ExperimentParameters::from_text(const std::string& text,
                                                     const std::string& file_name,
                                                     const ReadOptions& options) {
  check_text(text, file_name, largest_yaml);
  ExperimentParameters made;
  auto file = std::make_shared<File>();
  file->text = text, file->name = file_name, file->options = options;
  file->root = parse_yaml(text, file_name);
  for (const YamlEntry& entry : file->root.entries)
    if (entry.key == "robot" && entry.value.kind == YamlNode::Kind::scalar)
      file->robot =
          read_robot_beside(fs::path(file_name).parent_path().string(), entry.value.text, options);
  file->parameters = std::make_shared<const RobotParameters>(file->robot.robot);
  made.file_ = file;
  return made;
}

ReadExperiment ExperimentParameters::with(const std::vector<ParameterValue>& values) const {
  std::vector<ParameterValue> own, of_robot;
  for (const ParameterValue& p : values) {
    const bool prefixed = p.path.starts_with("robot.");
    const std::string path = prefixed ? p.path.substr(6) : p.path;
    (prefixed || file_->of_robot(path) ? of_robot : own).push_back({path, p.value});
  }
  YamlNode root = file_->root;
  set_values(root, own);
  ReadResult robot = file_->robot;
  if (!of_robot.empty()) robot.robot = file_->parameters->with(of_robot);
  try {
    ReadDraft read;
    YamlContext context{file_->name, {}, {}};
    read.text = file_->text;
    ExperimentReader reader(context, root, fs::path(file_->name).parent_path().string(),
                            file_->options);
    // Another robot by name is read anew.
    const bool same = std::none_of(own.begin(), own.end(),
                                   [](const ParameterValue& p) { return p.path == "robot"; });
    if (same) reader.use_robot(robot);
    read.draft = reader.read(read.report);
    context.problems.throw_if_any();
    ReadExperiment result = planned(std::move(read));
    check(result.experiment);
    return result;
  } catch (const InputError& error) {
    if (values.empty()) throw;
    refuse_values(error, values);
  }
}

bool ExperimentEditor::can_change(const std::string& path) const {
  static const std::array parts_of_the_model = {"robot", "gravity", "payloads", "elastic", "stops"};
  const auto& file = *parameters_.file_;
  return !path.starts_with("robot.") && !file.of_robot(path) &&
         std::ranges::count(parts_of_the_model, head_of(path)) == 0 &&
         !text_at(file.root, path).empty();
}

bool ExperimentEditor::can_take_other_models() const {
  const Experiment& e = unchanged_;
  return !e.goal && !e.timing && e.tracking.empty() && e.modal_motions.empty() &&
         e.target.empty() && !e.known_model;
}

/// Motions, drives and the start stay as they are.
bool ExperimentEditor::is_control_alone(const std::vector<ParameterValue>& values) const {
  static const std::array control = {"inputs", "sensors", "actuators", "controllers",
                                     "events", "stop",    "friction",  "integrator"};
  for (const YamlEntry& entry : parameters_.file_->root.entries)
    if (entry.key == "path" || entry.key == "timing") return false;
  return can_take_other_models() && std::ranges::all_of(values, [](const ParameterValue& p) {
           return std::ranges::count(control, head_of(p.path)) > 0;
         });
}

Experiment ExperimentEditor::with(const std::vector<ParameterValue>& values,
                                  std::shared_ptr<const Model> model) const {
  const auto& file = *parameters_.file_;
  YamlNode root = file.root;
  set_values(root, values);
  YamlContext context{file.name, {}, {}};
  ExperimentReader reader(context, root, fs::path(file.name).parent_path().string(), file.options);
  if (is_control_alone(values)) {
    Experiment changed = unchanged_;
    changed.model = std::move(model);
    reader.read_control_of(changed);
    check_again(changed, unchanged_);
    return changed;
  }
  reader.use_model(std::move(model), unchanged_.elastic);
  ReadDraft read;
  read.draft = reader.read(read.report);
  context.problems.throw_if_any();
  Experiment changed = planned(std::move(read)).experiment;
  check_again(changed, unchanged_);
  return changed;
}

std::string ExperimentParameters::value(const std::string& path) const {
  if (path.starts_with("robot.")) return file_->parameters->value(path.substr(6));
  return file_->of_robot(path) ? file_->parameters->value(path) : text_at(file_->root, path);
}

}  // namespace ulna
