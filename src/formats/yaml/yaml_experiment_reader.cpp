#include "yaml/yaml_experiment_reader.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "shipped.hpp"
#include "text_file.hpp"
#include "ulna/formats/internal/experiment_draft.hpp"
#include "ulna/motion/formula.hpp"
#include "wording.hpp"
#include "yaml/file_kind.hpp"
#include "yaml/yaml_actuator.hpp"
#include "yaml/yaml_contact.hpp"
#include "yaml/yaml_controller.hpp"
#include "yaml/yaml_path.hpp"
#include "yaml/yaml_sensor.hpp"

namespace ulna {
namespace fs = std::filesystem;
namespace {

const std::vector<std::string> top_keys = {
    "experiment", "name",       "description", "robot",     "gravity",      "payloads", "constants",
    "duration",   "start",      "motions",     "drives",    "controllers",  "wrenches", "stop",
    "stops",      "integrator", "sensors",     "actuators", "events",       "record",   "path",
    "timing",     "goal",       "elastic",     "contacts",  "nonholonomic", "method",   "closing",
    "efforts",    "impacts",    "friction",    "inputs",    "shaping",      "tip"};

}  // namespace

ExperimentReader::ExperimentReader(YamlContext& context, const YamlNode& root, std::string folder,
                                   const ReadOptions& options)
    : context_(context),
      map_(context, root, "experiment", top_keys),
      folder_(std::move(folder)),
      options_(options),
      motions_{context, {}, folder_, 0} {}

ExperimentDraft ExperimentReader::read(ImportReport& report) {
  if (!check_version()) return {};
  e_.source = context_.file;
  e_.name = map_.text("name", fs::path(context_.file).stem().string());
  e_.description = map_.text("description");
  read_times();
  load_effort_table();
  if (!read_robot_of(report)) return {};
  e_.drives.resize(e_.model->joints().size());
  for (std::size_t j = 0; j < e_.drives.size(); ++j) e_.drives[j].mark = map_.mark();
  read_constants();
  read_motions();
  read_efforts();
  read_drives();
  read_start();
  read_plan();
  read_goal();
  read_wrenches();
  read_contacts(context_, map_, e_);
  read_control();
  read_events();
  read_stops();
  read_impacts();
  read_friction();
  read_dynamics();
  read_integrator();
  read_record();
  return std::move(draft_);
}

void ExperimentReader::read_control() {
  if (const YamlNode* list = map_.find("sensors"))
    for (const YamlNode& item : read_list(context_, *list, "sensors"))
      read_sensor(context_, item, e_);
  if (const YamlNode* node = map_.find("actuators"))
    for_each_joint(*node, "actuators",
                   [&](int j, const YamlNode& value) { read_actuator(context_, value, j, e_); });
  if (const YamlNode* list = map_.find("controllers"))
    for (const YamlNode& item : read_list(context_, *list, "controllers"))
      if (auto controller = read_controller(context_, item, e_, folder_, options_))
        e_.controllers.push_back(controller);
}

void ExperimentReader::add_to(Experiment& experiment) {
  e_ = experiment;
  motions_.duration = e_.end;
  e_.drives.resize(e_.model->joints().size());
  read_control();
  read_events();
  context_.problems.throw_if_any();
  experiment = std::move(e_);
}

void add_to_experiment(Experiment& experiment, const std::string& text,
                       const std::string& file_name, const ReadOptions& options) {
  check_text(text, file_name, largest_yaml);
  YamlContext context{file_name, {}, {}};
  const YamlNode root = parse_yaml(text, file_name);
  ExperimentReader(context, root, fs::path(file_name).parent_path().string(), options)
      .add_to(experiment);
}

void ExperimentReader::read_control_of(Experiment& experiment) {
  e_ = std::move(experiment);
  e_.sensors.clear(), e_.actuators.clear(), e_.controllers.clear(), e_.events.clear();
  e_.joint_friction.clear(), e_.integrator = {};
  read_times();
  read_constants();
  read_drive_limits();
  read_inputs();
  read_control();
  read_events();
  read_friction();
  read_integrator();
  context_.problems.throw_if_any();
  experiment = std::move(e_);
}

bool ExperimentReader::check_version() {
  const YamlNode* version = map_.need("experiment", "'experiment: 1', the version of this format");
  if (!version) return false;
  if (version->kind == YamlNode::Kind::scalar && version->text == "1") return true;
  map_.complain("experiment", fmt::format("version {} of the experiment file", describe(*version)),
                "'experiment: 1'", "this library reads version 1");
  return false;
}

void ExperimentReader::read_times() {
  const YamlNode* node = map_.find("duration");
  // A planned motion knows how long it takes.
  if (!node && (map_.has("path") || map_.has("timing"))) {
    motions_.duration = 1;
    motions_.timed = true;
    motions_.open_ended = true;
    return;
  }
  if (!node) map_.need("duration", "how long it lasts, such as 2 s");
  e_.end = map_.number("duration", quantity::time, 1);
  if (node && !(e_.end > 0)) {
    map_.complain("duration", fmt::format("the duration is {} s", e_.end), "a time above 0");
    e_.end = 1;
  }
  motions_.duration = e_.end;
  motions_.timed = map_.has("timing");
}

/// `path` and `timing`: motions that are still to be computed.
void ExperimentReader::read_plan() {
  if (const YamlNode* node = map_.find("path")) {
    if (map_.has("motions"))
      map_.complain("path", "both motions and a path are given", "one of them");
    draft_.path = read_path(context_, *node, model());
  }
  if (const YamlNode* node = map_.find("timing"))
    draft_.timing = read_timing(context_, *node, model());
  if (const YamlNode* node = map_.find("shaping")) draft_.shaping = read_shaping(context_, *node);
  if (const YamlNode* node = map_.find("tip")) draft_.tip = read_tip(context_, *node, model());
}

void ExperimentReader::read_constants() {
  const YamlNode* node = map_.find("constants");
  if (!node) return;
  if (node->kind != YamlNode::Kind::map)
    return map_.complain("constants", "found " + describe(*node), "names with numbers");
  for (const YamlEntry& entry : node->entries) {
    const std::string text = read_text(context_, entry.value, "constants, " + entry.key);
    try {
      const double value = constant_formula(text, motions_.constants);
      constant_formula("0", {{entry.key, value}});  // refuses names that cannot be used
      motions_.constants[entry.key] = value;
    } catch (const InputError& error) {
      for (const Problem& p : error.problems())
        context_.problems.add(context_.mark(entry.value), "constants, " + in_quotes(entry.key),
                              p.message, p.expectation, p.hint);
    }
  }
}

ReadDraft read_experiment_draft_text(const std::string& text, const std::string& file_name,
                                     const ReadOptions& options) {
  check_text(text, file_name, largest_yaml);
  YamlContext context{file_name, {}, {}};
  const YamlNode root = parse_file_of(FileKind::experiment, text, file_name);
  ReadDraft result;
  result.text = text;
  result.draft =
      ExperimentReader(context, root, fs::path(file_name).parent_path().string(), options)
          .read(result.report);
  context.problems.throw_if_any();
  return result;
}

ReadDraft read_experiment_draft(const std::string& path, const ReadOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (find_embedded_robot(path)) refuse_kind(FileKind::robot, FileKind::experiment, path);
    throw InputError(Problem{{path}, {}, "no such file", "an experiment file (.yaml)", {}});
  }
  return read_experiment_draft_text(read_text_file(path, largest_yaml), path, options);
}

ReadExperiment planned(ReadDraft read) {
  return {plan(std::move(read.draft)), std::move(read.report), std::move(read.text)};
}

ReadExperiment read_experiment_text(const std::string& text, const std::string& file_name,
                                    const ReadOptions& options) {
  ReadExperiment result = planned(read_experiment_draft_text(text, file_name, options));
  check(result.experiment);
  return result;
}

ReadExperiment read_experiment(const std::string& path, const ReadOptions& options) {
  ReadExperiment result = planned(read_experiment_draft(path, options));
  check(result.experiment);
  return result;
}

bool is_experiment_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  const std::string extension = fs::path(path).extension().string();
  if (extension != ".yaml" && extension != ".yml") return false;
  try {
    const std::string text = read_text_file(path, largest_yaml);
    return text.starts_with("experiment:") || text.find("\nexperiment:") != std::string::npos;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace ulna
