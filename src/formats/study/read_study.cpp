#include <filesystem>

#include "study/robot_numbers.hpp"
#include "study/study_reader.hpp"
#include "text_file.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

namespace fs = std::filesystem;

StudyReader::StudyReader(YamlContext& context, const YamlNode& root, Study::Parts& parts,
                         const ReadOptions& options)
    : context_(context),
      map_(
          context, root, "study",
          {"study", "name", "description", "robot", "experiment", "parameters", "table", "sampling",
           "correlation", "run", "measures", "constraints", "store", "limit", "optimize"}),
      parts_(parts),
      options_(options) {}

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
  read_goal();
  context_.problems.throw_if_any();
  parts_.plan.check();
  parts_.numbers = RobotNumbers::of(parts_);
}

std::string StudyReader::beside(const std::string& name) const {
  const fs::path path = fs::path(context_.file).parent_path() / name;
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) ? path.string() : name;
}

void StudyReader::read_subject() {
  const bool robot = map_.has("robot"), experiment = map_.has("experiment");
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
                       const ReadOptions& options) {
  check_text(text, file_name, largest_yaml);
  auto parts = std::make_shared<Parts>();
  parts->text = parts->sources = text, parts->file = file_name;
  YamlContext context{file_name, {}, {}};
  const YamlNode root = parse_yaml(text, file_name);
  StudyReader(context, root, *parts, options).read();
  Study study;
  study.parts_ = parts;
  return study;
}

Study::Study(const std::string& path, const ReadOptions& options) {
  *this = from_text(read_text_file(path, largest_yaml), path, options);
}

}  // namespace ulna
