#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "command.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/run_hdf5.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna::cli::convert_detail {
namespace {

constexpr const char* examples = R"(  ulna convert arm.urdf -o arm.yaml
  ulna convert delta -o delta.xml                    # MuJoCo: loops as equalities
  ulna convert four-bar -o four-bar.urdf --loops loop_joint
  ulna convert arm.yaml --strict -o arm.sdf          # refused where anything is lost
  ulna convert puma560 --to mjcf | less
  ulna convert RUN -o run.h5                         # a recorded run, for h5py, MATLAB, PlotJuggler

The file extension selects the format: .yaml, .urdf, .xml (MuJoCo), .sdf. Without -o the file is printed.
Data that the format cannot represent are listed; docs/formats.md has the table.)";

struct Options : RobotOptions {
  std::optional<std::string> output, format, loops;
};

RobotFormat format_of(const Options& options) {
  if (options.format) {
    for (const auto& [name, format] :
         {std::pair{"yaml", RobotFormat::yaml}, std::pair{"urdf", RobotFormat::urdf},
          std::pair{"mjcf", RobotFormat::mjcf}, std::pair{"sdf", RobotFormat::sdf}})
      if (*options.format == name) return format;
    throw InputError(Problem{
        {}, "--to", fmt::format("'{}' found", *options.format), "yaml, urdf, mjcf or sdf", {}});
  }
  if (!options.output) return RobotFormat::yaml;
  if (const std::optional<RobotFormat> format = robot_format(*options.output)) return *format;
  throw InputError(Problem{{*options.output, 0, 0},
                           {},
                           "the file extension is not that of a robot format",
                           "a name that ends in .yaml, .urdf, .xml (MuJoCo) or .sdf",
                           "--to FORMAT selects the format for any file name"});
}

WriteOptions write_options(const Options& options) {
  WriteOptions write;
  write.strict = options.strict;
  if (!options.loops || *options.loops == "constraint") return write;
  if (*options.loops == "loop_joint")
    write.urdf_loops = WriteOptions::UrdfLoops::loop_joint;
  else if (*options.loops == "none")
    write.urdf_loops = WriteOptions::UrdfLoops::none;
  else
    throw InputError(Problem{{},
                             "--loops",
                             fmt::format("'{}' found", *options.loops),
                             "constraint, loop_joint or none",
                             {}});
  return write;
}

/// A recorded run instead of a robot.
int convert_run(const Options& options) {
  write_run_hdf5(read_run(options.robot), *options.output);
  if (options.json) {
    Json out = json_object();
    out["file"] = *options.output;
    print_json(out);
  } else {
    print(fmt::format("wrote {}\n", printable(*options.output)));
  }
  return 0;
}

int run(const Options& options) {
  if (options.output && is_hdf5_name(*options.output)) return convert_run(options);
  const RobotFormat format = format_of(options);
  const WriteOptions write = write_options(options);
  const Model model = load(options);  // a robot that does not freeze is not worth writing
  const std::string folder =
      std::filesystem::path(options.output.value_or("")).parent_path().string();
  const WrittenRobot written =
      options.output
          ? write_robot(Model(with_meshes_seen_from(folder, model.robot())), format, write)
          : write_robot(model, format, write);
  if (options.output) write_file(*options.output, written.text);
  if (options.json) {
    Json out = json_object();
    out["name"] = model.name();
    if (options.output)
      out["file"] = *options.output;
    else
      out[format == RobotFormat::yaml ? "yaml" : "text"] = written.text;
    out["lost"] = Json::array();
    for (const ImportNote& note : written.lost) out["lost"].push_back(note.text());
    print_json(out);
    return 0;
  }
  for (const ImportNote& note : written.lost) ulna::cli::note(note.text());
  print(options.output ? fmt::format("wrote {}\n", printable(*options.output)) : written.text);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::convert_detail

namespace ulna::cli {

Command add_convert(CLI::App& program) {
  auto options = std::make_shared<convert_detail::Options>();
  CLI::App* app = add_robot_command(
      program, "convert", "Write a robot as YAML, URDF, MuJoCo model or SDF, or a run as HDF5",
      convert_detail::examples, *options);
  add_text(*app, "-o,--output", options->output, "FILE",
           "Output file; its extension selects the format");
  add_text(*app, "--to", options->format, "FORMAT", "yaml, urdf, mjcf or sdf");
  add_text(*app, "--loops", options->loops, "HOW",
           "Representation of loops in URDF: constraint (default), loop_joint or none");
  return {app, [options] { return convert_detail::run(*options); }};
}

}  // namespace ulna::cli
