// What moves the joints in an experiment file: `motions`, `efforts` and `drives`.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "wording.hpp"
#include "yaml/yaml_experiment_reader.hpp"
#include "yaml/yaml_motion_memory.hpp"
#include "yaml/yaml_state_formula.hpp"

namespace ulna {

/// Index of a joint that has freedoms of its own, or -1 with the problem noted.
int ExperimentReader::joint_named(const std::string& name, const SourceMark& mark,
                                  const std::string& element) {
  const std::vector<Joint>& joints = model().joints();
  const auto found = std::ranges::find(joints, name, &Joint::name);
  if (found != joints.end()) return static_cast<int>(found - joints.begin());
  std::vector<std::string> known;
  for (const Joint& joint : joints)
    if (joint.speeds > 0) known.push_back(joint.name);
  context_.problems.add(mark, element,
                        fmt::format("robot '{}' has no joint {}", model().name(), in_quotes(name)),
                        one_of(known), nearest_name_hint(name, known));
  return -1;
}

std::shared_ptr<const VariableFormula> state_formula(const YamlNode& node,
                                                     const MotionContext& context) {
  if (node.kind != YamlNode::Kind::scalar) return nullptr;
  if (context.known)
    if (const auto* same = context.known->find(context, node)) return same->formula;
  try {
    auto formula = std::make_shared<const VariableFormula>(
        node.text, context.constants, context.duration > 0 ? context.duration : 1.0);
    if (formula->variables().empty()) return nullptr;
    if (context.learned) context.learned->keep(context, node, {nullptr, formula});
    return formula;
  } catch (const InputError&) {
    return nullptr;
  }
}

/// One function per speed of the joint: a single one, or a list. Efforts that depend on the state
/// go to `formulas`, with zero in their place.
std::vector<ScalarMotionPtr> ExperimentReader::read_functions(
    const YamlNode& node, int j, const std::string& element, bool effort,
    std::vector<std::shared_ptr<const VariableFormula>>* formulas) {
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
    const YamlNode& item = list ? node.items[k] : node;
    if (auto formula = formulas ? state_formula(item, motions_) : nullptr) {
      try {
        formula->require(q);
      } catch (const InputError& error) {
        const Problem& problem = error.problems().front();
        context_.problems.add(context_.mark(item), element + ", " + problem.element,
                              problem.message, problem.expectation);
      }
      formulas->resize(static_cast<std::size_t>(joint.speeds));
      (*formulas)[static_cast<std::size_t>(k)] = std::move(formula);
      functions.push_back(std::make_shared<ConstantMotion>(0.0));
      continue;
    }
    ScalarMotionPtr f = read_motion(motions_, item, element, q);
    if (!f) return {};
    functions.push_back(std::move(f));
  }
  return functions;
}

void ExperimentReader::read_motions() {
  const YamlNode* node = map_.find("motions");
  if (!node) return;
  if (reads_motion_table(*node)) return read_motion_table(*node);
  for_each_joint(*node, "motions", [&](int j, const YamlNode& value) {
    Drive& drive = e_.drives[j];
    drive.motion = read_functions(
        value, j, fmt::format("motion of joint '{}'", model().joints()[j].name), false);
    drive.mark = context_.mark(value);
    drive.kind = DriveKind::motion;
  });
}

/// `motions: {table: FILE.csv}`, unless that is the name of a joint.
bool ExperimentReader::reads_motion_table(const YamlNode& node) const {
  if (node.kind != YamlNode::Kind::map) return false;
  for (const Joint& joint : model().joints())
    if (joint.name == "table") return false;
  return std::any_of(node.entries.begin(), node.entries.end(),
                     [](const YamlEntry& entry) { return entry.key == "table"; });
}

/// A table with columns q.JOINT, or JOINT: every joint that has its columns follows them, with the
/// rates v.JOINT and a.JOINT where they are there.
void ExperimentReader::read_motion_table(const YamlNode& node) {
  const YamlMap map(context_, node, "motions", {"table", "time", "interpolation", "outside"});
  const std::string file = map.needed_text("table", "a file of numbers (.csv)");
  if (file.empty()) return;
  try {
    const CsvTable table = load_table(motions_, map, file);
    int found = 0;
    const std::size_t before = context_.problems.count();
    for (std::size_t j = 0; j < model().joints().size(); ++j)
      if (context_.problems.count() == before)
        found += read_motion_columns(map, table, static_cast<int>(j)) ? 1 : 0;
    if (found == 0 && model().speeds() > 0)
      map.complain("table", "no column is the motion of a joint of this robot",
                   fmt::format("columns such as '{0}' or 'q.{0}'", model().speed_names().front()));
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context_.problems.add(p.where.file.empty() ? map.mark() : p.where, "motions, table",
                            p.message, p.expectation, p.hint);
  }
}

/// The function of a speed in a table, read once where a file is read many times.
ScalarMotionPtr ExperimentReader::column_of(const YamlNode& table, int speed,
                                            const std::function<ScalarMotionPtr()>& read) {
  if (motions_.known)
    if (const auto* same = motions_.known->find(motions_, table, 1 + speed)) return same->motion;
  const std::size_t before = context_.problems.count();
  ScalarMotionPtr made = read();
  if (motions_.learned && context_.problems.count() == before)
    motions_.learned->keep(motions_, table, {made, nullptr}, 1 + speed);
  return made;
}

/// Balls and free bodies, whose coordinates are not those of a motion, have no such columns.
bool ExperimentReader::read_motion_columns(const YamlMap& map, const CsvTable& table, int j) {
  const Joint& joint = model().joints()[static_cast<std::size_t>(j)];
  if (joint.speeds == 0 || joint.speeds != joint.coordinates) return false;
  const auto has = [&](const std::string& name) {
    return std::any_of(table.titles.begin(), table.titles.end(),
                       [&](const std::string& title) { return is_title_of(title, name); });
  };
  std::vector<ScalarMotionPtr> functions;
  for (int k = 0; k < joint.speeds; ++k) {
    const std::string& name = model().speed_names()[static_cast<std::size_t>(joint.v + k)];
    TableTitles titles{has("q." + name) ? "q." + name : name};
    if (!has(titles.value)) return false;
    if (has("v." + name)) titles.rate = "v." + name;
    if (has("v." + name) && has("a." + name)) titles.acceleration = "a." + name;
    const bool slides = model().speed_dimensions()[joint.v + k] == Dimension::length;
    functions.push_back(column_of(map.node(), joint.v + k, [&] {
      return table_columns(motions_, map, table, titles,
                           slides ? quantity::length : quantity::angle);
    }));
  }
  Drive& drive = e_.drives[static_cast<std::size_t>(j)];
  drive.motion = std::move(functions);
  drive.mark = map.mark();
  drive.kind = DriveKind::motion;
  return true;
}

namespace {

/// The speed that a column of efforts is for: "tau.joint1[Nm]" or "joint1"; -1: it is for none.
int speed_of_column(const Model& model, const std::string& title, bool of_run) {
  if (of_run && !title.starts_with("tau.")) return -1;
  const std::string name = title_without_unit(of_run ? title.substr(4) : title);
  for (int k = 0; k < model.speeds() - model.modes(); ++k)
    if (model.speed_names()[static_cast<std::size_t>(k)] == name) return k;
  return -1;
}

}  // namespace

void ExperimentReader::load_effort_table() {
  const YamlNode* node = map_.find("efforts");
  if (!node) return;
  const YamlMap map(context_, *node, "efforts", {"table", "time", "interpolation", "outside"});
  const std::string file = map.needed_text("table", "a file of numbers (.csv)");
  if (file.empty()) return;
  try {
    efforts_ = load_table(motions_, map, file);
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context_.problems.add(p.where.file.empty() ? map.mark() : p.where, "efforts, table",
                            p.message, p.expectation, p.hint);
  }
}

/// A table with a column for each joint. A recorded run will do: its tau are taken.
void ExperimentReader::read_efforts() {
  if (efforts_.titles.empty()) return;  // none, or one that could not be read
  const YamlMap map(context_, *map_.find("efforts"), "efforts",
                    {"table", "time", "interpolation", "outside"});
  const std::vector<std::string>& names = model().speed_names();
  const std::string time = map.text("time", "t");
  const bool of_run =
      std::any_of(efforts_.titles.begin(), efforts_.titles.end(),
                  [](const std::string& title) { return title.starts_with("tau."); });
  int found = 0;
  for (const std::string& title : efforts_.titles) {
    const int k = speed_of_column(model(), title, of_run);
    if (k >= 0) {
      read_effort_column(map, title, k);
      ++found;
    } else if (!of_run && title_without_unit(title) != time) {
      map.complain("table", fmt::format("column {} is for no joint", in_quotes(title)),
                   one_of(names), nearest_name_hint(title_without_unit(title), names));
    }
  }
  if (found == 0 && !names.empty())
    map.complain("table", "no column is the effort of a joint of this robot",
                 fmt::format("columns such as '{0}' or 'tau.{0}'", names.front()));
}

/// Efforts of the speeds of a joint that have no column are zero.
void ExperimentReader::read_effort_column(const YamlMap& map, const std::string& title, int speed) {
  const auto joint =
      std::find_if(model().joints().begin(), model().joints().end(),
                   [&](const Joint& x) { return speed >= x.v && speed < x.v + x.speeds; });
  Drive& drive = e_.drives[static_cast<std::size_t>(joint - model().joints().begin())];
  drive.kind = DriveKind::effort;
  drive.mark = map.mark();
  if (drive.effort.empty())
    drive.effort.assign(static_cast<std::size_t>(joint->speeds),
                        std::make_shared<ConstantMotion>(0.0));
  try {
    const bool slides = model().speed_dimensions()[speed] == Dimension::length;
    drive.effort[static_cast<std::size_t>(speed - joint->v)] = column_of(map.node(), speed, [&] {
      return table_columns(motions_, map, efforts_, {title},
                           slides ? quantity::force : quantity::torque, "linear");
    });
  } catch (const InputError& error) {
    for (const Problem& p : error.problems())
      context_.problems.add(p.where.file.empty() ? map.mark() : p.where,
                            "efforts, column " + in_quotes(title), p.message, p.expectation,
                            p.hint);
  }
}

namespace {

/// `limit` of a drive: motors that saturate, one for each speed of the joint. `robot` stands for
/// the limits of the robot file, where it has some.
std::vector<std::shared_ptr<const Actuator>> limited_motors(YamlContext& context,
                                                            const Model& model, int j,
                                                            const YamlNode& value) {
  const Joint& joint = model.joints()[static_cast<std::size_t>(j)];
  std::vector<std::shared_ptr<const Actuator>> motors;
  if (value.kind != YamlNode::Kind::map) return motors;
  const std::string element = fmt::format("drive of joint '{}'", joint.name);
  const YamlMap map(context, value, element, {"effort", "drive", "limit"});
  const YamlNode* limit = map.find("limit");
  if (!limit) return motors;
  const bool of_robot = limit->kind == YamlNode::Kind::scalar && limit->text == "robot";
  for (int k = 0; k < joint.speeds; ++k) {
    const int speed = joint.v + k;
    const bool slides =
        model.speed_dimensions()[static_cast<std::size_t>(speed)] == Dimension::length;
    auto motor = std::make_shared<LimitedEffort>();
    motor->name = model.speed_names()[static_cast<std::size_t>(speed)];
    motor->speed = speed;
    motor->mark = context.mark(*limit);
    motor->peak = of_robot ? model.effort_limit()(speed)
                           : map.number("limit", slides ? quantity::force : quantity::torque, 0);
    if (std::isfinite(motor->peak)) motors.push_back(std::move(motor));
  }
  return motors;
}

}  // namespace

void ExperimentReader::read_drives() {
  const YamlNode* node = map_.find("drives");
  if (!node) return;
  for_each_joint(*node, "drives", [&](int j, const YamlNode& value) {
    read_drive_into(e_.drives[static_cast<std::size_t>(j)], j, value);
  });
  read_drive_limits();
}

void ExperimentReader::read_drive_limits() {
  const YamlNode* node = map_.find("drives");
  if (!node) return;
  std::map<int, std::vector<std::shared_ptr<const Actuator>>>
      limits;  // an entry for one joint overrides all
  for_each_joint(*node, "drives", [&](int j, const YamlNode& value) {
    limits[j] = limited_motors(context_, model(), j, value);
  });
  for (const auto& [j, motors] : limits)
    e_.actuators.insert(e_.actuators.end(), motors.begin(), motors.end());
}

void ExperimentReader::read_drive_into(Drive& drive, int j, const YamlNode& value) {
  const std::string element = fmt::format("drive of joint '{}'", model().joints()[j].name);
  drive.mark = context_.mark(value);
  drive.effort.clear();
  drive.effort_formulas.clear();
  if (value.kind == YamlNode::Kind::map) {
    const YamlMap map(context_, value, element, {"effort", "drive", "limit"});
    if (map.has("limit") && &drive != &e_.drives[static_cast<std::size_t>(j)])
      map.complain("limit", "an event cannot limit a drive", "limit under drives");
    if (map.has("drive")) {
      if (map.text("drive") != name_of(DriveKind::controller) || map.has("effort"))
        map.complain("drive", "found " + in_quotes(map.text("drive")),
                     "drive: controller with a limit, or effort");
      drive.kind = DriveKind::controller;
      return;
    }
    const YamlNode* effort =
        map.need("effort", "a formula in t and channels such as q.joint1, a table, ...");
    if (effort) drive.effort = read_functions(*effort, j, element, true, &drive.effort_formulas);
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
