// Reports and 3D views as one HTML text each; runs read from their directories.

#include "ulna/report/report.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interrupt.hpp"
#include "ulna/formats/internal/mesh_packages.hpp"
#include "ulna/formats/internal/output_file.hpp"
#include "ulna/formats/run_directory.hpp"
#include "ulna/formats/run_hdf5.hpp"
#include "ulna/kinematics/state.hpp"

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
                         static_cast<py::ssize_t>(titles.size()), Holds::anything);
  return run;
}

using Packages = std::map<std::string, std::string>;

/// With the meshes found; those that are not are warnings at the line of the user's call.
void find_meshes(Robot& robot, const Packages& packages, int depth) {
  for (const std::string& text : resolve_meshes(robot, packages, "packages={{'{}': 'FOLDER'}}"))
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), depth) != 0) throw py::error_already_set();
}

using RunParts =
    std::tuple<std::shared_ptr<RobotHandle>, std::vector<std::string>, py::object, std::string>;

StoredRun run_of(const RunParts& p) {
  if (!std::get<0>(p)) throw py::type_error("the robot of a run must be an ulna.Robot, not None");
  return stored(*std::get<0>(p), std::get<1>(p), std::get<2>(p), std::get<3>(p));
}

std::string report(const RunParts& parts, const std::string& title,
                   const std::vector<RunParts>& compare, const Packages& packages) {
  StoredRun run = run_of(parts);
  find_meshes(run.robot, packages, 2);
  std::vector<StoredRun> others;
  for (const RunParts& other : compare) others.push_back(run_of(other));
  ReportOptions options;
  options.title = title;
  for (const StoredRun& other : others) options.compare.push_back(&other);
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

/// The neutral posture; with loops the one near it in which they close, where there is one.
Eigen::VectorXd shown_posture(const Model& model) {
  if (model.loops().empty()) return model.neutral();
  try {
    return complete_state(model, {}).q;
  } catch (const ComputationError&) {
    return model.neutral();
  }
}

std::string view(const RobotHandle& robot, const py::object& q, const std::string& title,
                 const Packages& packages) {
  Robot with_meshes = robot.model->robot();
  find_meshes(with_meshes, packages, 1);
  const Model model(std::move(with_meshes));
  const Eigen::VectorXd at =
      q.is_none() ? shown_posture(model)
                  : model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
  ReportOptions options;
  options.title = title;
  return interruptible([&] { return pose_html(model, at, options); });
}

}  // namespace

void add_report(py::module_& m, RobotClass& robot) {
  m.def("has_report_page", &has_report_page,
        "Whether the page of reports and views was compiled in (it needs npm).");
  m.def("_report_html", &report, py::arg("run"), py::arg("title"),
        py::arg("compare") = std::vector<RunParts>{}, py::arg("packages") = Packages{});
  m.def("_write_file", &write_output_file, py::arg("path"), py::arg("content"));
  m.def("_write_hdf5", &write_hdf5, py::arg("run"), py::arg("directory"), py::arg("file"));
  m.def("_load_run", &load_run, py::arg("directory"));
  robot.def("view_html", &view, py::arg("q") = py::none(), py::kw_only(), py::arg("title") = "",
            py::arg("packages") = Packages{},
            "The robot at q as an HTML page with a slider for each joint. packages: the folder of "
            "each\npackage:// name, beside those that are searched (the package of the robot file, "
            "ROS_PACKAGE_PATH,\nAMENT_PREFIX_PATH); meshes that are not found are warnings.");
}

}  // namespace ulna::python
