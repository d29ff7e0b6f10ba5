// ulna.read_log, ulna.measured_motion, Robot.identify_logs: measured logs, and what they tell of a
// robot. A log as Python holds it is a class of ulna/_log_results.py, all of it arrays.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "abandonable.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "names.hpp"
#include "regressor_arguments.hpp"
#include "ulna/formats/read_log.hpp"
#include "ulna/study/identified_robot.hpp"
#include "ulna/study/measurement.hpp"

namespace ulna::python {
namespace logs {
namespace {

// ---- to Python ----------------------------------------------------------------------------------

/// One sample per row.
py::object rows(const Eigen::MatrixXd& x) { return to_matrix(x.transpose()); }

/// Each as a warning of Python.
std::vector<std::string> tell(const std::vector<std::string>& warnings) {
  std::vector<std::string> told;
  for (const std::string& text : warnings) {
    told.push_back(python_words(text));
    if (PyErr_WarnEx(PyExc_UserWarning, told.back().c_str(), 1) != 0) throw py::error_already_set();
  }
  return told;
}

py::object log_result(const Model& model, const ReadLog& read, const Measurement& measured) {
  py::list parts, noise, efforts, coordinates;
  for (const MeasuredPart& part : measured.parts) {
    const Recording& r = part.recording;
    const Eigen::MatrixXd tau = r.tau.rows() > 0 ? r.tau : Eigen::MatrixXd(0, part.t.size());
    parts.append(
        result_class("LogPart")(to_array(part.t), rows(r.q), rows(r.v), rows(r.a), rows(tau)));
  }
  for (const CoordinateNoise& one : measured.noise)
    noise.append(result_class("CoordinateNoise")(one.name, one.cutoff, one.position,
                                                 one.acceleration, one.acceleration_rms));
  for (const int k : read.log.efforts) efforts.append(model.speed_names()[k]);
  for (const int k : read.log.coordinates) coordinates.append(model.coordinate_names()[k]);
  py::dict columns;
  for (const auto& [name, title] : read.columns) columns[py::str(name)] = title;
  std::vector<std::string> warnings = read.warnings;
  warnings.insert(warnings.end(), measured.warnings.begin(), measured.warnings.end());
  return result_class("MeasuredLog")(read.log.name, parts, coordinates, efforts, measured.offset,
                                     measured.rate, measured.jitter, measured.bandwidth, noise,
                                     read.layout, columns, read.unused, tell(warnings));
}

MeasurementOptions measurement_options(const py::object& cutoff, bool recorded_rates) {
  MeasurementOptions options;
  options.recorded_rates = recorded_rates;
  if (cutoff.is_none()) return options;
  options.cutoff = number_argument(cutoff, "cutoff");
  if (!(*options.cutoff > 0))
    throw InputError(Problem{{}, "cutoff", "is not positive", "a frequency in Hz, or None", {}});
  return options;
}

void require_robot(const std::shared_ptr<RobotHandle>& robot) {
  if (!robot) throw py::type_error("robot must be an ulna.Robot, not None");
}

py::object read(const std::shared_ptr<RobotHandle>& robot, const py::object& path,
                const py::object& columns, const py::object& cutoff, bool recorded_rates) {
  require_robot(robot);
  const std::string file = path_argument(path, "path");
  LogOptions options;
  if (!columns.is_none()) {
    if (!py::isinstance<py::dict>(columns))
      throw py::type_error("columns must be a dict {quantity: title}, not " +
                           std::string(py::str(py::type::of(columns).attr("__name__"))));
    for (const auto& [name, title] : entries_of(columns))
      options.columns.emplace_back(text_argument(name, "columns"), text_argument(title, "columns"));
  }
  const MeasurementOptions how = measurement_options(cutoff, recorded_rates);
  ReadLog found = abandonable(
      size_of_file(file),
      [file, model = robot->model, options] { return read_log(file, *model, options); },
      quickly_read);
  const Measurement measured =
      interruptible([&] { return measured_motion(*robot->model, found.log, how); });
  if (found.log.name.empty()) found.log.name = file;
  return log_result(*robot->model, found, measured);
}

/// (N, columns), transposed for the library; nothing for None.
Eigen::MatrixXd samples_of(const py::object& given, const char* name, py::ssize_t columns,
                           py::ssize_t count) {
  if (given.is_none()) return {};
  const Eigen::MatrixXd x = matrix_of(given, name, count, columns);
  if (!x.allFinite())
    throw InputError(Problem{{},
                             name,
                             "holds a number that is not finite",
                             "finite numbers; leave such samples out",
                             {}});
  return x.transpose();
}

std::vector<int> places(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) all[static_cast<std::size_t>(k)] = k;
  return all;
}

py::object from_arrays(const std::shared_ptr<RobotHandle>& robot, const py::object& t,
                       const py::object& q, const py::object& tau, const py::object& v,
                       const py::object& a, const py::object& cutoff, const std::string& name) {
  require_robot(robot);
  const Model& model = *robot->model;
  ReadLog made;
  made.log.name = name;
  made.log.t = vector_of(t, "t");
  const auto n = made.log.t.size();
  if (!made.log.t.allFinite())
    throw InputError(Problem{{}, "t", "holds a number that is not finite", "times in s", {}});
  if (v.is_none() != a.is_none())
    throw InputError(
        Problem{{}, v.is_none() ? "v" : "a", "is missing", "both v and a, or none", {}});
  made.log.q = samples_of(q, "q", model.coordinates(), n);
  if (q.is_none()) throw py::type_error("q must be an array, not None");
  made.log.coordinates = places(model.coordinates());
  made.log.v = samples_of(v, "v", model.speeds(), n);
  made.log.a = samples_of(a, "a", model.speeds(), n);
  if (!v.is_none()) made.log.speeds = places(model.speeds());
  made.log.tau = samples_of(tau, "tau", model.speeds(), n);
  if (!tau.is_none()) made.log.efforts = places(model.speeds());
  const MeasurementOptions how = measurement_options(cutoff, !v.is_none());
  made.layout = "arrays";
  const Measurement measured = interruptible([&] { return measured_motion(model, made.log, how); });
  return log_result(model, made, measured);
}

py::object filtered(const py::object& x, double cutoff, double rate) {
  const Array given = numbers(x, "x");
  for (const auto& [value, name] : {std::pair{cutoff, "cutoff"}, {rate, "rate"}})
    if (!(value > 0) || !std::isfinite(value))
      throw InputError(Problem{{}, name, "is not positive", "a frequency in Hz", {}});
  if (given.ndim() < 1 || given.ndim() > 2)
    throw InputError(
        Problem{{}, "x", "has shape " + shape_text(given), "(N,) or (N, k), samples in rows", {}});
  const Eigen::Index N = given.shape(0), width = given.ndim() == 1 ? 1 : given.shape(1);
  py::object out = new_array(std::span(given.shape(), static_cast<std::size_t>(given.ndim())));
  const Eigen::Map<const RowMajor> all(given.data(), N, width);
  MutableRows found(data_of(out), N, width);
  for (Eigen::Index k = 0; k < width && N > 0; ++k) {
    const Eigen::MatrixXd one = all.col(k).transpose();
    if (!one.allFinite())  // it would spread over all samples
      throw InputError(Problem{{}, "x", "holds a number that is not finite", "finite numbers", {}});
    found.col(k) = low_passed(one, cutoff, rate).transpose();
  }
  return out;
}

// ---- from Python --------------------------------------------------------------------------------

/// What log_result made.
Measurement measurement_of(const Model& model, const py::handle& log, const char* name) {
  for (const char* part : {"parts", "rate", "bandwidth", "name"})
    if (!py::hasattr(log, part))
      throw py::type_error(std::string(name) + " must be what ulna.read_log or " +
                           "ulna.measured_motion gave, not " +
                           std::string(py::str(py::type::of(log).attr("__name__"))));
  Measurement out;
  out.rate = number_argument(py::object(log.attr("rate")), "rate");
  out.bandwidth = number_argument(py::object(log.attr("bandwidth")), "bandwidth");
  if (!(out.rate > 0) || std::isnan(out.bandwidth) || out.bandwidth < 0)
    throw InputError(Problem{{}, name, "has a rate that is not positive", "a measured log", {}});
  const py::object parts = log.attr("parts");
  for (const py::handle part : items_argument(parts, name)) {
    MeasuredPart one;
    one.t = vector_of(py::object(part.attr("t")), "t");
    const auto n = one.t.size();
    const py::object tau = part.attr("tau");
    const Array efforts = numbers(tau, "tau");
    one.recording = {samples_of(part.attr("q"), "q", model.coordinates(), n),
                     samples_of(part.attr("v"), "v", model.speeds(), n),
                     samples_of(part.attr("a"), "a", model.speeds(), n),
                     {}};
    if (efforts.ndim() == 2 && efforts.shape(1) > 0)
      one.recording.tau = samples_of(tau, "tau", efforts.shape(1), n);
    out.parts.push_back(std::move(one));
  }
  if (out.parts.empty())
    throw InputError(Problem{{}, name, "has no samples", "a measured log", {}});
  return out;
}

struct NamedLogs {
  std::vector<std::string> names;
  std::vector<Measurement> logs;
};
NamedLogs logs_argument(const Model& model, const py::object& given, const char* name) {
  NamedLogs out;
  if (given.is_none()) return out;
  for (const py::handle log : items_argument(given, name)) {
    out.logs.push_back(measurement_of(model, log, name));
    out.names.push_back(py::str(py::object(log.attr("name"))));
  }
  return out;
}

struct Compared {
  EffortComparison by_estimate;
  Eigen::VectorXd possible_error;
};

py::list comparisons(const NamedLogs& logs, const std::vector<Compared>& found) {
  py::list out;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const EffortComparison& c = found[k].by_estimate;
    out.append(result_class("EffortComparison")(
        logs.names[k], to_array(c.t), rows(c.measured), rows(c.predicted), to_array(c.rms),
        to_array(c.error), to_array(found[k].possible_error)));
  }
  return out;
}

py::dict by_name(const TorqueRegressor& regressor, const Eigen::VectorXd& values) {
  py::dict out;
  for (int k = 0; k < regressor.columns(); ++k) out[py::str(regressor.names()[k])] = values(k);
  return out;
}

py::object identify_from(const RobotHandle& robot, const py::object& given,
                         const py::object& validate, const py::object& terms) {
  const Model& model = *robot.model;
  model.require_tree("identification");
  const NamedLogs fit = logs_argument(model, given, "logs"),
                  other = logs_argument(model, validate, "validate");
  if (fit.logs.empty())
    throw InputError(Problem{{}, "logs", "is empty", "one measured log or more", {}});
  TorqueRegressor regressor(model, terms_argument(terms.ptr()));
  BaseParameters base;
  Identification found;
  ConsistentParameters possible;
  Eigen::VectorXd nearest;
  std::vector<Compared> fits, checks;
  interruptible([&] {
    base = base_parameters_by_rank(regressor);
    found = identify(regressor, base, fit.logs);
    possible = consistent_parameters(regressor, base, found);
    nearest = nearest_parameters(regressor, base, found.estimate);
    const auto compare = [&](const NamedLogs& logs, std::vector<Compared>& out) {
      for (const Measurement& log : logs.logs)
        out.push_back({compare_efforts(regressor, base, found.estimate, log),
                       compare_efforts(regressor, base, possible.base, log).error});
    };
    compare(fit, fits);
    compare(other, checks);
    return 0;
  });
  return result_class("LogIdentification")(
      base_result(regressor, base), to_array(found.estimate),
      to_array(Eigen::VectorXd(found.deviations())), to_matrix(found.covariance),
      to_array(found.noise), found.condition, by_name(regressor, nearest),
      impossible_bodies(regressor, nearest), model.speed_names(), to_array(found.correlation),
      by_name(regressor, possible.parameters), to_array(possible.base), possible.distance,
      comparisons(fit, fits), comparisons(other, checks));
}

}  // namespace
}  // namespace logs

void add_logs(py::module_& m, RobotClass& robot) {
  using namespace logs;
  const py::none none;
  m.def("read_log", &read, py::arg("robot"), py::arg("path"), py::kw_only(),
        py::arg("columns") = none, py::arg("cutoff") = none, py::arg("recorded_rates") = false,
        "A measured log (.csv) of a robot: times checked, positions filtered and "
        "differentiated.\n\nDelimiter, decimal comma, units and columns are recognised; "
        "columns={'tau.elbow': 'current\n2*0.11'} names others (t, q.NAME, v.NAME, a.NAME, "
        "tau.NAME). cutoff: cut-off frequency of the low-pass filter in\nHz (default: chosen from "
        "the spectrum). recorded_rates: use v and a of the log. Doubtful data\nare reported "
        "through `warnings`.");
  m.def("measured_motion", &from_arrays, py::arg("robot"), py::arg("t"), py::arg("q"),
        py::kw_only(), py::arg("tau") = none, py::arg("v") = none, py::arg("a") = none,
        py::arg("cutoff") = none, py::arg("name") = "log",
        "A measured log from arrays with one sample per row: t (N,), q (N, nq), tau (N, nv).\n\n"
        "v and a are derivatives of the filtered q, unless they are given. As read_log.");
  m.def("low_passed", &filtered, py::arg("x"), py::arg("cutoff"), py::arg("rate"),
        "Samples (N,) or (N, k) through the low-pass filter of logs, without phase shift; "
        "frequencies\nin Hz.");
  robot.def("_identify_logs", &identify_from, py::arg("logs"), py::kw_only(),
            py::arg("validate") = none, py::arg("terms") = none,
            "Base parameters from measured logs; identify_logs reads files as well.");
}

}  // namespace ulna::python
