// Robot: coordinates that bring a frame to a pose, numerically and in closed form.

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "interrupt.hpp"
#include "names.hpp"
#include "obstacles.hpp"
#include "row_argument.hpp"
#include "ulna/kinematics/closed_form.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"

namespace ulna::python {
namespace {

PyObject* or_null(const py::object& object) { return object.is_none() ? nullptr : object.ptr(); }

/// What is done about targets without a solution.
enum class OnFailure { raise, nan };

/// Poses (4, 4), or positions (3,) with or without one rotation; batches with N in front. Where
/// failures are nan, targets that are not numbers have a position of nan.
std::vector<InverseKinematicsTarget> targets_from(const RobotHandle& robot,
                                                  const py::object& target,
                                                  const py::object& rotation,
                                                  const py::object& frame, bool& batch,
                                                  OnFailure on_failure) {
  const InverseKinematicsTarget plain{frame_argument(robot, or_null(frame), "frame"), {}, {}};
  const Array array = numbers(target, "target");
  const bool poses = array.ndim() >= 2 && array.shape(array.ndim() - 1) == 4;
  if (poses && !rotation.is_none())
    throw InputError(
        Problem{{}, "rotation", "is given together with a pose", "a position of shape (3,)", {}});
  const bool fits =
      poses ? array.ndim() <= 3 && array.shape(array.ndim() - 2) == 4
            : (array.ndim() == 1 || array.ndim() == 2) && array.shape(array.ndim() - 1) == 3;
  if (!fits)
    throw InputError(Problem{{},
                             "target",
                             "has shape " + shape_text(array),
                             "(4, 4) or (N, 4, 4) for poses, (3,) or (N, 3) for positions",
                             {}});
  batch = array.ndim() == (poses ? 3 : 2);
  std::vector<InverseKinematicsTarget> out;
  const py::ssize_t count = batch ? array.shape(0) : 1;
  const py::ssize_t width = poses ? 16 : 3;
  InverseKinematicsTarget one = plain;
  if (!rotation.is_none()) one.rotation = rotation_of(rotation, "rotation");
  for (py::ssize_t i = 0; i < count; ++i) {
    if (i % 1024 == 0) interruption_point();
    const double* const x = array.data() + width * i;
    if (!ConstVector(x, width).allFinite()) {
      if (on_failure == OnFailure::raise)
        throw InputError(Problem{{},
                                 "target",
                                 "holds a number that is not finite",
                                 "finite numbers",
                                 "on_failure='nan' gives nan for such targets"});
      one.position.setConstant(std::numeric_limits<double>::quiet_NaN());
    } else if (poses) {
      const Pose<double> pose = pose_at(x, "target");
      one.position = pose.position;
      one.rotation = pose.rotation;
    } else {
      one.position = Eigen::Map<const Eigen::Vector3d>(x);
    }
    out.push_back(one);
  }
  return out;
}

InverseKinematicsTarget target_from(const RobotHandle& robot, const py::object& target,
                                    const py::object& rotation, const py::object& frame) {
  bool batch = false;
  std::vector<InverseKinematicsTarget> targets =
      targets_from(robot, target, rotation, frame, batch, OnFailure::raise);
  if (batch) throw InputError(Problem{{}, "target", "is a batch", "one target", {}});
  return targets.front();
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

InverseKinematicsResult solve(const Model& model, const InverseKinematicsTarget& target,
                              const InverseKinematicsOptions& options) {
  if (!target.position.allFinite()) return {};  // no number: nothing reaches it
  return inverse_kinematics(model, target, options);
}

Eigen::VectorXd solution_or(OnFailure on_failure, const InverseKinematicsResult& found, int n) {
  if (!found.solutions.empty()) return found.solutions.front().q;
  if (on_failure == OnFailure::raise) throw ComputationError(found.reason, found.best_residual);
  return Eigen::VectorXd::Constant(n, std::numeric_limits<double>::quiet_NaN());
}

/// The coordinates alone or, where failures are nan, beside them which were found.
py::object with_mask(OnFailure on_failure, const py::object& q) {
  if (on_failure == OnFailure::raise) return q;
  const py::module_ numpy = py::module_::import("numpy");
  const py::object found = numpy.attr("isfinite")(q).attr("all")(py::arg("axis") = -1);
  return result_class("InverseKinematics")(q, found);
}

/// Targets one by one, each from its own start or the one for all.
py::object each(RobotHandle& robot, const std::vector<InverseKinematicsTarget>& targets,
                const py::object& start, const InverseKinematicsOptions& common,
                OnFailure on_failure) {
  const RowArgument starts =
      row_argument(start.is_none() ? to_array(robot.model->neutral()) : start, "start",
                   robot.model->coordinates(), "the coordinates");
  const auto count = static_cast<py::ssize_t>(targets.size());
  if (count == 0) return new_array({0, robot.model->coordinates()});
  const auto n = count_of({{"target", count}, {"start", starts.count}});
  return for_rows(robot, n, 1,
                  [&](Context& c, py::ssize_t i) {
                    InverseKinematicsOptions options = common;
                    if (!start.is_none()) options.start = c.model.normalized(starts.row(i));
                    return solution_or(on_failure,
                                       solve(c.model, targets[count == 1 ? 0 : i], options),
                                       c.model.coordinates());
                  })
      .vectors([](const Eigen::VectorXd& q) { return q; });
}

py::object ik(RobotHandle& robot, const py::object& target, const py::object& rotation,
              const py::object& frame, const py::object& start, bool all, int restarts,
              double tolerance, unsigned seed, const std::optional<bool>& nearest,
              const std::string& on_failure, const std::string& method,
              const py::object& obstacles) {
  constexpr const char* failures[] = {"raise", "nan"};
  const auto failing = static_cast<OnFailure>(choice(on_failure, failures, "on_failure"));
  InverseKinematicsOptions options;
  options.all = all;
  options.restarts = restarts;
  options.tolerance = tolerance;
  options.seed = seed;
  std::vector<const char*> methods;
  for (const InverseKinematicsMethod known : inverse_kinematics_methods())
    methods.push_back(name_of(known));
  options.method = static_cast<InverseKinematicsMethod>(choice(method, methods, "method"));
  options.obstacles = obstacles_of(robot, obstacles);
  bool batch = false;
  const auto targets = targets_from(robot, target, rotation, frame, batch, failing);
  if (batch && all) throw InputError(Problem{{}, "all", "is given for a batch", "one target", {}});
  if (all && failing == OnFailure::nan)
    throw InputError(Problem{{},
                             "on_failure",
                             "'nan' is given together with all",
                             "all=False: without a solution the result has no rows",
                             {}});
  options.nearest = nearest.value_or(!batch && !start.is_none());
  if (batch) return with_mask(failing, each(robot, targets, start, options, failing));
  if (!start.is_none())
    options.start = robot.model->normalized(
        vector_of(start, "start", robot.model->coordinates(), ", the coordinates"));
  const InverseKinematicsResult found =
      interruptible([&] { return solve(*robot.model, targets.front(), options); });
  if (!all)
    return with_mask(failing, to_array(solution_or(failing, found, robot.model->coordinates())));
  if (found.solutions.empty()) throw ComputationError(found.reason, found.best_residual);
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

py::object rates_result(const Stack<JointRates>& rates) {
  return result_class("JointRates")(rates.vectors(&JointRates::value),
                                    rates.numbers(&JointRates::residual),
                                    rates.objects(&JointRates::rank));
}

py::object rates(RobotHandle& robot, const py::object& q, const py::object& twist,
                 const py::object& frame, bool position_only) {
  const int nq = robot.model->coordinates(), of = frame_argument(robot, or_null(frame), "frame");
  States<1> at = states_from<1>(robot, {&q}, {"q"});
  const RowArgument V = row_argument(twist, "twist", 6, "rotation first");
  const py::ssize_t count = count_of({{"q", at.count}, {"twist", V.count}});
  spread(at, count);
  return rates_result(for_rows(robot, count, dear_share, [&](Context& c, py::ssize_t i) {
    return joint_rates(c.model, c.work, ConstVector(at.row(i)[0], nq), of, V.row(i), position_only);
  }));
}

py::object accelerations(RobotHandle& robot, const py::object& q, const py::object& v,
                         const py::object& acceleration, const py::object& frame,
                         bool position_only) {
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  const int of = frame_argument(robot, or_null(frame), "frame");
  States<2> states = states_from<2>(robot, {&q, &v}, {"q", "v"});
  const RowArgument A = row_argument(acceleration, "acceleration", 6, "rotation first");
  const py::ssize_t count = count_of({{"q", states.count}, {"acceleration", A.count}});
  spread(states, count);
  return rates_result(for_rows(robot, count, dear_share, [&](Context& c, py::ssize_t i) {
    const auto x = states.row(i);
    return joint_accelerations(c.model, c.work, ConstVector(x[0], nq), ConstVector(x[1], nv), of,
                               A.row(i), position_only);
  }));
}

}  // namespace

void add_inverse_kinematics(RobotClass& robot) {
  robot
      .def(
          "ik", &ik, py::arg("target"), py::arg("rotation") = py::none(), py::kw_only(),
          py::arg("frame") = py::none(), py::arg("start") = py::none(), py::arg("all") = false,
          py::arg("restarts") = 50, py::arg("tolerance") = 1e-10, py::arg("seed") = 1,
          py::arg("nearest") = py::none(), py::arg("on_failure") = "raise",
          py::arg("method") = "automatic", py::arg("obstacles") = py::none(),
          "Joint positions within the limits for which a frame (default: the tip) reaches a "
          "target pose.\n\ntarget: a pose (4, 4), or a position (3,) with `rotation` a matrix (3, "
          "3) or quaternion\n(w, x, y, z), free by default. start: start of the search. all: "
          "return every distinct\nsolution as a row, the nearest to the start first. nearest: "
          "search for the solution\nnearest to the start instead of any (default: if one "
          "target and a start are given).\nComputationError with "
          "the reason if there is no solution. Targets (N, 4, 4) or (N, 3) give (N, nq), solved "
          "one by one. on_failure='nan' returns (q, found):\nnan for targets without a solution or "
          "with nan, and a mask of those with one.\nmethod: 'automatic' (closed form or "
          "elimination where "
          "an arm of six turning joints has\nthem, else the search), 'closed-form', "
          "'elimination', 'gauss-newton', 'newton-raphson',\n'davidon-fletcher-powell', "
          "'hooke-jeeves', 'complex'. obstacles: a list of dicts\n{'sphere': centre, 'radius': "
          "r}, {'box': centre or pose, 'sides': lengths},\n{'half_space': point, 'normal': n}, "
          "with 'clearance' and 'frames' (names that stay out; by default\nall).")
      .def("ik_closed_form", &closed_form, py::arg("target"), py::arg("rotation") = py::none(),
           py::kw_only(), py::arg("frame") = py::none(),
           "All solutions as rows, for arms with a closed form: two or three revolute joints, or "
           "six of\nwhich three successive axes intersect in one point or are parallel. No rows: "
           "the target is out\nof reach. InputError states why an arm has no closed form.")
      .def(
          "posture_names",
          [](const RobotHandle& self, const py::object& q, const py::object& frame) {
            const PostureNames names =
                posture_names(*self.model, frame_argument(self, or_null(frame), "frame"),
                              vector_of(q, "q", self.model->coordinates(), ", the coordinates"));
            py::dict out;
            if (!names.shoulder.empty()) out["shoulder"] = names.shoulder;
            if (!names.elbow.empty()) out["elbow"] = names.elbow;
            if (!names.wrist.empty()) out["wrist"] = names.wrist;
            return out;
          },
          py::arg("q"), py::kw_only(), py::arg("frame") = py::none(),
          "Shoulder (left, right), elbow (up, down) and wrist (flip, no flip) of an arm; {} if "
          "it\nhas no such parts.")
      .def(
          "arm_structure",
          [](const RobotHandle& self, const py::object& frame) {
            return text_of(
                arm_structure(*self.model, frame_argument(self, or_null(frame), "frame")));
          },
          py::kw_only(), py::arg("frame") = py::none(),
          "What is special about the six axes that carry a frame, in words.")
      .def("joint_rates", &rates, py::arg("q"), py::arg("twist"), py::kw_only(),
           py::arg("frame") = py::none(), py::arg("position_only") = false,
           "Speeds for a twist of a frame (world axes, at its origin): minimum-norm least squares.")
      .def("joint_accelerations", &accelerations, py::arg("q"), py::arg("v"),
           py::arg("acceleration"), py::kw_only(), py::arg("frame") = py::none(),
           py::arg("position_only") = false,
           "Accelerations of the joints for an acceleration of a frame, given the speeds.");
}

}  // namespace ulna::python
