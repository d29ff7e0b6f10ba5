// Reports and 3D views as one HTML text each; runs read from their directories.

#include "ulna/report/report.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interrupt.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/formats/run_hdf5.hpp"

namespace ulna::python {
namespace {

StoredRun stored(const RobotHandle& robot, const std::vector<std::string>& titles,
                 const py::object& values, const std::string& summary) {
  StoredRun run;
  run.complete = true;
  run.summary = summary;
  run.robot = robot.model->robot();
  run.columns = titles;
  const Array rows = numbers(values, "values");
  run.values = matrix_of(values, "values", rows.ndim() > 0 ? rows.shape(0) : 0,
                         static_cast<py::ssize_t>(titles.size()));
  return run;
}

using RunParts =
    std::tuple<std::shared_ptr<RobotHandle>, std::vector<std::string>, py::object, std::string>;

StoredRun run_of(const RunParts& p) {
  if (!std::get<0>(p)) throw py::type_error("the robot of a run must be an ulna.Robot, not None");
  return stored(*std::get<0>(p), std::get<1>(p), std::get<2>(p), std::get<3>(p));
}

std::string report(const RunParts& parts, const std::string& title,
                   const std::optional<RunParts>& compare) {
  const StoredRun run = run_of(parts);
  std::optional<StoredRun> other;
  if (compare) other = run_of(*compare);
  ReportOptions options;
  options.title = title;
  if (other) options.compare = {&*other};
  return interruptible([&] { return report_html(run, options); });
}

void write_hdf5(const RunParts& parts, const std::string& directory, const std::string& file) {
  StoredRun run = run_of(parts);
  run.directory = directory;
  write_run_hdf5(run, file);  // with the lock: h5py, too, has one thread in HDF5 at a time
}

py::tuple load_run(const std::string& directory) {
  const StoredRun run = read_run(directory);
  auto robot = std::make_shared<RobotHandle>(std::make_shared<const Model>(run.robot));
  return py::make_tuple(robot, run.columns, to_matrix(run.values), run.summary);
}

std::string view(const RobotHandle& robot, const py::object& q, const std::string& title) {
  const Model& model = *robot.model;
  const Eigen::VectorXd at =
      q.is_none() ? model.neutral()
                  : model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
  ReportOptions options;
  options.title = title;
  return interruptible([&] { return pose_html(model, at, options); });
}

}  // namespace

void add_report(py::module_& m, RobotClass& robot) {
  m.def("has_report_page", &has_report_page,
        "Whether the page of reports and views was compiled in (it needs npm).");
  m.def("_report_html", &report, py::arg("run"), py::arg("title"), py::arg("compare") = py::none());
  m.def("_write_hdf5", &write_hdf5, py::arg("run"), py::arg("directory"), py::arg("file"));
  m.def("_load_run", &load_run, py::arg("directory"));
  robot.def("view_html", &view, py::arg("q") = py::none(), py::kw_only(), py::arg("title") = "",
            "The robot at q as an HTML page with a slider for each joint.");
}

}  // namespace ulna::python
