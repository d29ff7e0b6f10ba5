#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "command.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna::cli::convert_detail {
namespace {

constexpr const char* examples = R"(  ulna convert arm.urdf -o arm.yaml
  ulna convert arm.urdf --strict --package arm_description=meshes -o arm.yaml
  ulna convert puma560 | less

Without -o the file is printed.)";

struct Options : RobotOptions {
  std::optional<std::string> output;
};

void require_yaml_name(const std::string& file) {
  const bool other = file.ends_with(".urdf") || file.ends_with(".xml") || file.ends_with(".json");
  if (other)
    throw InputError(
        Problem{{file, 0, 0}, {}, "only YAML can be written", "a name that ends in .yaml", {}});
}

int run(const Options& options) {
  if (options.output) require_yaml_name(*options.output);
  const Model model = load(options);  // a robot that does not freeze is not worth writing
  const std::string folder =
      std::filesystem::path(options.output.value_or("")).parent_path().string();
  const std::string yaml = write_robot_yaml(
      options.output ? with_meshes_seen_from(folder, model.robot()) : model.robot());
  if (options.output) write_file(*options.output, yaml);
  if (options.json) {
    Json out = json_object();
    out["name"] = model.name();
    if (options.output)
      out["file"] = *options.output;
    else
      out["yaml"] = yaml;
    print_json(out);
  } else if (options.output) {
    print(fmt::format("wrote {}\n", printable(*options.output)));
  } else {
    print(yaml);
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::convert_detail

namespace ulna::cli {

Command add_convert(CLI::App& program) {
  auto options = std::make_shared<convert_detail::Options>();
  CLI::App* app = add_robot_command(program, "convert", "Write a robot as a YAML robot file",
                                    convert_detail::examples, *options);
  add_text(*app, "-o,--output", options->output, "FILE",
           "The file to write, complete or not at all");
  return {app, [options] { return convert_detail::run(*options); }};
}

}  // namespace ulna::cli
