#include "commands/inverse_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/state_options.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli::inverse_log_detail {
namespace {

/// Of all parts, one column per sample.
struct Efforts {
  Eigen::VectorXd t;
  Eigen::MatrixXd q, v, a, tau, measured;
};

Efforts efforts_along(Dynamics& dynamics, const Measurement& log) {
  const Model& model = dynamics.model();
  const Eigen::Index n = log.samples();
  Efforts out{Eigen::VectorXd(n),
              Eigen::MatrixXd(model.coordinates(), n),
              Eigen::MatrixXd(model.speeds(), n),
              Eigen::MatrixXd(model.speeds(), n),
              Eigen::MatrixXd(model.speeds(), n),
              Eigen::MatrixXd(log.parts.front().recording.tau.rows(), n)};
  Eigen::Index at = 0;
  for (const MeasuredPart& part : log.parts) {
    const Eigen::Index count = part.t.size();
    const Recording& r = part.recording;
    out.t.segment(at, count) = part.t;
    out.q.middleCols(at, count) = r.q;
    out.v.middleCols(at, count) = r.v;
    out.a.middleCols(at, count) = r.a;
    out.measured.middleCols(at, count) = r.tau;
    for (Eigen::Index k = 0; k < count; ++k)
      out.tau.col(at + k) = dynamics.inverse(r.q.col(k), r.v.col(k), r.a.col(k)).tau;
    // Both sides of the comparison pass the same filter.
    if (r.tau.rows() > 0 && log.bandwidth > 0)
      for (Eigen::MatrixXd* x : {&out.tau, &out.measured})
        x->middleCols(at, count) = low_passed(x->middleCols(at, count), log.bandwidth, log.rate);
    at += count;
  }
  return out;
}

RecordTable table_of(const Model& model, const MeasuredLog& log, const Efforts& efforts) {
  RecordTable table;
  table.titles = {"t[s]"};
  const std::vector<std::string> q = coordinate_units(model), v = speed_units(model);
  const auto add = [&](const char* group, const std::vector<std::string>& names, auto&& unit) {
    for (std::size_t k = 0; k < names.size(); ++k)
      table.titles.push_back(fmt::format("{}.{}[{}]", group, names[k], unit(k)));
  };
  add("q", model.coordinate_names(), [&](std::size_t k) { return q[k]; });
  add("v", model.speed_names(), [&](std::size_t k) { return v[k] + "/s"; });
  add("a", model.speed_names(), [&](std::size_t k) { return v[k] + "/s^2"; });
  add("tau", model.speed_names(),
      [&](std::size_t k) { return effort_unit(model, static_cast<int>(k)); });
  for (const int speed : log.efforts)
    table.titles.push_back(fmt::format("measured.{}[{}]",
                                       model.speed_names()[static_cast<std::size_t>(speed)],
                                       effort_unit(model, speed)));
  table.values.resize(efforts.t.size(), std::ssize(table.titles));
  table.values << efforts.t, efforts.q.transpose(), efforts.v.transpose(), efforts.a.transpose(),
      efforts.tau.transpose(), efforts.measured.transpose();
  return table;
}

double rms_of(const Eigen::VectorXd& x) {
  return x.norm() / std::sqrt(static_cast<double>(std::max(x.size(), Eigen::Index(1))));
}

struct Comparison {
  std::vector<std::string> names;
  Eigen::VectorXd measured, error;
};
Comparison compare(const Model& model, const MeasuredLog& log, const Efforts& efforts) {
  Comparison out{
      {}, Eigen::VectorXd(std::ssize(log.efforts)), Eigen::VectorXd(std::ssize(log.efforts))};
  for (std::size_t k = 0; k < log.efforts.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    out.names.push_back(model.speed_names()[static_cast<std::size_t>(log.efforts[k])]);
    out.measured(row) = rms_of(efforts.measured.row(row));
    out.error(row) = rms_of(efforts.measured.row(row) - efforts.tau.row(log.efforts[k]));
  }
  return out;
}

/// The degrees of freedom that were recorded: those with a column of efforts, else of coordinates.
std::vector<int> recorded_degrees(const Model& model, const MeasuredLog& log) {
  if (!log.efforts.empty()) return log.efforts;
  std::vector<int> degrees;
  for (int k = 0; k < model.speeds(); ++k)
    if (std::ranges::count(log.coordinates, model.coordinate_of_speed()[k]) > 0)
      degrees.push_back(k);
  return degrees;
}

/// Motors at what was recorded, if that can drive a robot with loops.
DynamicsOptions with_motors_of(Dynamics& dynamics, const LoadedLog& loaded) {
  const Model& model = dynamics.model();
  DynamicsOptions asked = dynamics.options();
  const Recording& first = loaded.measured.parts.front().recording;
  const MotorChoice choice = motors_for_motion(dynamics, first.q.col(0), first.v.col(0),
                                               first.a.col(0), recorded_degrees(model, loaded.log));
  if (choice.motors.empty()) return asked;
  note_motors(model, choice);
  asked.actuated = choice.motors;
  return asked;
}

/// Joints of a robot with loops that have no motor have no effort at any time: they are left out.
void print_words(const Model& model, const std::string& file, const LoadedLog& loaded,
                 const Efforts& efforts) {
  print_measurement(file, loaded.measured);
  const std::vector<std::string> units = effort_units(model);
  std::vector<std::string> names, shown_units;
  Eigen::VectorXd peak(model.speeds()), rms(model.speeds());
  Eigen::Index rows = 0;
  for (Eigen::Index k = 0; k < model.speeds(); ++k) {
    if (!model.loops().empty() && efforts.tau.row(k).isZero(0)) continue;
    names.push_back(model.speed_names()[static_cast<std::size_t>(k)]);
    shown_units.push_back(units[static_cast<std::size_t>(k)]);
    peak(rows) = efforts.tau.row(k).cwiseAbs().maxCoeff();
    rms(rows++) = rms_of(efforts.tau.row(k));
  }
  print(heading("\nefforts along the log"));
  print(Table()
            .words("effort", names)
            .numbers("peak", peak.head(rows))
            .numbers("rms", rms.head(rows))
            .words("unit", shown_units)
            .text());
  if (loaded.log.efforts.empty()) return;
  const Comparison c = compare(model, loaded.log, efforts);
  print(heading("\nmeasured and computed efforts, root mean squares"));
  print(Table()
            .words("effort", c.names)
            .numbers("measured", c.measured)
            .numbers("difference", c.error)
            .numbers("of it, %", 100 * c.error.cwiseQuotient(c.measured.cwiseMax(1e-300)))
            .text());
}

}  // namespace
}  // namespace ulna::cli::inverse_log_detail

namespace ulna::cli {

void note_motors(const Model& model, const MotorChoice& choice) {
  const std::string names = fmt::format("{}", fmt::join(names_of(model, choice.motors), ", "));
  const char* text = !choice.at_given_motion     ? "the motors are taken to be at {}"
                     : choice.motors.size() == 1 ? "the motor is at {}, whose motion was given"
                                                 : "the motors are at {}, whose motions were given";
  note(fmt::format(fmt::runtime(text), names) + "; --actuated names others");
}

int run_inverse_log(Dynamics& given, const std::string& file, const LogWords& words,
                    const std::optional<std::string>& output, bool json) {
  namespace detail = inverse_log_detail;
  const Model& model = given.model();
  const LoadedLog loaded = load_log(file, model, words);
  Dynamics dynamics(model, detail::with_motors_of(given, loaded));
  const detail::Efforts efforts = detail::efforts_along(dynamics, loaded.measured);
  require_finite(efforts.tau, "tau");
  if (output) {
    RecordTable table = detail::table_of(model, loaded.log, efforts);
    write_table(*output, table, "Efforts of " + model.name() + " along " + file);
  }
  if (!json) {
    detail::print_words(model, file, loaded, efforts);
    if (output) print(fmt::format("\nwrote {}\n", printable(*output)));
    return 0;
  }
  Json out = json_object();
  out["method"] = dynamics.formulation(Question::inverse).name;
  out["log"] = measurement_to_json(loaded.measured);
  out["speeds"] = model.speed_names();
  out["t"] = to_json(efforts.t);
  out["tau"] = matrix_to_json(efforts.tau.transpose());
  if (!loaded.log.efforts.empty()) {
    const detail::Comparison c = detail::compare(model, loaded.log, efforts);
    out["compared"] = {{"speeds", c.names},
                       {"measured_rms", to_json(c.measured)},
                       {"difference_rms", to_json(c.error)}};
  }
  out["outputs"] = Json::array();
  if (output) out["outputs"].push_back(*output);
  print_json(out);
  return 0;
}

}  // namespace ulna::cli
