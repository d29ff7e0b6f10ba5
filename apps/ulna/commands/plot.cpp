#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <numeric>

#include "command.hpp"
#include "options/command_line.hpp"
#include "options/vector_text.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/report/plot.hpp"

namespace ulna::cli::plot_detail {
namespace {

constexpr const char* examples = R"(  ulna plot run -o run.svg
  ulna plot run --channels 'tau*,q.joint1' -o torques.png
  ulna plot table.csv --columns 2 --title 'Measured' -o table.svg

RUN is the directory of a run, or any CSV file with a line of titles ("tau.joint1[Nm]"). One panel for each
group of channels. PNG needs rsvg-convert (Debian: librsvg2-bin).)";

struct Options {
  std::string run;
  std::optional<std::string> output, channels, title, columns;
  bool json = false;
};

RecordTable table_of(const std::string& run) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(run, ignored)) return read_table(run);
  StoredRun stored = read_run(run);
  return {std::move(stored.columns), std::move(stored.values)};
}

int run(const Options& options) {
  const std::string output = options.output.value_or("plot.svg");
  const bool png = output.ends_with(".png");
  if (!png && !output.ends_with(".svg"))
    throw InputError(Problem{
        {output, 0, 0}, {}, "unknown kind of picture", "a name that ends in .svg or .png", {}});
  const RecordTable table = table_of(options.run);
  PlotOptions plot;
  plot.title = options.title.value_or("");
  if (options.columns) plot.columns = parse_count("--columns", *options.columns, 1);
  std::vector<int> channels(table.titles.size() - 1);
  std::iota(channels.begin(), channels.end(), 1);
  if (options.channels) channels = select_channels(table.titles, *options.channels);
  const std::string svg = plot_svg(table, channels, plot);
  write_file(output, png ? png_from_svg(svg) : svg);
  if (options.json) {
    Json out = json_object();
    out["file"] = output;
    out["channels"] = Json::array();
    for (const int k : channels) out["channels"].push_back(channel_title(table.titles[k]).name);
    print_json(out);
  } else {
    print(fmt::format("wrote {}\n", printable(output)));
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::plot_detail

namespace ulna::cli {

Command add_plot(CLI::App& program) {
  auto options = std::make_shared<plot_detail::Options>();
  CLI::App* app = add_command(program, "plot", "Time plots of a run or a CSV file, as SVG or PNG",
                              plot_detail::examples);
  add_argument(*app, "RUN", options->run, "The directory of a run, or a CSV file").required();
  add_text(*app, "--channels", options->channels, "A,B*,...",
           "Channels or groups; all when absent");
  add_text(*app, "-o,--output", options->output, "FILE",
           "The picture, .svg or .png; plot.svg when absent");
  add_text(*app, "--title", options->title, "TEXT", "Stands above the panels");
  add_text(*app, "--columns", options->columns, "N", "Panels side by side; 1 when absent");
  add_json_flag(*app, options->json);
  return {app, [options] { return plot_detail::run(*options); }};
}

}  // namespace ulna::cli
