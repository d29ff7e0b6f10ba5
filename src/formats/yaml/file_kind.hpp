#pragma once
// Robots, experiments, studies and tasks of synthesis are files of one look. One in the place of
// another is a single mistake, and the commonest of a beginner.

#include <string>

#include "yaml/yaml_tree.hpp"

namespace ulna {

enum class FileKind { robot, experiment, study, synthesis };

/// The tree of the text. InputError when it is a file of another kind than `wanted`: it has the
/// version key of that kind and not its own, or is XML, which describes a robot.
YamlNode parse_file_of(FileKind wanted, const std::string& text, const std::string& file);

/// The error for a file of another kind; `robot`: the robot that the file names, if any.
[[noreturn]] void refuse_kind(FileKind found, FileKind wanted, const std::string& file,
                              const std::string& robot = {});

}  // namespace ulna
