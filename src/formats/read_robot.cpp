#include "ulna/formats/read_robot.hpp"

#include <filesystem>

#include "shipped.hpp"
#include "text_file.hpp"
#include "urdf/urdf_companion.hpp"
#include "urdf/xacro.hpp"
#include "wording.hpp"
#include "xml/xml_scan.hpp"

namespace ulna {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_missing(const std::string& path_or_name) {
  const bool could_be_name = path_or_name.find_first_of("/.") == std::string::npos;
  throw InputError(
      Problem{{path_or_name},
              {},
              could_be_name ? "no such file or shipped robot" : "no such file",
              "a robot file (.yaml, .urdf, MuJoCo's .xml or .sdf), or a shipped robot; 'ulna "
              "robots' lists them",
              nearest_name_hint(path_or_name, embedded_robot_names())});
}

}  // namespace

ReadResult read_robot(const std::string& path_or_name, const ReadOptions& options) {
  std::error_code error;
  const fs::file_status status = fs::status(path_or_name, error);
  if (!fs::exists(status) || fs::is_directory(status)) {
    if (const std::optional<std::string> text = find_embedded_robot(path_or_name))
      return read_robot_yaml_text(*text, "robots/" + path_or_name + ".yaml", options);
    if (!fs::exists(status)) refuse_missing(path_or_name);
  }

  const std::string extension = fs::path(path_or_name).extension().string();
  if (extension == ".xacro" && options.xacro) {
    const std::string urdf = fs::path(path_or_name).replace_extension().string();
    return read_urdf_text(expand_xacro(path_or_name, *options.xacro), urdf, options);
  }
  const bool yaml = extension == ".yaml" || extension == ".yml";
  const bool xml = extension == ".urdf" || extension == ".xml" || extension == ".mjcf" ||
                   extension == ".xacro" || extension == ".sdf";
  const std::string text = read_text_file(path_or_name, yaml ? largest_yaml : largest_xml);
  check_text(text, path_or_name, yaml ? largest_yaml : largest_xml);
  if (begins_like_xml(text)) {
    ReadResult result = read_robot_text(text, path_or_name, options);
    if (outermost_element(text) == "robot") add_companion_loops(result, path_or_name);
    return result;
  }
  if (xml)
    throw InputError(Problem{
        {path_or_name, 1, 1},
        {},
        "not XML: the file does not begin with '<'",
        "a URDF, which begins with <robot>, a MuJoCo model, which begins with <mujoco>, or an SDF "
        "file, which begins with <sdf>",
        {}});
  if (looks_like_companion(text)) return read_companion(text, path_or_name, options);
  return read_robot_yaml_text(text, path_or_name, options);
}

ReadResult read_robot_text(const std::string& text, const std::string& file_name,
                           const ReadOptions& options) {
  if (!begins_like_xml(text)) return read_robot_yaml_text(text, file_name, options);
  const std::string outermost = outermost_element(text);
  if (outermost == "mujoco") return read_mjcf_text(text, file_name, options);
  if (outermost == "sdf") return read_sdf_text(text, file_name, options);
  return read_urdf_text(text, file_name, options);
}

}  // namespace ulna
