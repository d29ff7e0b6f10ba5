// `ulna platform EXPERIMENT`: how well the drives hold the platform along a motion.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/matrices_experiment.hpp"
#include "commands/platform_options.hpp"
#include "options/loop_state.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/parallel_quality.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna::cli::platform_path_detail {
namespace {

/// t, condition, determinant, distance to the nearest singular pose (NaN: none found).
struct PathRecord {
  double t, condition, determinant, distance;
};

/// How far the legs stand from the working mode that the closed form knows.
double branch_gap(const Model& model, const Platform& platform, const PlatformMotion& at,
                  const Eigen::VectorXd& q) {
  double most = 0;
  for (int k = 0; k < platform.legs(); ++k) {
    const PlatformLeg& leg = platform.data().legs[k];
    const double off = at.legs[k].q - q(model.joints()[model.joint(leg.name)].q);
    most = std::max(most, std::abs(leg.drive_slides() ? off : 2 * std::sin(0.5 * off)));
  }
  return most;
}

/// Empty where legs work in another mode than the closed form has.
std::vector<PathRecord> closed_form_records(const RecordedMotion& motion,
                                            const Platform& platform) {
  const Model& model = *motion.experiment.model;
  std::vector<PathRecord> records;
  std::vector<Pose<double>> path;
  PlatformMotion at(platform);
  for (const RecordedState& state : motion.states) {
    const Pose<double> pose = platform_pose(model, platform, state.q);
    platform.inverse(pose, at);
    if (!(branch_gap(model, platform, at, state.q) < 1e-6)) return {};
    const PlatformSingularity held = singularity(platform, at, pose);
    records.push_back({state.t, held.condition, held.determinant, NAN});
    path.push_back(pose);
  }
  const std::vector<NearestSingularity> nearest = nearest_singularities(platform, path);
  for (std::size_t k = 0; k < records.size(); ++k)
    if (nearest[k].found) records[k].distance = nearest[k].distance;
  return records;
}

std::vector<PathRecord> general_records(const RecordedMotion& motion, const ParallelRobot& robot) {
  std::vector<PathRecord> records;
  Holding holding(&robot);
  std::vector<Eigen::VectorXd> postures;
  for (const RecordedState& state : motion.states) postures.push_back(state.q);
  const std::vector<NearestSingularity> singular = nearest_singularities(robot, postures);
  for (std::size_t k = 0; k < postures.size(); ++k) {
    const RecordedState& state = motion.states[k];
    const PlatformSingularity held = robot.singularity(robot.rates(state.q), robot.pose(state.q));
    const double side = holding.next(state.q);
    const NearestSingularity& nearest = singular[k];
    records.push_back({state.t, held.condition, std::copysign(held.determinant, side),
                       nearest.found ? nearest.distance : NAN});
  }
  return records;
}

/// Times between which the determinant changes its sign: a singular pose is passed.
std::vector<std::pair<double, double>> crossings(const std::vector<PathRecord>& records) {
  std::vector<std::pair<double, double>> list;
  for (std::size_t k = 1; k < records.size(); ++k)
    if (records[k].determinant * records[k - 1].determinant < 0)
      list.emplace_back(records[k - 1].t, records[k].t);
  return list;
}

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(); }

void print_records_json(const std::vector<PathRecord>& records, const PlatformOptions& options,
                        const std::string& name) {
  Json out = json_object();
  out["experiment"] = name;
  out["records"] = Json::array();
  for (const PathRecord& r : records)
    out["records"].push_back({{"t", r.t},
                              {"condition", number_or_null(r.condition)},
                              {"determinant", r.determinant},
                              {"distance", number_or_null(r.distance)}});
  out["crossings"] = Json::array();
  for (const auto& [from, to] : crossings(records))
    out["crossings"].push_back(Json::array({from, to}));
  out["outputs"] = Json::array();
  if (options.slice.output) out["outputs"].push_back(*options.slice.output);
  print_json(out);
}

void print_records(const std::vector<PathRecord>& records) {
  const std::size_t stride = std::max<std::size_t>(1, (records.size() + 19) / 20);
  std::vector<PathRecord> shown;
  for (std::size_t k = 0; k < records.size(); k += stride) shown.push_back(records[k]);
  Eigen::MatrixXd rows(shown.size(), 4);
  for (std::size_t k = 0; k < shown.size(); ++k)
    rows.row(static_cast<Eigen::Index>(k)) << shown[k].t, shown[k].condition, shown[k].determinant,
        shown[k].distance;
  print(Table().matrix({"t [s]", "condition", "determinant", "to singular [m]"}, rows).text());
  const PathRecord* nearest = nullptr;
  for (const PathRecord& r : records)
    if (std::isfinite(r.distance) && (!nearest || r.distance < nearest->distance)) nearest = &r;
  if (nearest)
    print(
        fmt::format("\n  nearest to a singular pose at t = {} s: {} m (turns by the platform's "
                    "radius)\n",
                    number_text(nearest->t), number_text(nearest->distance)));
  for (const auto& [from, to] : crossings(records))
    print(fmt::format("  a singular pose is passed between {} s and {} s\n", number_text(from),
                      number_text(to)));
}

}  // namespace
}  // namespace ulna::cli::platform_path_detail

namespace ulna::cli {

int run_platform_path(const PlatformOptions& options) {
  using namespace platform_path_detail;
  refuse_beside_experiment({{options.pose.given(), "--position"},
                            {options.twist.has_value(), "--twist"},
                            {options.acceleration.has_value(), "--acceleration"},
                            {options.drives.has_value(), "--drives"},
                            {options.efforts.has_value(), "--efforts"},
                            {options.stiffness.has_value(), "--stiffness"},
                            {options.slice.given(), "--slice"},
                            {!options.wrenches.empty(), "--wrench"},
                            {options.gravity.has_value(), "--gravity"}});
  ExperimentOptions file;
  file.file = options.robot;
  file.packages = options.packages;
  file.strict = options.strict;
  file.json = options.json;
  const RecordedMotion motion = recorded_motion(file);
  const Model& model = *motion.experiment.model;
  const PlatformData* data = model.platform();
  std::vector<PathRecord> records;
  const bool known = data && !options.actuated && !options.body;
  if (known) records = closed_form_records(motion, Platform(*data));
  if (records.empty()) {
    ParallelRobotOptions chosen;
    if (known) chosen.drives = drive_speeds(model, Platform(*data));
    if (options.actuated) chosen.drives = degrees_named_in(model, "--actuated", *options.actuated);
    if (options.body) chosen.body = model.body(*options.body);
    records = general_records(motion, ParallelRobot(model, chosen));
  }
  if (options.slice.output) {
    RecordTable table{{"t[s]", "condition", "determinant"},
                      Eigen::MatrixXd(std::ssize(records), 3)};
    const bool distances = std::all_of(records.begin(), records.end(), [](const PathRecord& r) {
      return std::isfinite(r.distance);
    });
    if (distances) {
      table.titles.emplace_back("distance[m]");
      table.values.resize(std::ssize(records), 4);
    }
    for (std::size_t k = 0; k < records.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      table.values.row(row).head<3>() << records[k].t, records[k].condition, records[k].determinant;
      if (distances) table.values(row, 3) = records[k].distance;
    }
    write_table(*options.slice.output, table, motion.experiment.name);
  }
  options.json ? print_records_json(records, options, motion.experiment.name)
               : print_records(records);
  return 0;
}

}  // namespace ulna::cli
