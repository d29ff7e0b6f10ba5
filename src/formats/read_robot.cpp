#include "ulna/formats/read_robot.hpp"

#include <filesystem>

#include "mjcf/mjcf_document.hpp"
#include "shipped.hpp"
#include "text_file.hpp"
#include "wording.hpp"

namespace ulna {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_missing(const std::string& path_or_name) {
  const bool could_be_name = path_or_name.find_first_of("/.") == std::string::npos;
  throw InputError(
      Problem{{path_or_name},
              {},
              could_be_name ? "no such file or shipped robot" : "no such file",
              "a robot file (.yaml, .urdf or MuJoCo's .xml), or one of the shipped robots " +
                  one_of(embedded_robot_names()),
              nearest_name_hint(path_or_name, embedded_robot_names())});
}

// XML begins with '<', which no robot file in YAML does.
bool begins_like_xml(const std::string& text) {
  const std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // byte order mark
  const std::size_t first = text.find_first_not_of(" \t\r\n", start);
  return first != std::string::npos && text[first] == '<';
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
  const bool yaml = extension == ".yaml" || extension == ".yml";
  const bool xml =
      extension == ".urdf" || extension == ".xml" || extension == ".mjcf" || extension == ".xacro";
  const std::string text = read_text_file(path_or_name, yaml ? largest_yaml : largest_xml);
  check_text(text, path_or_name, yaml ? largest_yaml : largest_xml);
  if (begins_like_xml(text))
    return looks_like_mjcf(text) ? read_mjcf_text(text, path_or_name, options)
                                 : read_urdf_text(text, path_or_name, options);
  if (xml)
    throw InputError(
        Problem{{path_or_name, 1, 1},
                {},
                "not XML: the file does not begin with '<'",
                "a URDF, which begins with <robot>, or a MuJoCo model, which begins with <mujoco>",
                {}});
  return read_robot_yaml_text(text, path_or_name, options);
}

}  // namespace ulna
