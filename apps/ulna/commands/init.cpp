#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "command.hpp"
#include "options/command_line.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/terminal.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::cli::init_detail {
namespace {

constexpr const char* examples = R"(  ulna init my-arm
  ulna info my-arm.yaml
  ulna simulate my-arm-experiment.yaml -o run && ulna report run

Writes NAME.yaml, a robot with two links, and NAME-experiment.yaml, its motion under PD control, both
with comments. Existing files are never overwritten.)";

constexpr const char* robot_text =
    R"(# A robot file of Ulna: bodies, the joints between them, frames. Numbers are in SI units or carry their unit, and may be
# expressions. 'ulna check {name}.yaml' lists what was understood, docs/robot-file.md all keys.
ulna: 1
name: {name}
description: Two links that swing in a vertical plane
gravity: [0, 0, -9.81]

bodies:                              # 'world' is always there
  - name: upper
    mass: 2 kg
    centre: [0, 0, -150 mm]          # of mass, in the body's frame
    inertia: [0.016, 0.016, 0.001]   # about the centre: Ixx, Iyy, Izz (six numbers: Ixy, Ixz, Iyz too)
  - name: fore
    mass: 1.2 kg
    centre: [0, 0, -120 mm]
    inertia: [0.006, 0.006, 0.0005]

joints:
  - name: shoulder
    type: revolute                   # prismatic, screw, cylindrical, universal, spherical, planar, free, fixed
    parent: world
    child: upper
    axis: [0, 1, 0]
    limits: {{lower: -120 deg, upper: 120 deg, velocity: 4, effort: 40}}
    damping: 0.2                     # N m s/rad
    friction: 0.1                    # N m
  - name: elbow
    type: revolute
    parent: upper
    child: fore
    at: [0, 0, -300 mm]              # the joint in its parent's frame
    axis: [0, 1, 0]
    limits: {{lower: -150 deg, upper: 150 deg, velocity: 6, effort: 20}}
    damping: 0.1

frames:
  - {{name: tool, body: fore, at: [0, 0, -240 mm]}}

postures:
  - {{name: ready, q: {{shoulder: 30 deg, elbow: 60 deg}}}}
)";

constexpr const char* experiment_text =
    R"(# An experiment of Ulna: a robot, what moves it, for how long, what to record.
#
#   ulna inverse {name}-experiment.yaml            the efforts for the motions
#   ulna simulate {name}-experiment.yaml -o run    the motion under the controller
#   ulna report run -o run.html                    the robot moving, with plots
experiment: 1
name: {name}
robot: {name}.yaml
duration: 3 s

motions:                             # what the joints should do
  shoulder: 30 deg * (1 - cos(2*pi*t/3))
  elbow: 60 deg * sin(2*pi*t/3)

drives:
  all: controller                    # or: motion (follows exactly), effort, free, locked

controllers:
  - {{law: pd, kp: 200, kd: 20, gravity: true, limit: robot}}

integrator: {{rtol: 1e-8}}
record: {{interval: 10 ms, channels: [q, v, tau, reference, energy, frame.tool]}}
)";

struct Options {
  std::string name;
  bool json = false;
};

void refuse_names(const Options& options, const std::vector<std::string>& files) {
  const bool plain =
      options.name.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
  if (options.name.empty() || !plain)
    throw InputError(Problem{
        {}, "NAME", fmt::format("'{}' found", options.name), "letters, digits, - and _", {}});
  for (const std::string& file : files)
    if (std::filesystem::exists(file))
      throw InputError(Problem{{file, 0, 0}, {}, "the file exists already", "another name", {}});
}

int run(const Options& options) {
  const std::vector<std::string> files = {options.name + ".yaml",
                                          options.name + "-experiment.yaml"};
  refuse_names(options, files);
  write_file(files[0], fmt::format(robot_text, fmt::arg("name", options.name)));
  write_file(files[1], fmt::format(experiment_text, fmt::arg("name", options.name)));
  if (options.json) {
    Json out = json_object();
    out["files"] = files;
    print_json(out);
    return 0;
  }
  for (const std::string& file : files) print(fmt::format("wrote {}\n", file));
  print(fmt::format("Next: ulna simulate {} -o run && ulna report run\n", files[1]));
  return 0;
}

}  // namespace
}  // namespace ulna::cli::init_detail

namespace ulna::cli {

Command add_init(CLI::App& program) {
  auto options = std::make_shared<init_detail::Options>();
  CLI::App* app =
      add_command(program, "init", "Write a commented robot file and experiment to start from",
                  init_detail::examples);
  add_argument(*app, "NAME", options->name, "Name of the robot and of its files").required();
  add_json_flag(*app, options->json);
  return {app, [options] { return init_detail::run(*options); }};
}

}  // namespace ulna::cli
