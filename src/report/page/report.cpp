#include "ulna/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "page/beams_json.hpp"
#include "page/binary.hpp"
#include "page/kinematics_script.hpp"
#include "page/page_data.hpp"
#include "page/pose_track.hpp"
#include "page/sliders.hpp"
#include "page/text.hpp"
#include "ulna/report/internal/scene.hpp"
#include "ulna/report/parts/channels.hpp"

namespace ulna {
namespace {

using Json = nlohmann::ordered_json;

std::string base64_floats(const VectorRef& values) {
  std::vector<float> floats;
  for (const double x : values)
    floats.push_back(static_cast<float>(std::clamp(x, -3.4e38, 3.4e38)));
  return base64_of(floats);
}

/// Lower and upper limit by channel name.
std::map<std::string, std::pair<double, double>> limits_of(const Model& model) {
  std::map<std::string, std::pair<double, double>> limits;
  for (int k = 0; k < model.coordinates(); ++k)
    limits["q." + model.coordinate_names()[k]] = {model.lower()(k), model.upper()(k)};
  for (int k = 0; k < model.speeds(); ++k) {
    const std::string& name = model.speed_names()[k];
    limits["v." + name] = {-model.velocity_limit()(k), model.velocity_limit()(k)};
    limits["tau." + name] = {-model.effort_limit()(k), model.effort_limit()(k)};
  }
  return limits;
}

Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(); }

// Limits in files are rounded; what is within that of them is at the limit.
bool exceeds(double value, double limit) {
  return value - limit > 1e-9 * std::max(1.0, std::abs(limit));
}

void add_limits(Json& channel, const std::pair<double, double>& limits, const VectorRef& values) {
  const auto [lower, upper] = limits;
  if (!std::isfinite(lower) && !std::isfinite(upper)) return;
  channel["limits"] = {finite_or_null(lower), finite_or_null(upper)};
  const auto is_over = [&](double x) { return exceeds(x, upper) || exceeds(-x, -lower); };
  const long over = std::count_if(values.begin(), values.end(), is_over);
  if (over > 0) channel["records_over"] = over;
}

Json channels_json(const StoredRun& run, const Model& model) {
  const auto limits = limits_of(model);
  Json list = Json::array();
  for (std::size_t k = 1; k < run.columns.size(); ++k) {
    const ChannelTitle title = channel_title(run.columns[k]);
    const auto values = run.values.col(static_cast<long>(k));
    Eigen::Index least = 0, greatest = 0;
    Json channel = {{"name", clean_utf8(title.name)},   {"unit", clean_utf8(title.unit)},
                    {"group", clean_utf8(title.group)}, {"label", clean_utf8(title.label)},
                    {"least", values.minCoeff(&least)}, {"greatest", values.maxCoeff(&greatest)},
                    {"t_least", run.values(least, 0)},  {"t_greatest", run.values(greatest, 0)}};
    if (const auto found = limits.find(title.name); found != limits.end())
      add_limits(channel, found->second, values);
    channel["data"] = base64_floats(values);
    list.push_back(std::move(channel));
  }
  return list;
}

/// The column of each coordinate, -1 where it was not recorded.
std::vector<long> coordinate_columns(const StoredRun& run, const Model& model,
                                     const std::string& group) {
  std::vector<long> columns(static_cast<std::size_t>(model.coordinates()), -1);
  for (std::size_t k = 1; k < run.columns.size(); ++k) {
    const std::string name = channel_title(run.columns[k]).name;
    for (int c = 0; c < model.coordinates(); ++c)
      if (name == group + "." + model.coordinate_names()[c]) columns[c] = static_cast<long>(k);
  }
  return columns;
}

bool any(const std::vector<long>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](long k) { return k >= 0; });
}
bool all(const std::vector<long>& columns) {
  return std::all_of(columns.begin(), columns.end(), [](long k) { return k >= 0; });
}

/// The coordinates at a record; those without a column are those of `otherwise`, or stay.
void read_coordinates(const StoredRun& run, long row, const std::vector<long>& columns,
                      const std::vector<long>& otherwise, Eigen::VectorXd& q) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const long column = columns[c] >= 0 ? columns[c] : otherwise[c];
    if (column >= 0) q(static_cast<long>(c)) = run.values(row, column);
  }
}

double beam_radius(const Model& model) { return 0.018 * scene_of(model).reach; }

/// The curves of flexible links.
Json beams_json(const StoredRun& run, const Model& model, const std::vector<long>& columns) {
  BeamTrack track(model);
  Eigen::VectorXd q = model.neutral();
  for (long row = 0; row < run.values.rows(); ++row) {
    read_coordinates(run, row, columns, columns, q);
    track.add(q);
  }
  return track.json(beam_radius(model));
}

/// Poses by the given columns; coordinates without one are those of `otherwise`, or neutral.
Json poses_json(const StoredRun& run, const Model& model, const std::vector<long>& columns,
                const std::vector<long>& otherwise, bool with_centre) {
  PoseTrack track(model, with_centre);
  Eigen::VectorXd q = model.neutral();
  for (long row = 0; row < run.values.rows(); ++row) {
    read_coordinates(run, row, columns, otherwise, q);
    track.add(q);
  }
  return track.json();
}

std::string run_title(const StoredRun& run, const ReportOptions& options) {
  if (!options.title.empty()) return options.title;
  const auto summary = nlohmann::json::parse(run.summary, nullptr, false);
  if (summary.is_object() && summary.contains("experiment") && summary["experiment"].is_string() &&
      !summary["experiment"].get<std::string>().empty())
    return summary["experiment"];
  return run.robot.name;
}

void require_records(const StoredRun& run) {
  if (run.values.rows() == 0)
    throw InputError(Problem{{run.directory}, {}, "the run holds no records", "at least one", {}});
}

void add_records(Json& out, const StoredRun& run, const Model& model, const std::vector<long>& q) {
  Json summary = Json::parse(run.summary, nullptr, false);
  out["summary"] = summary.is_object() ? std::move(summary) : Json::object();
  const Eigen::VectorXd t = run.values.col(0);
  out["time"] = base64_of(std::vector<double>(t.begin(), t.end()));
  out["channels"] = channels_json(run, model);
  out["poses"] = poses_json(run, model, q, q, true);
  if (Json beams = beams_json(run, model, q); !beams.empty()) out["beams"] = std::move(beams);
}

/// The run that another is compared with. Its robot is drawn with the shapes of the first.
Json other_json(const StoredRun& run, const Model& first) {
  require_records(run);
  const Model model(run.robot);
  bool same = model.bodies().size() == first.bodies().size();
  for (std::size_t b = 0; same && b < model.bodies().size(); ++b)
    same = model.bodies()[b].name == first.bodies()[b].name;
  if (!same)
    throw InputError(Problem{{run.directory},
                             {},
                             "the run is of a robot with other bodies",
                             "a run of the same bodies as " + first.name(),
                             {}});
  Json out;
  out["title"] = clean_utf8(run.directory);
  add_records(out, run, model, coordinate_columns(run, model, "q"));
  return out;
}

}  // namespace

std::string report_json(const StoredRun& run, const ReportOptions& options) {
  require_records(run);
  const Model model(run.robot);
  Json out = head_json("run", model, run_title(run, options));
  const std::vector<long> q = coordinate_columns(run, model, "q");
  const std::vector<long> reference = coordinate_columns(run, model, "reference");
  add_records(out, run, model, q);
  out["moves"] = all(q);
  if (any(reference)) out["ghost"] = poses_json(run, model, reference, q, false);
  if (options.film) out["film"] = true;
  for (const StoredRun* other : options.compare) out["others"].push_back(other_json(*other, model));
  return script_safe(out);
}

std::string report_html(const StoredRun& run, const ReportOptions& options) {
  return page_with(run_title(run, options), report_json(run, options));
}

namespace {

std::string pose_title(const Model& model, const ReportOptions& options) {
  return options.title.empty() ? model.name() : options.title;
}

std::string pose_json_with(const Model& model, const VectorRef& q, const ReportOptions& options,
                           const KinematicsScript& kinematics) {
  Json out = head_json("pose", model, pose_title(model, options));
  PoseTrack track(model, false);  // sliders would leave the centre of mass behind
  track.add(q);
  out["summary"] = Json::object();
  out["time"] = base64_of(std::vector<double>{0});
  out["channels"] = Json::array();
  out["moves"] = true;
  out["poses"] = track.json();
  BeamTrack beams(model);
  beams.add(q);
  if (Json list = beams.json(beam_radius(model)); !list.empty()) out["beams"] = std::move(list);
  const bool sampled = kinematics.text.empty();
  out["sliders"] = sliders_json(model, q, sampled);
  if (sampled)
    out["sliders"]["sampled_because"] = clean_utf8(kinematics.missing);
  else
    out["kinematics"] = *kinematics.data;
  return script_safe(out);
}

}  // namespace

std::string pose_json(const Model& model, const VectorRef& q, const ReportOptions& options) {
  return pose_json_with(model, q, options, kinematics_script(model, q));
}

std::string pose_html(const Model& model, const VectorRef& q, const ReportOptions& options) {
  const KinematicsScript kinematics = kinematics_script(model, q);
  return page_with(pose_title(model, options), pose_json_with(model, q, options, kinematics),
                   kinematics.text);
}

}  // namespace ulna
