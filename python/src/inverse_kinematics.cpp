// Robot: coordinates that bring a frame to a pose, numerically and in closed form.

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/kinematics/closed_form.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"

namespace ulna::python {
namespace {

PyObject* or_null(const py::object& object) { return object.is_none() ? nullptr : object.ptr(); }

/// A pose (4x4), or a position with or without a rotation.
InverseKinematicsTarget target_from(const RobotHandle& robot, const py::object& target,
                                    const py::object& rotation, const py::object& frame) {
  InverseKinematicsTarget out{frame_argument(robot, or_null(frame), "frame"), {}, {}};
  const Array array = numbers(target, "target");
  if (array.ndim() == 1) {
    out.position = vector3(target, "target");
    if (!rotation.is_none()) out.rotation = rotation_of(rotation, "rotation");
    return out;
  }
  if (!rotation.is_none())
    throw InputError(
        Problem{{}, "rotation", "is given beside a pose", "a position of shape (3,)", {}});
  const Pose<double> pose = pose_of(target, "target");
  out.position = pose.position;
  out.rotation = pose.rotation;
  return out;
}

py::object rows_of(const std::vector<Eigen::VectorXd>& vectors, int n) {
  py::object out = new_array({static_cast<py::ssize_t>(vectors.size()), n});
  double* row = data_of(out);
  for (const Eigen::VectorXd& x : vectors) {
    MutableVector(row, n) = x;
    row += n;
  }
  return out;
}

InverseKinematicsResult solve(const RobotHandle& robot, const InverseKinematicsTarget& target,
                              const InverseKinematicsOptions& options) {
  const py::gil_scoped_release unlocked;
  return inverse_kinematics(*robot.model, target, options);
}

py::object ik(const RobotHandle& robot, const py::object& target, const py::object& rotation,
              const py::object& frame, const py::object& start, bool all, int restarts,
              double tolerance, unsigned seed) {
  InverseKinematicsOptions options;
  if (!start.is_none())
    options.start = robot.model->normalized(
        vector_of(start, "start", robot.model->coordinates(), ", the coordinates"));
  options.all = all;
  options.restarts = restarts;
  options.tolerance = tolerance;
  options.seed = seed;
  const InverseKinematicsResult found =
      solve(robot, target_from(robot, target, rotation, frame), options);
  if (found.solutions.empty()) throw ComputationError(found.reason, found.best_residual);
  if (!all) return to_array(found.solutions.front().q);
  std::vector<Eigen::VectorXd> rows;
  for (const InverseKinematicsSolution& solution : found.solutions) rows.push_back(solution.q);
  return rows_of(rows, robot.model->coordinates());
}

py::object closed_form(const RobotHandle& robot, const py::object& target,
                       const py::object& rotation, const py::object& frame) {
  const InverseKinematicsTarget goal = target_from(robot, target, rotation, frame);
  const std::vector<Eigen::VectorXd> rows =
      goal.rotation ? closed_form_poses(*robot.model, goal.frame, {*goal.rotation, goal.position})
                    : closed_form_positions(*robot.model, goal.frame, goal.position);
  return rows_of(rows, robot.model->coordinates());
}

py::object rates_result(const JointRates& rates) {
  return result_class("JointRates")(to_array(rates.value), rates.residual, rates.rank);
}

py::object rates(RobotHandle& robot, const py::object& q, const py::object& twist,
                 const py::object& frame, bool position_only) {
  const Model& model = *robot.model;
  const Eigen::VectorXd at =
      model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
  RobotHandle::Loan c(robot);
  return rates_result(joint_rates(model, c->work, at,
                                  frame_argument(robot, or_null(frame), "frame"),
                                  vector_of(twist, "twist", 6, ", rotation first"), position_only));
}

py::object accelerations(RobotHandle& robot, const py::object& q, const py::object& v,
                         const py::object& acceleration, const py::object& frame,
                         bool position_only) {
  const Model& model = *robot.model;
  const Eigen::VectorXd at =
      model.normalized(vector_of(q, "q", model.coordinates(), ", the coordinates"));
  RobotHandle::Loan c(robot);
  return rates_result(joint_accelerations(
      model, c->work, at, vector_of(v, "v", model.speeds(), ", one per speed"),
      frame_argument(robot, or_null(frame), "frame"),
      vector_of(acceleration, "acceleration", 6, ", rotation first"), position_only));
}

}  // namespace

void add_inverse_kinematics(RobotClass& robot) {
  robot
      .def(
          "ik", &ik, py::arg("target"), py::arg("rotation") = py::none(), py::kw_only(),
          py::arg("frame") = py::none(), py::arg("start") = py::none(), py::arg("all") = false,
          py::arg("restarts") = 50, py::arg("tolerance") = 1e-10, py::arg("seed") = 1,
          "Coordinates that bring a frame (the tip when absent) to a target, within the limits.\n\n"
          "target: a pose (4, 4), or a position (3,) with `rotation` a matrix (3, 3) or "
          "quaternion\n"
          "(w, x, y, z), free when absent. start: where the search begins. all: every different\n"
          "solution that is found, as rows, the best first. ComputationError with the reason when\n"
          "there is none.")
      .def(
          "ik_closed_form", &closed_form, py::arg("target"), py::arg("rotation") = py::none(),
          py::kw_only(), py::arg("frame") = py::none(),
          "All solutions at once, as rows, for arms that have a closed form: two or three turning\n"
          "joints, six with a spherical wrist. No rows: out of reach. InputError says why an arm "
          "has\n"
          "no closed form.")
      .def(
          "joint_rates", &rates, py::arg("q"), py::arg("twist"), py::kw_only(),
          py::arg("frame") = py::none(), py::arg("position_only") = false,
          "Speeds for a twist of a frame (world axes, at its origin): least squares of least norm.")
      .def("joint_accelerations", &accelerations, py::arg("q"), py::arg("v"),
           py::arg("acceleration"), py::kw_only(), py::arg("frame") = py::none(),
           py::arg("position_only") = false,
           "Accelerations of the joints for an acceleration of a frame, given the speeds.");
}

}  // namespace ulna::python
