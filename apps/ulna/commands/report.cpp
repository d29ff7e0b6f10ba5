#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/command_line.hpp"
#include "options/robot_options.hpp"
#include "output/film_output.hpp"
#include "output/json_output.hpp"
#include "output/open_file.hpp"
#include "output/output_file.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/internal/mesh_packages.hpp"
#include "ulna/report/report.hpp"

namespace ulna::cli::report_detail {
namespace {

constexpr const char* examples = R"(  ulna simulate experiment.yaml -o run
  ulna report run -o report.html
  ulna report run --title 'Pick and place' --open
  ulna report run --compare other -o both.html
  ulna report --compare A B C -o all.html
  ulna report run --frames pictures --size 1920x1080 --fps 50
  ulna report run --video run.mp4 --speed 0.25

Writes one self-contained HTML file with the moving robot, its plots and a summary. It opens by double
click and can be sent by e-mail. --frames and --video draw the robot with Chromium, if that is installed;
the page is then written only if -o is given.)";

struct Options {
  std::optional<std::string> run;
  std::vector<std::string> compare;
  std::optional<std::string> output, title, size;
  FilmOutput film;
  std::vector<std::string> packages;
  bool open = false, json = false;
};

/// What the command wrote.
struct Written {
  std::optional<std::string> page, frames, video;
  std::optional<long> pictures;
};

void print_written_json(const Written& written) {
  Json out = json_object();
  if (written.page) out["file"] = *written.page;
  if (written.frames) out["frames"] = *written.frames;
  if (written.video) out["video"] = *written.video;
  if (written.pictures) out["count"] = *written.pictures;
  print_json(out);
}

void print_written(const Written& written) {
  if (written.page) say_written(*written.page, false);
  if (written.frames)
    print(
        fmt::format("wrote {} pictures into {}\n", *written.pictures, printable(*written.frames)));
  if (written.video) say_written(*written.video, false);
}

int run(const Options& options) {
  const bool film = options.film.frames || options.film.video;
  if (options.open && film && !options.output)
    throw InputError("--open opens a page", "-o FILE.html together with --frames or --video");
  const std::string output = options.output.value_or("report.html");
  require_html_name(output);
  FilmOutput pictures = options.film;
  if (options.size) parse_size(*options.size, pictures.options);
  ReportOptions report;
  report.title = options.title.value_or("");
  std::vector<std::string> names = options.compare;
  if (options.run) names.insert(names.begin(), *options.run);
  if (names.empty()) throw InputError("no run is given", "ulna report RUN");
  StoredRun stored = read_run(names.front());
  RobotOptions robot;
  robot.packages = options.packages;
  for (const std::string& text : resolve_meshes(stored.robot, read_options(robot).packages))
    note(text);
  if (!stored.complete) warn("the run is not complete; the report ends where it does");
  std::vector<StoredRun> others;
  for (std::size_t k = 1; k < names.size(); ++k) others.push_back(read_run(names[k]));
  for (const StoredRun& other : others) report.compare.push_back(&other);
  Written written;
  if (!film || options.output) {
    write_file(output, report_html(stored, report));
    written.page = output;
  }
  if (film) {
    written.pictures = write_film(stored, report, pictures);
    written.frames = pictures.frames;
    written.video = pictures.video;
  }
  options.json ? print_written_json(written) : print_written(written);
  if (options.open) open_in_browser(output);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::report_detail

namespace ulna::cli {

Command add_report(CLI::App& program) {
  auto options = std::make_shared<report_detail::Options>();
  CLI::App* app =
      add_command(program, "report", "HTML report of a run: the robot in motion, with plots",
                  report_detail::examples);
  add_argument(*app, "RUN", options->run, "The directory of a run");
  add_text(*app, "-o,--output", options->output, "FILE", "Output file (default: report.html)");
  add_text(*app, "--title", options->title, "TEXT", "Title (default: the name of the experiment)");
  add_list(*app, "--compare", options->compare, "DIR ...",
           "Further runs of the same robot, drawn with dashed lines and translucent robots");
  add_text(*app, "--frames", options->film.frames, "DIR",
           "Write pictures of the robot as PNG files into this folder");
  add_text(*app, "--video", options->film.video, "FILE.gif|.mp4", "Write a video (needs ffmpeg)");
  add_text(*app, "--size", options->size, "WxH",
           "Size of the pictures in pixels (default: 1280x720)");
  add_number(*app, "--fps", options->film.options.fps, "N", "Pictures per second (default: 25)");
  add_number(*app, "--speed", options->film.options.speed, "X",
             "Playback speed: seconds of the run per second of the video (default: 1)");
  add_texts(*app, "--package", options->packages, "NAME=DIR",
            "Folder of a package:// name of meshes; may be repeated");
  add_flag(*app, "--open", options->open, "Open it in the browser (xdg-open)");
  add_json_flag(*app, options->json);
  return {app, [options] { return report_detail::run(*options); }};
}

}  // namespace ulna::cli
