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

/// A tree of the file for experiments with values at the same paths, one thread at a time.
struct ExperimentEditor::Draft {
  YamlNode root;
  std::vector<std::string> paths;
  std::vector<std::vector<YamlNode*>> places;
  bool control_alone = false;

  bool is_for(const std::vector<ParameterValue>& values) const {
    return std::ranges::equal(paths, values, {}, {}, &ParameterValue::path);
  }
};

ExperimentEditor::ExperimentEditor(const ExperimentParameters& parameters,
                                   const Experiment& unchanged)
    : parameters_(parameters), unchanged_(unchanged) {
  const auto& file = *parameters_.file_;
  YamlContext context{file.name, {}, {}};
  ExperimentReader reader(context, file.root, fs::path(file.name).parent_path().string(),
                          file.options);
  reader.use_model(unchanged_.model, unchanged_.elastic);
  reader.learn(known_, ranges_);
  ReadDraft read;
  read.draft = reader.read(read.report);
  context.problems.throw_if_any();
  if (!is_planned()) unchanged_ = planned(std::move(read)).experiment;
}

ExperimentEditor::~ExperimentEditor() = default;

/// Its motions are not those of the file.
bool ExperimentEditor::is_planned() const {
  static const std::array plans = {"path", "timing", "shaping", "tip"};
  return std::ranges::any_of(parameters_.file_->root.entries, [](const YamlEntry& entry) {
    return std::ranges::count(plans, entry.key) > 0;
  });
}

bool ExperimentEditor::can_change(const std::string& path) const {
  static const std::array parts_of_the_model = {"robot", "gravity", "payloads", "elastic", "stops"};
  static const std::array name_joints = {"motions", "drives", "efforts", "start"};
  const auto& file = *parameters_.file_;
  const std::string head = head_of(path);
  if (path.starts_with("robot.") || file.of_robot(path) ||
      std::ranges::count(parts_of_the_model, head) > 0)
    return false;
  if (!text_at(file.root, path).empty()) return true;
  // A joint that is named for the first time may have loops cut elsewhere.
  return unchanged_.model->loops().empty() || std::ranges::count(name_joints, head) == 0;
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
  if (is_planned() || !can_take_other_models()) return false;
  const auto is_control = [](const std::string& key) {
    return std::ranges::count(control, key) > 0;
  };
  const std::vector<YamlEntry>& entries = parameters_.file_->root.entries;
  std::vector<std::string> constants;  // that have other values
  for (const ParameterValue& p : values) {
    const std::string head = head_of(p.path);
    if (head == "constants" && p.path.size() > head.size())
      constants.push_back(p.path.substr(head.size() + 1));
    else if (!is_control(head))
      return false;
  }
  for (const YamlEntry& entry : entries)
    for (const YamlEntry& constant : entry.value.entries)
      if (entry.key == "constants" && std::ranges::any_of(constants, [&](const auto& c) {
            return mentions(constant.value, c);
          }))
        constants.push_back(constant.key);
  return std::ranges::all_of(entries, [&](const YamlEntry& entry) {
    return entry.key == "constants" || is_control(entry.key) ||
           std::ranges::none_of(constants, [&](const auto& c) { return mentions(entry.value, c); });
  });
}

std::unique_ptr<ExperimentEditor::Draft> ExperimentEditor::draft_for(
    const std::vector<ParameterValue>& values) const {
  {
    const std::lock_guard lock(mutex_);
    if (!unused_.empty() && unused_.back()->is_for(values)) {
      std::unique_ptr<Draft> draft = std::move(unused_.back());
      unused_.pop_back();
      return draft;
    }
  }
  auto draft = std::make_unique<Draft>();
  draft->root = parameters_.file_->root;
  for (const ParameterValue& p : values) {
    draft->paths.push_back(p.path);
    place_in(draft->root, p.path);
  }
  // Only when all of them are there do they stay where they are.
  for (const ParameterValue& p : values) draft->places.push_back(place_in(draft->root, p.path));
  draft->control_alone = is_control_alone(values);
  return draft;
}

Experiment ExperimentEditor::with(const std::vector<ParameterValue>& values,
                                  std::shared_ptr<const Model> model) const {
  std::unique_ptr<Draft> draft = draft_for(values);
  for (std::size_t k = 0; k < values.size(); ++k)
    for (YamlNode* place : draft->places[k]) {
      place->kind = YamlNode::Kind::scalar;
      place->text = values[k].value;
    }
  Experiment changed = read(*draft, std::move(model));
  const std::lock_guard lock(mutex_);
  unused_.push_back(std::move(draft));
  return changed;
}

Experiment ExperimentEditor::read(const Draft& draft, std::shared_ptr<const Model> model) const {
  const auto& file = *parameters_.file_;
  YamlContext context{file.name, {}, {}};
  ExperimentReader reader(context, draft.root, fs::path(file.name).parent_path().string(),
                          file.options);
  MotionRanges ranges = ranges_;
  reader.recall(known_, ranges);
  if (draft.control_alone) {
    Experiment changed = unchanged_;
    changed.model = std::move(model);
    reader.read_control_of(changed);
    check_again(changed, unchanged_, ranges);
    return changed;
  }
  reader.use_model(std::move(model), unchanged_.elastic);
  ReadDraft read;
  read.draft = reader.read(read.report);
  context.problems.throw_if_any();
  Experiment changed = planned(std::move(read)).experiment;
  check_again(changed, unchanged_, ranges);
  return changed;
}

std::string ExperimentParameters::value(const std::string& path) const {
  if (path.starts_with("robot.")) return file_->parameters->value(path.substr(6));
  return file_->of_robot(path) ? file_->parameters->value(path) : text_at(file_->root, path);
}

}  // namespace ulna
