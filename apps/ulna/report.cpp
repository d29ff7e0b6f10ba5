#include <fmt/format.h>

#include <CLI/App.hpp>
#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "open_file.hpp"
#include "output_file.hpp"
#include "robot_options.hpp"
#include "terminal.hpp"
#include "ulna/report/report.hpp"

namespace ulna::cli {
namespace {

constexpr const char* examples = R"(  ulna simulate experiment.yaml -o run
  ulna report run -o report.html
  ulna report run --title 'Pick and place' --open
  ulna report run --compare other -o both.html

One HTML file that needs nothing else: the robot moving, its plots, a summary. It opens by double click
and can be sent by e-mail.)";

struct Options {
  std::string run;
  std::optional<std::string> output, title, compare;
  bool open = false, json = false;
};

int run(const Options& options) {
  const std::string output = options.output.value_or("report.html");
  require_html_name(output);
  ReportOptions report;
  report.title = options.title.value_or("");
  const StoredRun stored = read_run(options.run);
  if (!stored.complete) warn("the run is not complete; the report ends where it does");
  std::optional<StoredRun> other;
  if (options.compare) report.compare = &other.emplace(read_run(*options.compare));
  write_file(output, report_html(stored, report));
  say_written(output, options.json);
  if (options.open) open_in_browser(output);
  return 0;
}

}  // namespace

Command add_report(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app =
      program.add_subcommand("report", "One HTML file with the robot moving and its plots");
  app->footer(std::string("Examples:\n") + examples);
  app->add_option("RUN", options->run, "The directory of a run")->required()->type_name("");
  add_text(*app, "-o,--output", options->output, "FILE",
           "The file to write; report.html when absent");
  add_text(*app, "--title", options->title, "TEXT", "Title; the experiment's name when absent");
  add_text(*app, "--compare", options->compare, "DIR",
           "A second run of the same robot: dashed lines, a translucent robot");
  app->add_flag("--open", options->open, "Open it in the browser (xdg-open)");
  add_json_flag(*app, options->json);
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
