#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>

#include "command.hpp"
#include "options/command_line.hpp"
#include "options/vector_text.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/picture.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/report/plot.hpp"

namespace ulna::cli::plot_detail {
namespace {

constexpr const char* examples = R"(  ulna plot run -o run.svg
  ulna plot run --channels 'tau*,q.joint1' -o torques.png
  ulna plot run1 run2 measured.csv --channels q -o compared.pdf --size 500x180
  ulna plot response.csv --x log --y decibel --range 1:100 -o bode.svg
  ulna plot table.csv --columns 2 --title 'Measured' -o table.svg
  ulna plot run --channels tau -o peaks.tex

RUN is the folder of a run, or any CSV file with a line of titles ("tau.joint1[Nm]"). Each group of
channels has one panel; commanded values (reference) are dotted lines beside the coordinates. With
several runs, the lines of the second and further runs are dashed. PNG and PDF need rsvg-convert (Debian:
librsvg2-bin). A .tex file is a table of smallest, largest and final values.)";

struct Options {
  std::vector<std::string> runs;
  std::optional<std::string> output, channels, title, columns, size, x, y, range, y_range;
  bool json = false;
};

RecordTable table_of(const std::string& run) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(run, ignored)) return read_table(run);
  if (run.ends_with(".csv"))
    throw InputError(Problem{{run}, {}, "no such file", "the folder of a run, or a CSV file", {}});
  StoredRun stored = read_run(run);
  return {std::move(stored.columns), std::move(stored.values)};
}

AxisScale scale_named(const std::string& option, const std::optional<std::string>& text,
                      bool decibel) {
  if (!text || *text == "linear") return AxisScale::linear;
  if (*text == "log") return AxisScale::logarithmic;
  if (decibel && *text == "decibel") return AxisScale::decibel;
  throw InputError(Problem{{},
                           option,
                           fmt::format("'{}' found", *text),
                           decibel ? "linear, log or decibel" : "linear or log",
                           {}});
}

AxisRange range_in(const std::string& option, const std::optional<std::string>& text) {
  AxisRange range;
  if (!text) return range;
  const std::size_t colon = text->find(':');
  if (colon == std::string::npos)
    throw InputError(Problem{{}, option, fmt::format("'{}' found", *text), "LOW:HIGH, 0:2", {}});
  if (colon > 0) range.low = parse_number(option, text->substr(0, colon));
  if (colon + 1 < text->size()) range.high = parse_number(option, text->substr(colon + 1));
  return range;
}

PlotOptions plot_options(const Options& options) {
  PlotOptions plot;
  plot.title = options.title.value_or("");
  if (options.columns) plot.columns = parse_count("--columns", *options.columns, 1);
  if (options.size) {
    const std::size_t cross = options.size->find('x');
    if (cross == std::string::npos)
      throw InputError(Problem{{},
                               "--size",
                               fmt::format("'{}' found", *options.size),
                               "WIDTHxHEIGHT of a panel, 680x210",
                               {}});
    plot.width = parse_count("--size", options.size->substr(0, cross), 200);
    plot.panel_height = parse_count("--size", options.size->substr(cross + 1), 60);
  }
  plot.x_scale = scale_named("--x", options.x, false);
  plot.y_scale = scale_named("--y", options.y, true);
  plot.x_range = range_in("--range", options.range);
  plot.y_range = range_in("--y-range", options.y_range);
  return plot;
}

std::vector<int> channels_of(const RecordTable& table, const std::optional<std::string>& patterns) {
  if (patterns) return select_channels(table.titles, *patterns);
  std::vector<int> channels(table.titles.size() - 1);
  std::iota(channels.begin(), channels.end(), 1);
  return channels;
}

/// Panels in which all lines of all runs are zero, or rounding noise beside the others of their
/// group, say nothing (reactions of frames fixed to a link, moments of hinges, efforts of passive
/// joints): they are left out and named, unless nothing else is left.
void leave_out_zeros(std::vector<PlotRun>& runs) {
  const auto panel_of = [](const PlotRun& run, int column) {
    const ChannelTitle title = channel_title(run.table->titles[static_cast<std::size_t>(column)]);
    return std::pair(title.group, title.unit);
  };
  constexpr double noise = 1e-9;  // as on the page of a report
  std::map<std::pair<std::string, std::string>, double> largest;
  std::map<std::string, double> of_group;
  for (const PlotRun& run : runs)
    for (const int column : run.channels) {
      const auto panel = panel_of(run, column);
      const double size = run.table->values.col(column).cwiseAbs().maxCoeff();
      largest[panel] = std::max(largest[panel], size);
      of_group[panel.first] = std::max(of_group[panel.first], size);
    }
  std::map<std::pair<std::string, std::string>, bool> seen;  // whether anything is not zero
  std::vector<std::string> empty;
  for (const auto& [panel, size] : largest) {
    seen[panel] = size > noise * of_group[panel.first];
    if (seen[panel]) continue;
    const auto& [group, unit] = panel;
    empty.push_back(unit.empty() ? group : fmt::format("{} [{}]", group, unit));
  }
  if (empty.empty() || std::ranges::none_of(seen, [](const auto& p) { return p.second; })) return;
  for (PlotRun& run : runs)
    std::erase_if(run.channels, [&](int column) { return !seen[panel_of(run, column)]; });
  note(fmt::format("left out, because they are zero all the time: {}", fmt::join(empty, ", ")));
}

int run(const Options& options) {
  const std::string output = options.output.value_or("plot.svg");
  const bool latex = output.ends_with(".tex");
  if (!latex && !is_picture(output))
    throw InputError(Problem{{output, 0, 0},
                             {},
                             "unknown kind of picture",
                             "a name that ends in .svg or .png, .pdf or .tex",
                             {}});
  const PlotOptions plot = plot_options(options);
  std::vector<RecordTable> tables;
  for (const std::string& name : options.runs) tables.push_back(table_of(name));
  std::vector<PlotRun> runs;
  for (std::size_t k = 0; k < tables.size(); ++k)
    runs.push_back({tables.size() > 1 ? options.runs[k] : "", &tables[k],
                    channels_of(tables[k], options.channels)});
  if (latex) {
    std::string text;
    for (const PlotRun& run : runs) text += latex_table(*run.table, run.channels);
    write_file(output, text);
  } else {
    leave_out_zeros(runs);
    write_picture(output, plot_svg(runs, plot));
  }
  if (options.json) {
    Json out = json_object();
    out["file"] = output;
    out["channels"] = Json::array();
    for (const int k : runs.front().channels)
      out["channels"].push_back(channel_title(tables.front().titles[k]).name);
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
  CLI::App* app = add_command(program, "plot", "Plots of runs and CSV files: SVG, PNG, PDF, LaTeX",
                              plot_detail::examples);
  add_arguments(*app, "RUN", options->runs, "Directories of runs, or CSV files").required();
  add_text(*app, "--channels", options->channels, "A,B*,...",
           "Channels or groups of channels (default: all)");
  add_text(*app, "-o,--output", options->output, "FILE",
           "Output file: a plot (.svg, .png, .pdf) or a table (.tex) (default: plot.svg)");
  add_text(*app, "--title", options->title, "TEXT", "Title above the panels");
  add_text(*app, "--columns", options->columns, "N", "Number of columns of panels (default: 1)");
  add_text(*app, "--size", options->size, "WxH", "Size of a panel in pixels (default: 680x210)");
  add_text(*app, "--x", options->x, "linear|log", "Scale of the abscissa");
  add_text(*app, "--y", options->y, "linear|log|decibel", "Scale of the ordinates, except phases");
  add_text(*app, "--range", options->range, "LOW:HIGH",
           "Range of the abscissa; either end may be omitted");
  add_text(*app, "--y-range", options->y_range, "LOW:HIGH", "Range of the ordinates");
  add_json_flag(*app, options->json);
  return {app, [options] { return plot_detail::run(*options); }};
}

}  // namespace ulna::cli
