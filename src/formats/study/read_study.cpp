#include <algorithm>
#include <filesystem>
#include <iterator>

#include "study/robot_numbers.hpp"
#include "study/study_reader.hpp"
#include "study/study_run_kinds.hpp"
#include "text_file.hpp"
#include "ulna/model/model.hpp"
#include "ulna/model/parts/closing_names.hpp"
#include "wording.hpp"
#include "yaml/file_kind.hpp"

namespace ulna {

namespace fs = std::filesystem;

StudyReader::StudyReader(YamlContext& context, const YamlNode& root, Study::Parts& parts,
                         const ReadOptions& options, const std::vector<std::string>* own)
    : context_(context),
      map_(
          context, root, "study",
          {"study", "name", "description", "robot", "experiment", "parameters", "table", "sampling",
           "correlation", "run", "measures", "constraints", "store", "limit", "optimize"}),
      parts_(parts),
      options_(options),
      own_(own) {}

/// A key that is needed, but where the caller computes the measures.
const YamlNode* StudyReader::need_unless_own(const std::string& key,
                                             const std::string& expectation) const {
  return own_ ? map_.find(key) : map_.need(key, expectation);
}

void StudyReader::read() {
  const YamlNode* version = map_.need("study", "'study: 1', the version of this format");
  if (version && version->text != "1")
    map_.complain("study", fmt::format("version {}", describe(*version)), "'study: 1'");
  parts_.description = map_.text("description");
  read_subject();
  context_.problems.throw_if_any();
  read_table();
  read_parameters();
  read_sampling();
  read_runs();
  read_measures();
  read_constraints();
  read_store();
  share_channels();
  parts_.seconds = map_.number("limit", quantity::time, 0);
  if (map_.has("limit") && !(parts_.seconds > 0))
    map_.complain("limit", fmt::format("found {} s", parts_.seconds), "a time above 0");
  read_goal();
  context_.problems.throw_if_any();
  parts_.plan.check();
  check_targets();
  check_names();
  context_.problems.throw_if_any();
  parts_.numbers = RobotNumbers::of(parts_);
}

std::string StudyReader::beside(const std::string& name) const {
  const fs::path path = fs::path(context_.file).parent_path() / name;
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) ? path.string() : name;
}

void StudyReader::read_subject() {
  const bool robot = map_.has("robot"), experiment = map_.has("experiment");
  if (own_ && !robot && !experiment) return;
  if (robot == experiment) {
    map_.complain("robot", robot ? "found 'robot' and 'experiment'" : "nothing to study",
                  "either 'robot: NAME' or 'experiment: FILE'");
    return;
  }
  if (robot) {
    const Robot read = read_robot(beside(map_.text("robot")), options_).robot;
    parts_.robot.emplace(read);
    parts_.nominal = std::make_shared<const Model>(read);
  } else {
    const std::string file = beside(map_.text("experiment"));
    parts_.experiment.emplace(file, options_);
    parts_.unchanged = parts_.experiment->with({}).experiment;
    parts_.nominal = parts_.unchanged->model;
    parts_.sources += read_text_file(file, largest_yaml);
  }
}

std::vector<std::string> coordinates_of(const Model& model) {
  std::vector<std::string> names = model.coordinate_names();
  for (const Loop& loop : model.loops())
    std::ranges::move(closing_coordinate_names(loop), std::back_inserter(names));
  return names;
}

std::vector<std::string> speeds_of(const Model& model) {
  std::vector<std::string> names = model.speed_names();
  for (const Loop& loop : model.loops())
    std::ranges::move(closing_speed_names(loop), std::back_inserter(names));
  return names;
}

/// Places that no sample can have are mistakes of the file, not of the samples.
void StudyReader::check_targets() {
  std::set<std::string> seen;
  for (const StudyTarget& target : parts_.targets) {
    const YamlNode& item = *items_[static_cast<std::size_t>(target.parameter)];
    if (!seen.insert(target.path).second)
      context_.problems.add(context_.mark(item), "parameter, path",
                            "'" + target.path + "' is set twice", "each place once");
    try {
      if (!parts_.nominal)
        throw InputError("the parameter is a place in a robot, but the study has no robot",
                         "robot or experiment", "a parameter of a function needs a name only");
      check_numbers(target);
      target.of_run() ? check_run_number(target) : check_place(target);
    } catch (const InputError& error) {
      add(item, "parameter " + in_quotes(target.path), error);
    }
  }
}

/// Names are places in results.h5: what could not be written there is found before the first
/// sample.
void StudyReader::check_names() {
  std::vector<std::string> parameters, measures;
  for (const SampleParameter& p : parts_.plan.parameters) parameters.push_back(p.name);
  for (const StudyMeasure& m : parts_.measures) measures.push_back(m.name);
  for (const auto* names : {&parameters, &measures}) {
    std::set<std::string> places;
    for (const std::string& name : *names) {
      const std::string place = place_in_results(name);
      if (place.empty() || place == "." || place == ".." || !places.insert(place).second)
        map_.complain(names == &parameters ? "parameters" : "measures",
                      "the name " + in_quotes(name) + " has no place of its own in results.h5",
                      "a name that differs by more than '/' and ':'");
    }
  }
}

/// Formulas and numbers of a run take no words.
void StudyReader::check_numbers(const StudyTarget& target) const {
  std::vector<int> used = target.variables;
  if (target.of_run() && !target.formula) used.push_back(target.parameter);
  for (const int k : used)
    if (const SampleParameter& p = parts_.plan.parameters[static_cast<std::size_t>(k)];
        !p.words.empty())
      throw InputError("the values of " + in_quotes(p.name) + " are words", "finite numbers");
}

/// The unit of a number of a run, where it has one.
void StudyReader::check_unit(const StudyTarget& target) {
  if (target.unit.empty()) return;
  const bool rate = target.path.starts_with("v.");
  for (const Quantity& q : {rate ? quantity::velocity : quantity::length,
                            rate ? quantity::angular_velocity : quantity::angle})
    if (parse_quantity("1 " + target.unit, q).complaint.empty()) return;
  throw InputError(
      "the unit is " + in_quotes(target.unit),
      rate ? "that of a velocity or of an angular velocity" : "that of an angle or of a length");
}

/// What stands in a file is there. What does not may have its default there, and then at least one
/// of three samples can be read; or it is a mistake.
void StudyReader::check_place(const StudyTarget& target) {
  const std::string text =
      parts_.experiment ? parts_.experiment->value(target.path) : parts_.robot->value(target.path);
  if (!text.empty()) return;
  std::optional<InputError> refused;
  for (const long sample : {0L, parts_.plan.total() / 2, parts_.plan.total() - 1}) {
    try {
      std::vector<ParameterValue> edits = parts_.edited(parts_.plan.values(sample));
      std::erase_if(edits, [&](const ParameterValue& edit) { return edit.path != target.path; });
      parts_.experiment ? (void)parts_.experiment->with(edits) : (void)parts_.robot->with(edits);
      return;
    } catch (const InputError& error) {
      refused = error;
    } catch (const ComputationError&) {
      return;  // the place is there
    }
  }
  throw InputError(*refused);
}

/// q.NAME, v.NAME, pose.x, drive.LEG: a run must have it.
void StudyReader::check_run_number(const StudyTarget& target) {
  const std::size_t dot = target.path.find('.');
  const std::string head = target.path.substr(0, dot), name = target.path.substr(dot + 1);
  const bool of_platform = head == "pose" || head == "drive";
  if (!own_ && std::ranges::none_of(parts_.runs, [&](const StudyRunKind& run) {
        return of_platform ? run.platform != nullptr : run.has_posture();
      }))
    throw InputError("no run has '" + target.path + "'",
                     of_platform ? "run: platform" : "a run at a posture, such as modes");
  check_unit(target);
  std::vector<std::string> known;
  if (head == "q")
    known = coordinates_of(*parts_.nominal);
  else if (head == "v")
    known = speeds_of(*parts_.nominal);
  else if (head == "pose")
    known = {"x", "y", "z", "rx", "ry", "rz"};
  else
    known = platform_drives(*parts_.nominal);
  if (std::ranges::count(known, name) == 0)
    throw InputError("there is no " + in_quotes(target.path), head + ".NAME of " + one_of(known),
                     nearest_name_hint(name, known));
}

void StudyReader::add(const YamlNode& node, const std::string& element, const InputError& error) {
  for (const Problem& p : error.problems())
    context_.problems.add(context_.mark(node), element, p.message, p.expectation, p.hint);
}

long StudyReader::whole(const YamlMap& map, const std::string& key, long fallback) {
  const double value = map.number(key, quantity::number, double(fallback));
  if (!(value >= 0 && value <= 9e15) || value != std::floor(value)) {
    map.complain(key, fmt::format("found {}", value), "a whole number");
    return fallback;
  }
  return static_cast<long>(value);
}

Study Study::from_text(const std::string& text, const std::string& file_name,
                       const ReadOptions& options, const std::vector<std::string>* own) {
  check_text(text, file_name, largest_yaml);
  auto parts = std::make_shared<Parts>();
  parts->text = parts->sources = text, parts->file = file_name;
  YamlContext context{file_name, {}, {}};
  const YamlNode root = parse_file_of(FileKind::study, text, file_name);
  StudyReader(context, root, *parts, options, own).read();
  Study study;
  study.parts_ = parts;
  return study;
}

Study::Study(const std::string& path, const ReadOptions& options,
             const std::vector<std::string>* own) {
  *this = from_text(read_text_file(path, largest_yaml), path, options, own);
}

}  // namespace ulna
