#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "commands/modes_options.hpp"
#include "options/sweep_text.hpp"
#include "output/interrupt.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/picture.hpp"
#include "output/progress.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/report/internal/heat_map.hpp"
#include "ulna/report/plot.hpp"
#include "ulna/structure/sweep.hpp"

namespace ulna::cli::modes_map_detail {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Postures over the grid, x running fastest; a mechanism does not reach all of them.
struct Grid {
  std::array<CoordinateRange, 2> ranges;
  std::vector<StructureVariant> variants;
  std::vector<int> point;   ///< of each variant, i + nx j
  Eigen::Matrix3Xd places;  ///< of the frame, by point; NaN where not reached
  Eigen::MatrixXd hertz;    ///< points by modes
  int nx() const { return static_cast<int>(ranges[0].values.size()); }
  int ny() const { return static_cast<int>(ranges[1].values.size()); }
  Eigen::MatrixXd grid(const Eigen::VectorXd& by_point) const {
    return Eigen::Map<const Eigen::MatrixXd>(by_point.data(), nx(), ny());
  }
};

int nearest_to(const std::vector<double>& values, double x) {
  int best = 0;
  for (int k = 1; k < static_cast<int>(values.size()); ++k)
    if (std::abs(values[k] - x) < std::abs(values[best] - x)) best = k;
  return best;
}

// Spreads from the point nearest to q over the grid, each posture from a neighbour's: so a
// mechanism stays the branch that q is of.
std::vector<Eigen::VectorXd> postures_over(const Grid& grid, const Model& model,
                                           const Eigen::VectorXd& q) {
  const auto& [x, y] = grid.ranges;
  std::vector<Eigen::VectorXd> postures(grid.nx() * grid.ny());
  const auto reach = [&](int i, int j, const Eigen::VectorXd& from) {
    if (i < 0 || j < 0 || i >= grid.nx() || j >= grid.ny()) return false;
    Eigen::VectorXd& posture = postures[i + grid.nx() * j];
    if (posture.size() > 0) return false;
    try {
      posture = posture_with(model, from, {x.coordinate, y.coordinate}, {x.values[i], y.values[j]});
    } catch (const ComputationError&) {
      return false;  // out of reach: left white
    }
    return true;
  };
  std::vector<std::pair<int, int>> reached;
  const std::pair first{nearest_to(x.values, q(x.coordinate)),
                        nearest_to(y.values, q(y.coordinate))};
  if (reach(first.first, first.second, q)) reached.push_back(first);
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const auto [i, j] = reached[k];
    for (const auto& [di, dj] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}})
      if (reach(i + di, j + dj, postures[i + grid.nx() * j])) reached.emplace_back(i + di, j + dj);
  }
  return postures;
}

Grid grid_of(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options) {
  Grid grid;
  grid.ranges = parse_map(*options.map, model);
  const int frame = frame_or_tip(model, options.frame);
  const auto shared = std::make_shared<const Model>(model);
  Workspace work(model);
  grid.places.setConstant(3, grid.nx() * grid.ny(), nothing);
  const std::vector<Eigen::VectorXd> postures = postures_over(grid, model, q);
  for (int point = 0; point < grid.nx() * grid.ny(); ++point) {
    if (postures[point].size() == 0) continue;
    grid.variants.push_back({"", double(point), shared, postures[point]});
    grid.point.push_back(point);
    update_poses(model, work, postures[point]);
    grid.places.col(point) = frame_pose(model, work, frame).position;
  }
  if (grid.variants.empty())
    throw ComputationError(
        "the loops cannot be closed at the point of the map nearest to --q; give a --q inside it");
  return grid;
}

using Frequencies = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;

/// In the modal coordinates of flexible bodies.
void solve_modal(Grid& grid, const Frequencies& frequencies, int count) {
  const InterruptGuard guard;
  Progress progress("postures", static_cast<long>(grid.variants.size()), 1000);
  for (std::size_t k = 0; k < grid.point.size(); ++k) {
    if (guard.interrupted()) throw ComputationError("interrupted");
    const Eigen::VectorXd omega = frequencies(grid.variants[k].q);
    const long found = std::min<long>(count, omega.size());
    if (k == 0) grid.hertz.setConstant(grid.nx() * grid.ny(), found, nothing);
    grid.hertz.row(grid.point[k]) = omega.head(found).transpose() * hertz;
    progress.update(static_cast<long>(k));
  }
}

void solve(Grid& grid, const Model& model, const ModesOptions& options, int count) {
  SweepOptions run;
  run.structure = structure_options(model, options.structure);
  run.count = count;
  run.follow = false;
  if (options.threads) run.threads = parse_count("--threads", *options.threads, 1);
  const auto points = static_cast<long>(grid.variants.size());
  const InterruptGuard guard;
  Progress progress("postures", points, 1000);
  run.progress = [&](double share) { progress.update(std::lround(share * double(points))); };
  run.stop = [&] { return guard.interrupted(); };
  const SweepResult result = sweep_modes(grid.variants, run);
  if (!result.warnings.empty()) warn(result.warnings[0]);
  grid.hertz.setConstant(grid.nx() * grid.ny(), result.omega.cols(), nothing);
  for (std::size_t k = 0; k < grid.point.size(); ++k)
    grid.hertz.row(grid.point[k]) = result.omega.row(static_cast<int>(k)) * hertz;
}

std::string label_of(const CoordinateRange& range) {
  return range.name + (range.unit.empty() ? "" : " [" + range.unit + "]");
}

// The plane in which the frame moves most, by world axes.
std::pair<int, int> plane_of(const Grid& grid) {
  Eigen::Vector3d spread = Eigen::Vector3d::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    double low = INFINITY, high = -INFINITY;
    for (const int point : grid.point) {
      low = std::min(low, grid.places(axis, point));
      high = std::max(high, grid.places(axis, point));
    }
    spread(axis) = high - low;
  }
  int least = 0;
  // Of axes alike the first is left out last, so that x and z remain of a vertical plane.
  for (int axis = 1; axis < 3; ++axis)
    if (spread(axis) < spread(least) * (1 - 1e-9)) least = axis;
  return least == 0 ? std::pair{1, 2} : least == 1 ? std::pair{0, 2} : std::pair{0, 1};
}

void write_picture(const std::string& file, const Grid& grid, const Model& model,
                   const ModesOptions& options, int mode) {
  const auto values = [](const CoordinateRange& range) {
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(range.values.data(), Eigen::Index(range.values.size())));
  };
  const auto [a, b] = plane_of(grid);
  const char* const axes[3] = {"x [m]", "y [m]", "z [m]"};
  const std::string frame = model.frames()[frame_or_tip(model, options.frame)].name;
  HeatMap map;
  map.title =
      fmt::format("{}: frequency {} by posture, and by place of {}", model.name(), mode + 1, frame);
  map.label = "Hz";
  map.x = {label_of(grid.ranges[0]), values(grid.ranges[0])};
  map.y = {label_of(grid.ranges[1]), values(grid.ranges[1])};
  map.values = grid.grid(grid.hertz.col(mode));
  map.place_x = grid.grid(grid.places.row(a));
  map.place_y = grid.grid(grid.places.row(b));
  map.place_x_label = axes[a], map.place_y_label = axes[b];
  const std::string svg = heat_map_svg(map);
  write_file(file, file.ends_with(".png") ? png_from_svg(svg) : svg);
}

void write_numbers(const std::string& file, const Grid& grid) {
  RecordTable table;
  for (const CoordinateRange& r : grid.ranges)
    table.titles.push_back(r.name + (r.unit.empty() ? "" : "[" + r.unit + "]"));
  for (const char* axis : {"place.x[m]", "place.y[m]", "place.z[m]"})
    table.titles.emplace_back(axis);
  for (int k = 1; k <= grid.hertz.cols(); ++k)
    table.titles.push_back(fmt::format("frequency.mode {}[Hz]", k));
  table.values.resize(Eigen::Index(grid.point.size()), Eigen::Index(table.titles.size()));
  for (std::size_t k = 0; k < grid.point.size(); ++k) {
    const int point = grid.point[k];
    table.values.row(Eigen::Index(k)) << grid.ranges[0].values[point % grid.nx()],
        grid.ranges[1].values[point / grid.nx()], grid.places.col(point).transpose(),
        grid.hertz.row(point);
  }
  write_table(file, table);
}

// NaN becomes null.
Json grid_json(const Eigen::MatrixXd& values) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    Json row = Json::array();
    for (const double v : values.row(i)) row.push_back(std::isfinite(v) ? Json(v) : Json());
    rows.push_back(std::move(row));
  }
  return rows;
}

void print_map(const Grid& grid, const ModesOptions& options) {
  Json out = json_object();
  out["coordinates"] = {grid.ranges[0].name, grid.ranges[1].name};
  out["values"] = {grid.ranges[0].values, grid.ranges[1].values};
  out["frequencies_hz"] = Json::array();
  for (int k = 0; k < grid.hertz.cols(); ++k)
    out["frequencies_hz"].push_back(grid_json(grid.grid(grid.hertz.col(k))));
  for (int axis = 0; axis < 3; ++axis)
    out["places"].push_back(grid_json(grid.grid(grid.places.row(axis))));
  out["reached"] = grid.point.size();
  if (options.output) out["file"] = *options.output;
  print_json(out);
}

void print_extremes(const Grid& grid) {
  const auto at = [&](int point) {
    return fmt::format("{} = {:.4g}, {} = {:.4g}", grid.ranges[0].name,
                       grid.ranges[0].values[point % grid.nx()], grid.ranges[1].name,
                       grid.ranges[1].values[point / grid.nx()]);
  };
  print(heading(fmt::format("{} postures of {}", grid.point.size(), grid.nx() * grid.ny())));
  for (int k = 0; k < grid.hertz.cols(); ++k) {
    int low = grid.point[0], high = low;
    for (const int point : grid.point) {
      if (grid.hertz(point, k) < grid.hertz(low, k)) low = point;
      if (grid.hertz(point, k) > grid.hertz(high, k)) high = point;
    }
    print(fmt::format("frequency {}: {:.6g} Hz at {} to {:.6g} Hz at {}\n", k + 1,
                      grid.hertz(low, k), at(low), grid.hertz(high, k), at(high)));
  }
}

}  // namespace
}  // namespace ulna::cli::modes_map_detail

namespace ulna::cli {

int modes_map(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options, int count,
              const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& frequencies) {
  const int mode = options.mode ? parse_count("--mode", *options.mode, 1) - 1 : 0;
  if (options.output && !options.output->ends_with(".svg") && !options.output->ends_with(".png") &&
      !options.output->ends_with(".csv"))
    throw InputError(Problem{{*options.output, 0, 0},
                             {},
                             "unknown kind of picture",
                             "a name that ends in .svg, .png or .csv",
                             {}});
  modes_map_detail::Grid grid = modes_map_detail::grid_of(model, q, options);
  if (frequencies)
    modes_map_detail::solve_modal(grid, frequencies, std::max(count, mode + 1));
  else
    modes_map_detail::solve(grid, model, options, std::max(count, mode + 1));
  if (mode >= grid.hertz.cols())
    throw InputError(Problem{{},
                             "--mode",
                             fmt::format("found {}", mode + 1),
                             fmt::format("1 to {}, the freedoms", grid.hertz.cols()),
                             {}});
  if (options.output && options.output->ends_with(".csv"))
    modes_map_detail::write_numbers(*options.output, grid);
  else if (options.output)
    modes_map_detail::write_picture(*options.output, grid, model, options, mode);
  if (options.json)
    modes_map_detail::print_map(grid, options);
  else
    modes_map_detail::print_extremes(grid);
  if (options.output && !options.json)
    print(fmt::format("\nwrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace ulna::cli
