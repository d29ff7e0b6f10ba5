#include "commands/platform_slice.hpp"

#include <fmt/format.h>

#include <map>

#include "options/command_line.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/report/internal/workspace_plot.hpp"

namespace ulna::cli::platform_slice_detail {
namespace {

[[noreturn]] void refuse(const std::string& found) {
  throw InputError(Problem{{},
                           "--slice",
                           fmt::format("'{}' found", found),
                           "two ranges, such as x=-1:1,rz=-30deg:30deg",
                           {}});
}

SliceRange range_from(const std::string& text, int points) {
  const std::size_t equals = text.find('='), colon = text.find(':');
  if (equals == std::string::npos || colon == std::string::npos || colon < equals) refuse(text);
  const SliceAxis axis = slice_axis_named(text.substr(0, equals));
  const Dimension dimension = static_cast<int>(axis) < 3 ? Dimension::length : Dimension::angle;
  const Eigen::VectorXd ends = parse_vector(
      "--slice", text.substr(equals + 1, colon - equals - 1) + "," + text.substr(colon + 1),
      {{"from", dimension}, {"to", dimension}});
  return {axis, ends(0), ends(1), points};
}

std::array<SliceRange, 2> ranges_from(const SliceOptions& options) {
  const int points = options.points ? parse_count("--points", *options.points, 2) : 61;
  if (points > 2000)
    throw InputError(Problem{{}, "--points", fmt::format("{} found", points), "at most 2000", {}});
  const std::string& text = *options.slice;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || text.find(',', comma + 1) != std::string::npos) refuse(text);
  return {range_from(text.substr(0, comma), points), range_from(text.substr(comma + 1), points)};
}

Json slice_json(const WorkspaceSlice& slice) {
  Json out = json_object();
  out["axes"] = {name_of(slice.ranges[0].axis), name_of(slice.ranges[1].axis)};
  for (int axis = 0; axis < 2; ++axis) {
    Json values = Json::array();
    for (int i = 0; i < slice.ranges[axis].count; ++i) values.push_back(slice.value(axis, i));
    out["values"].push_back(values);
  }
  out["share"] = slice.share;
  out["area"] = slice.area;
  // One row for each value of the second axis.
  out["fault"] = Json::array();
  out["condition"] = Json::array();
  out["beside"] = Json::array();
  for (int j = 0; j < slice.ranges[1].count; ++j) {
    Json faults = Json::array(), conditions = Json::array(), beside = Json::array();
    for (int i = 0; i < slice.ranges[0].count; ++i) {
      const PoseCheck& check = slice.at(i, j);
      faults.push_back(name_of(check.fault));
      beside.push_back(check.beside);
      conditions.push_back(std::isfinite(check.condition) ? Json(check.condition) : Json());
    }
    out["fault"].push_back(faults);
    out["condition"].push_back(conditions);
    out["beside"].push_back(beside);
  }
  return out;
}

}  // namespace
}  // namespace ulna::cli::platform_slice_detail

namespace ulna::cli {

PlatformLimits SliceOptions::limits() const {
  PlatformLimits limits;
  if (ball_angle)
    limits.ball_angle = parse_vector("--ball-angle", *ball_angle, {{"angle", Dimension::angle}})(0);
  if (leg_radius)
    limits.leg_radius =
        parse_vector("--leg-radius", *leg_radius, {{"radius", Dimension::length}})(0);
  return limits;
}

void add_slice_options(CLI::App& command, SliceOptions& options) {
  add_text(command, "--slice", options.slice, "A=FROM:TO,B=FROM:TO",
           "Map the workspace over two of x, y, z, rx, ry, rz around the pose");
  add_text(command, "--points", options.points, "N",
           "Points along each axis of a slice (default: 61)");
  add_text(command, "--ball-angle", options.ball_angle, "ANGLE",
           "Largest angle of a leg at the platform from that at home (default: no limit)");
  add_text(command, "--leg-radius", options.leg_radius, "R",
           "Radius of legs without geometry in the robot file, for clearances");
  add_text(command, "-o,--output", options.output, "FILE",
           "Write the plot of a slice (.svg); with an experiment the table (.csv, .svg)");
}

std::array<SliceRange, 2> slice_ranges(const SliceOptions& options) {
  return platform_slice_detail::ranges_from(options);
}

int run_slice(const Platform& platform, const Pose<double>& middle, const SliceOptions& options,
              bool json) {
  const WorkspaceSlice slice =
      workspace_slice(platform, middle, slice_ranges(options), options.limits());
  return print_slice(slice, singular_loci(platform, slice), platform.data().name, options, json);
}

int print_slice(const WorkspaceSlice& slice, const std::vector<LocusPiece>& loci,
                const std::string& robot, const SliceOptions& options, bool json) {
  if (options.output)
    write_file(*options.output,
               workspace_svg(slice,
                             fmt::format("{}: {} over {}", robot, name_of(slice.ranges[1].axis),
                                         name_of(slice.ranges[0].axis)),
                             loci));
  if (json) {
    Json out = platform_slice_detail::slice_json(slice);
    out["singular"] = Json::array();
    for (const LocusPiece& piece : loci)
      out["singular"].push_back(Json::array(
          {Json::array({piece.from[0], piece.from[1]}), Json::array({piece.to[0], piece.to[1]})}));
    out["outputs"] = Json::array();
    if (options.output) out["outputs"].push_back(*options.output);
    print_json(out);
    return 0;
  }
  double beside = 0;
  for (const PoseCheck& check : slice.checks) beside = std::max(beside, check.beside);
  std::map<std::string, int> count;
  for (const PoseCheck& check : slice.checks)
    ++count[check.fault == PoseFault::none ? "good" : name_of(check.fault)];
  std::vector<std::string> words, numbers;
  for (const auto& [word, number] : count) {
    words.push_back(word);
    numbers.push_back(std::to_string(number));
  }
  print(Table().words("poses", words).words("count", numbers).text());
  print(fmt::format("\n  good: {} of the slice, {} in the units of its axes\n",
                    number_text(slice.share), number_text(slice.area)));
  if (beside > 1e-9)
    print(fmt::format(
        "  the platform moves besides by up to {} m (turns by its radius): it has fewer "
        "than six degrees of freedom\n",
        number_text(beside)));
  if (!loci.empty())
    print(fmt::format("  curves of singular poses cross {} cells of the grid\n", loci.size()));
  if (options.output) print("wrote " + *options.output + "\n");
  return 0;
}

}  // namespace ulna::cli
