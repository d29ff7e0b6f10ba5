#include "yaml/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text_file.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

struct KindWords {
  FileKind kind;
  const char *key, *name, *page, *command;
};

// A study names an experiment, and its `experiment:` is no version.
constexpr KindWords kinds[] = {
    {FileKind::study, "study", "a study", "docs/study-file.md", "ulna sweep FILE -o DIR"},
    {FileKind::synthesis, "synthesis", "a task of synthesis", "docs/synthesis.md",
     "ulna synthesize ROBOT FILE"},
    {FileKind::robot, "ulna", "a robot", "docs/robot-file.md", "ulna info FILE"},
    {FileKind::experiment, "experiment", "an experiment", "docs/experiment-file.md",
     "ulna simulate FILE -o DIR"}};

const KindWords& words_of(FileKind kind) {
  return *std::ranges::find(kinds, kind, &KindWords::kind);
}

const YamlNode* value_of(const YamlNode& root, const std::string& key) {
  const auto found = std::ranges::find(root.entries, key, &YamlEntry::key);
  return found == root.entries.end() ? nullptr : &found->value;
}

}  // namespace

void refuse_kind(FileKind found, FileKind wanted, const std::string& file,
                 const std::string& robot) {
  const KindWords &is = words_of(found), &expected = words_of(wanted);
  std::string hint = fmt::format("'{}' takes this one", is.command);
  if (wanted == FileKind::experiment && found == FileKind::robot)
    hint = "'ulna init NAME' writes one to start from";
  else if (wanted == FileKind::robot && !robot.empty())
    hint = fmt::format("its robot is {}; {}", in_quotes(robot), hint);
  throw InputError(Problem{{file},
                           {},
                           fmt::format("this file describes {}, not {}", is.name, expected.name),
                           fmt::format("{} file ({})", expected.name, expected.page),
                           hint});
}

YamlNode parse_file_of(FileKind wanted, const std::string& text, const std::string& file) {
  if (wanted != FileKind::robot && begins_like_xml(text))
    refuse_kind(FileKind::robot, wanted, file);
  YamlNode root = parse_yaml(text, file);
  if (root.kind != YamlNode::Kind::map) return root;
  const bool study = wanted != FileKind::study && value_of(root, words_of(FileKind::study).key);
  if (value_of(root, words_of(wanted).key) && !(wanted == FileKind::experiment && study))
    return root;
  for (const KindWords& kind : kinds)
    if (value_of(root, kind.key)) {
      const YamlNode* robot = value_of(root, "robot");
      refuse_kind(kind.kind, wanted, file, robot ? robot->text : "");
    }
  return root;
}

}  // namespace ulna
