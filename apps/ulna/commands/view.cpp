#include <memory>

#include "command.hpp"
#include "options/loop_state.hpp"
#include "options/robot_options.hpp"
#include "output/open_file.hpp"
#include "output/output_file.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/internal/mesh_packages.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/report/report.hpp"

namespace ulna::cli::view_detail {
namespace {

constexpr const char* examples = R"(  ulna view puma560
  ulna view arm.urdf --q 0,45deg,0.2 -o arm.html --open

Writes an HTML page with the robot in 3D and a slider for each joint; loops stay closed. On a terminal
with a display the page is opened in the browser, otherwise its name is printed.)";

struct Options : RobotOptions {
  VectorOption q;
  std::optional<std::string> output;
  bool open = false, no_open = false;
};

/// The robot with its meshes found; those that are not are noted.
Model with_meshes(Model model, const std::map<std::string, std::string>& packages) {
  Robot robot = model.robot();
  for (const std::string& text : resolve_meshes(robot, packages)) note(text);
  return made_from(model, std::move(robot));
}

int run(const Options& options) {
  if (options.output) require_html_name(*options.output);
  if (options.open && options.no_open)
    throw InputError("--open is given together with --no-open", "one of them");
  const Model model = with_meshes(load(options), read_options(options).packages);
  const std::string output = options.output.value_or("view.html");
  write_file(output, pose_html(model, closed_state(model, options.q).q));
  say_written(output, options.json);
  const bool asked = !options.json && terminal_width() > 0 && has_display();
  if (options.open || (asked && !options.no_open)) open_in_browser(output);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::view_detail

namespace ulna::cli {

Command add_view(CLI::App& program) {
  auto options = std::make_shared<view_detail::Options>();
  CLI::App* app = add_robot_command(program, "view",
                                    "HTML page with the robot in 3D and a slider for each joint",
                                    view_detail::examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "-o,--output", options->output, "FILE", "Output file (default: view.html)");
  add_flag(*app, "--open", options->open,
           "Open it in the browser (xdg-open) even without a terminal");
  add_flag(*app, "--no-open", options->no_open, "Write the file without opening it");
  return {app, [options] { return view_detail::run(*options); }};
}

}  // namespace ulna::cli
