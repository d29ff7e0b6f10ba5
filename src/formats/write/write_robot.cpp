#include "ulna/formats/write_robot.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "problems.hpp"
#include "ulna/formats/internal/output_file.hpp"
#include "wording.hpp"
#include "write/written_tree.hpp"

namespace ulna {

namespace {

void refuse_lost(const Model& model, const std::vector<ImportNote>& lost) {
  Problems problems;
  for (const ImportNote& note : lost)
    problems.add(note.where.file.empty() ? SourceMark{model.robot().source} : note.where,
                 note.element, note.what, {}, "write without --strict to accept it");
  problems.throw_if_any();
}

}  // namespace

std::optional<RobotFormat> robot_format(const std::string& file_name) {
  const std::string ending = std::filesystem::path(file_name).extension().string();
  if (ending == ".yaml" || ending == ".yml") return RobotFormat::yaml;
  if (ending == ".urdf") return RobotFormat::urdf;
  if (ending == ".xml" || ending == ".mjcf") return RobotFormat::mjcf;
  if (ending == ".sdf") return RobotFormat::sdf;
  return std::nullopt;
}

WrittenRobot write_robot(const Model& model, RobotFormat format, const WriteOptions& options) {
  WrittenRobot written;
  switch (format) {
    case RobotFormat::yaml:
      written.text = write_robot_yaml(model.robot());
      break;
    case RobotFormat::urdf:
      written = write_urdf(written_tree(model), options);
      break;
    case RobotFormat::mjcf:
      written = write_mjcf(written_tree(model), options);
      break;
    case RobotFormat::sdf:
      written = write_sdf(written_tree(model), options);
      break;
  }
  if (options.strict) refuse_lost(model, written.lost);
  return written;
}

std::vector<ImportNote> write_robot(const Model& model, const std::string& file,
                                    const WriteOptions& options) {
  const std::optional<RobotFormat> format = robot_format(file);
  if (!format)
    throw InputError(Problem{{file},
                             {},
                             "the file extension is not that of a robot format",
                             "a name that ends in .yaml, .urdf, .xml (MuJoCo) or .sdf",
                             {}});
  const std::string folder = std::filesystem::path(file).parent_path().string();
  const Model there(with_meshes_seen_from(folder, model.robot()));
  WrittenRobot written = write_robot(there, *format, options);
  write_output_file(file, written.text);
  return std::move(written.lost);
}

}  // namespace ulna
