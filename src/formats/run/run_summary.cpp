#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "ulna/dynamics/internal/exact_level.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna {
namespace {

using Json = nlohmann::ordered_json;

Json list(const Eigen::VectorXd& values) {
  Json out = Json::array();
  for (const double x : values) out.push_back(std::isfinite(x) ? Json(x) : Json());
  return out;
}

/// How loops stayed closed, and on which speeds.
void add_loops(Json& out, const Experiment& e, const RunSummary& s) {
  if (e.model->loops().empty()) return;
  const auto names = [&](const std::vector<int>& speeds, bool others) {
    Json list = Json::array();
    for (int k = 0; k < e.model->speeds(); ++k)
      if ((std::find(speeds.begin(), speeds.end(), k) == speeds.end()) == others)
        list.push_back(e.model->speed_names()[k]);
    return list;
  };
  out["closing"] = name_of(e.closing);
  out["drift"]["closure"] = s.closure;
  out["independent"] = names(s.independent, false);
  out["dependent"] = names(s.independent, true);
  out["switches"] = Json::array();
  for (const RunSummary::Switch& change : s.switches)
    out["switches"].push_back({{"t", change.t}, {"independent", names(change.independent, false)}});
}

/// What the actuators had to give, one object each.
Json sizing_table(const RunSummary& s) {
  Json table = Json::array();
  for (const SizingRow& row : s.sizing) {
    Json one = {{"name", row.name},
                {"kind", row.kind},
                {"unit", row.unit},
                {"peak_effort", row.peak_effort},
                {"rms_effort", row.rms_effort},
                {"window_rms", row.window_rms},
                {"continuous", std::isfinite(row.continuous) ? Json(row.continuous) : Json()},
                {"peak_speed", row.peak_speed},
                {"peak_power", row.peak_power}};
    for (const SizingRow::Peak& peak : row.readings) one["peak_" + peak.name] = peak.value;
    table.push_back(std::move(one));
  }
  return table;
}

void add_peak(Json& out, const std::string& what, const PeakValue& peak) {
  out["peak_" + what] = peak.value;
  out["peak_" + what + "_t"] = peak.t;
}

/// What motors and bearings had to bear, and the times beyond limits: lists of plain objects, which
/// the report shows as tables.
void add_duty(Json& out, const RunSummary& s) {
  out["motors"] = Json::array();
  for (const MotorDuty& motor : s.motors) {
    Json one = {{"name", motor.name}, {"unit", motor.unit}};
    add_peak(one, "effort", motor.effort);
    one["rms_effort"] = motor.rms_effort;
    add_peak(one, "speed", motor.speed);
    one["rms_speed"] = motor.rms_speed;
    add_peak(one, "power", motor.power);
    one["rms_power"] = motor.rms_power;
    one["energy_taken"] = motor.taken;
    one["energy_given_back"] = motor.given_back;
    out["motors"].push_back(std::move(one));
  }
  if (!s.bearings.empty()) {
    out["bearings_unique"] = s.bearings_unique;
    out["bearings"] = Json::array();
  }
  for (const BearingPeak& bearing : s.bearings) {
    Json one = {{"joint", bearing.joint}, {"closes_loop", bearing.closes}};
    add_peak(one, "force", bearing.force);
    add_peak(one, "moment", bearing.moment);
    out["bearings"].push_back(std::move(one));
  }
  out["outside_limits"] = Json::array();
  for (const TimeOutside& one : s.outside)
    out["outside_limits"].push_back({{"name", one.name},
                                     {"position", one.position},
                                     {"speed", one.speed},
                                     {"effort", one.effort},
                                     {"first", one.first}});
}

}  // namespace

std::string model_hash(const Robot& robot) {
  // FNV-1a, 64 bits, over the robot file that the robot makes.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : write_robot_yaml(robot))
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return fmt::format("{:016x}", hash);
}

std::string run_summary_json(const Experiment& e, const RunSummary& s) {
  Json out;
  out["ulna"] = 1;
  out["kind"] = "run";
  out["version"] = ULNA_VERSION;
  out["experiment"] = e.name;
  out["robot"] = e.model->name();
  out["model_hash"] = model_hash(e.model->robot());
  out["complete"] = s.complete;
  out["reason"] = s.reason;
  out["t"] = s.t;
  out["duration"] = e.end;
  if (e.timing)
    out["timing"] = {{"duration", e.timing->duration},
                     {"scale", e.timing->scale},
                     {"limit", e.timing->limit},
                     {"switches", e.timing->switches}};
  for (const TrackingResult& t : e.tracking)
    out["tracking"].push_back(
        {{"method", t.method}, {"preview", t.preview}, {"added", t.added}, {"text", t.text}});
  if (e.timing && !e.timing->warning.empty()) out["timing"]["warning"] = e.timing->warning;
  out["integrator"] = {{"method", name_of(s.method)},
                       {"rtol", e.integrator.tolerances.relative},
                       {"atol", e.integrator.tolerances.absolute}};
  if (e.integrator.step > 0) out["integrator"]["step"] = e.integrator.step;
  out["steps"] = s.statistics.steps;
  out["rejected"] = s.statistics.rejected;
  out["evaluations"] = s.statistics.evaluations;
  out["wall_seconds"] = s.wall_seconds;
  out["records"] = s.records;
  out["final"] = {{"q", list(s.q)}, {"v", list(s.v)}, {"tau", list(s.tau)}};
  const std::optional<double> relative = s.relative_balance();
  out["drift"] = {{"energy", s.energy_balance},
                  {"energy_relative", relative ? Json(*relative) : Json()},
                  {"quaternion", s.constraint}};
  add_loops(out, e, s);
  if (!e.nonholonomic.empty()) out["drift"]["nonholonomic"] = s.nonholonomic;
  for (const RunSummary::ContactNote& contact : s.contacts)
    out["contacts"].push_back(
        {{"name", contact.name}, {"mode", name_of(contact.state)}, {"impacts", contact.impacts}});
  out["work"] = {{"efforts", s.works(0)}, {"external", s.works(1)}, {"dissipated", s.works(2)}};
  out["largest_kinetic_energy"] = s.largest_kinetic;
  out["events"] = Json::array();
  for (const EventNote& event : s.events)
    out["events"].push_back({{"name", event.name}, {"t", event.t}});
  add_duty(out, s);
  if (!s.sizing.empty()) out["sizing"] = sizing_table(s);
  if (!e.method.empty()) out["formulation"] = e.method;
  const bool flexible = e.model->flexible();
  if (flexible)
    out["elastic"] =
        name_of(has_exact_links(*e.model) ? ElasticLevel::geometrically_exact : e.elastic);
  if (flexible || !s.notes.empty()) out["notes"] = s.notes;
  out["channels"] = Json::array({"t[s]"});
  for (const Channel& channel : channels_of(e)) out["channels"].push_back(channel.title());
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ulna
