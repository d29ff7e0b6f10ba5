// Motions of a frame along lines, screws, circles and polylines (ulna.PoseMotion), motions of all
// joints (ulna.Trajectory), and what carries the one over into the other.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interrupt.hpp"
#include "motion.hpp"
#include "names.hpp"
#include "timing.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/motion/cartesian_motion.hpp"
#include "ulna/motion/internal/combined_motion.hpp"
#include "ulna/motion/internal/scaled_motion.hpp"
#include "ulna/motion/internal/time_scale.hpp"
#include "ulna/motion/pose_path.hpp"
#include "ulna/motion/program.hpp"

namespace ulna::python {
namespace {

using Trajectory = Motion;
using HeldPoseMotion = std::shared_ptr<PoseMotion>;

/// One coordinate of a trajectory.
class ComponentMotion final : public ScalarMotion {
 public:
  ComponentMotion(MotionPtr whole, int k)
      : whole_(std::move(whole)), k_(k), depth_(depth_around(whole_->depth())) {}
  MotionValue at(double t) const override {
    Eigen::VectorXd q(whole_->size()), v(whole_->size()), a(whole_->size());
    whole_->at(t, q, v, a);
    return {q(k_), v(k_), a(k_), 0};
  }
  std::vector<double> breakpoints() const override { return whole_->breakpoints(); }
  double duration() const override { return whole_->duration(); }
  int depth() const override { return depth_; }

 private:
  MotionPtr whole_;
  int k_;
  int depth_;
};

HeldPoseMotion along(PosePathPtr path, double time, const std::string& law) {
  ScalarMotionPtr s = program_named(law, 0, path->length(), time);
  return std::make_shared<PathMotion>(std::move(path), std::move(s));
}

HeldPoseMotion polyline(const py::object& points, double speed, const py::object& rotation,
                        double blend, double ramp) {
  const Array rows = numbers(points, "points");
  if (rows.ndim() != 2 || rows.shape(1) != 3)
    throw InputError(Problem{{}, "points", "has shape " + shape_text(rows), "(N, 3)", {}});
  std::vector<Vector3<double>> all;
  for (py::ssize_t k = 0; k < rows.shape(0); ++k)
    all.emplace_back(Eigen::Map<const Eigen::Vector3d>(rows.data() + 3 * k));
  const Matrix3<double> R = rotation.is_none() ? Matrix3<double>(Matrix3<double>::Identity())
                                               : rotation_of(rotation, "rotation");
  auto path = std::make_shared<const PolylinePath>(all, R, blend);
  if (blend == 0 && all.size() > 2)
    return std::make_shared<PathMotion>(stop_at_corners(path, speed));
  return std::make_shared<PathMotion>(constant_speed(path, speed, ramp));
}

/// (q, v, a) at a time, or with one row for each of several.
py::object trajectory_at(const Trajectory& motion, const py::object& t) {
  const Array times = numbers(t, "t");
  if (times.ndim() > 1)
    throw InputError(Problem{{}, "t", "has shape " + shape_text(times), "a number or (N,)", {}});
  const int n = motion.size();
  const bool one = times.ndim() == 0;
  py::object parts[3];
  for (py::object& part : parts) part = one ? new_array({n}) : new_array({times.size(), n});
  for (py::ssize_t k = 0; k < times.size(); ++k) {
    if (k % 256 == 0) interruption_point();
    motion.at(checked_time(times.data()[k]), MutableVector(data_of(parts[0]) + k * n, n),
              MutableVector(data_of(parts[1]) + k * n, n),
              MutableVector(data_of(parts[2]) + k * n, n));
  }
  return py::make_tuple(parts[0], parts[1], parts[2]);
}

py::tuple state_at(const PoseMotion& motion, double t) {
  const PoseMotionValue x = motion.at(checked_time(t));
  return py::make_tuple(to_array(x.pose), to_array(Eigen::VectorXd(x.twist.vector())),
                        to_array(Eigen::VectorXd(x.acceleration.vector())));
}

HeldTrajectory follow(const RobotHandle& robot, const PoseMotion& motion, const py::object& frame,
                      const py::object& start, bool position_only, const std::string& free,
                      bool within_velocity_limits) {
  CartesianMotionOptions options;
  if (!start.is_none())
    options.start = vector_of(start, "start", robot.model->coordinates(), ", the coordinates");
  options.position_only = position_only;
  for (const char letter : free) {
    const std::size_t axis = std::string("xyz").find(letter);
    if (axis == std::string::npos)
      throw InputError(Problem{{},
                               "free",
                               fmt::format("'{}' found", free),
                               "some of x, y and z of the world, such as 'xy'",
                               {}});
    options.held[axis] = false;
  }
  options.within_velocity_limits = within_velocity_limits;
  const int which = frame_argument(robot, frame.is_none() ? nullptr : frame.ptr(), "frame");
  return interruptible(
      [&] { return std::make_shared<CartesianMotion>(*robot.model, which, motion, options); });
}

/// How efforts grow when a trajectory is run faster: differences of inverse dynamics at alpha 0, 1
/// and -1 tell inertial, viscous and constant terms apart.
TimeScale scale_for_efforts(RobotHandle& robot, const Trajectory& motion,
                            const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                            int samples) {
  const Model& model = *robot.model;
  const int n = motion.size();
  RobotHandle::Loan c(robot);
  Eigen::VectorXd q(n), v(n), a(n), v2(n);
  const auto efforts = [&](double alpha) -> Eigen::VectorXd {
    v2 = alpha * v;
    return inverse_dynamics(model, c->work, q, v2, Eigen::VectorXd(alpha * alpha * a));
  };
  const auto terms = [&](double t) {
    motion.at(t, q, v, a);
    // Coulomb friction keeps its sign: a small alpha stands for the limit of none.
    constexpr double slow = 1e-6;
    const Eigen::VectorXd one = efforts(1), two = efforts(2), rest = efforts(slow);
    EffortTerms out;
    out.inertial = (two - 2 * one + rest) / 2;
    out.viscous = one - rest - out.inertial;
    out.constant = rest;
    return out;
  };
  return alpha_for_efforts(terms, motion.duration(), lower, upper, samples);
}

double fastest_scale(RobotHandle& robot, const Trajectory& motion, const py::object& rates,
                     const py::object& efforts, int samples) {
  const Model& model = *robot.model;
  model.require_tree("time scaling");
  if (motion.size() != model.speeds())
    throw InputError(Problem{{},
                             "trajectory",
                             fmt::format("has {} coordinates", motion.size()),
                             fmt::format("{}, those of the robot", model.speeds()),
                             {}});
  const PlanLimits limits = limits_argument(model, rates, efforts);
  const Eigen::VectorXd &rate = limits.rates, &effort = limits.efforts;
  if (samples < 1 || samples > 10'000'000)
    throw InputError(Problem{{}, "samples", fmt::format("{} found", samples), "1 to 10000000", {}});
  return interruptible([&] {
    double alpha = std::numeric_limits<double>::infinity();
    if (rate.array().isFinite().any()) alpha = alpha_for_rates(motion, rate, samples).alpha;
    if (effort.array().isFinite().any())
      alpha = std::min(alpha, scale_for_efforts(robot, motion, -effort, effort, samples).alpha);
    return alpha;
  });
}

void add_path_factories(py::module_& m) {
  m.def(
      "line",
      [](const py::object& from, const py::object& to, double time, const std::string& law) {
        return along(std::make_shared<LinePath>(pose_of(from, "begin"), pose_of(to, "end")), time,
                     law);
      },
      py::arg("begin"), py::arg("end"), py::arg("time"), py::arg("law") = "poly345",
      "From pose to pose on a straight line, turning about one axis.");
  m.def(
      "screw",
      [](const py::object& from, const py::object& to, double time, const std::string& law) {
        return along(std::make_shared<ScrewPath>(pose_of(from, "begin"), pose_of(to, "end")), time,
                     law);
      },
      py::arg("begin"), py::arg("end"), py::arg("time"), py::arg("law") = "poly345",
      "From pose to pose by one screw motion.");
  m.def(
      "circle",
      [](const py::object& from, const py::object& centre, const py::object& axis, double angle,
         double time, const std::string& law, bool turning) {
        return along(
            std::make_shared<CirclePath>(
                pose_of(from, "begin"), vector3(centre, "centre"), vector3(axis, "axis"), angle,
                turning ? CirclePath::Rotation::turning : CirclePath::Rotation::fixed),
            time, law);
      },
      py::arg("begin"), py::arg("centre"), py::arg("axis"), py::arg("angle"), py::arg("time"),
      py::arg("law") = "poly345", py::arg("turning") = false,
      "On a circle about an axis; with turning=True the frame turns with it.");
  m.def("polyline", &polyline, py::arg("points"), py::kw_only(), py::arg("speed"),
        py::arg("rotation") = py::none(), py::arg("blend") = 0.0, py::arg("ramp") = 0.0,
        "Straight legs between points. With blend > 0 corners are rounded and passed at speed;\n"
        "otherwise it comes to rest in each.");
  m.def(
      "joints",
      [](const py::iterable& parts) -> HeldTrajectory {
        std::vector<ScalarMotionPtr> all;
        Callbacks owner;
        for (const py::handle part : parts)
          all.push_back(function_of_time(part, "parts", Needs::derivatives, owner));
        return with_callbacks(HeldTrajectory(std::make_shared<JointMotion>(std::move(all))),
                              std::move(owner));
      },
      py::arg("parts"), "One motion for each coordinate: a trajectory.");
}

}  // namespace

void add_paths(py::module_& m, RobotClass& robot) {
  py::class_<PoseMotion, HeldPoseMotion>(m, "PoseMotion", py::dynamic_attr(),
                                         "A motion of a frame: ulna.motions.line and others.")
      .def("at", &state_at, py::arg("t"),
           "(pose, twist, acceleration) at t: 4x4, and six numbers each, rotation first, world "
           "axes.")
      .def_property_readonly("duration", &PoseMotion::duration, "When it ends, s.")
      .def_property_readonly("breakpoints", &PoseMotion::breakpoints,
                             "Times at which a derivative up to the acceleration jumps.");
  py::class_<Trajectory, HeldTrajectory>(m, "Trajectory",
                                         collect_garbage<callbacks_of_trajectory>(),
                                         py::dynamic_attr(), "A motion of all joints.")
      .def("at", &trajectory_at, py::arg("t"),
           "(q, v, a) at t: shapes (n,), or (N, n) for an array of times.")
      .def("__len__", &Trajectory::size)
      .def(
          "coordinate",
          [](const HeldTrajectory& given, int k) {
            Callbacks owner;
            const MotionPtr whole = opened(given, "self", owner);
            if (k < 0 || k >= whole->size())
              throw InputError(Problem{{},
                                       "k",
                                       fmt::format("{} found", k),
                                       fmt::format("0 to {}", whole->size() - 1),
                                       {}});
            return with_callbacks(HeldMotion(std::make_shared<ComponentMotion>(whole, k)),
                                  std::move(owner));
          },
          py::arg("k"), "A single coordinate.")
      .def(
          "faster",
          [](const HeldTrajectory& whole, double by) {
            Callbacks owner;
            HeldTrajectory out = std::make_shared<ScaledMotion>(opened(whole, "self", owner), by);
            return with_callbacks(std::move(out), std::move(owner));
          },
          py::arg("by"), "The same way in a fraction of the time.")
      .def_property_readonly("duration", &Trajectory::duration, "When it ends, s; may be inf.")
      .def_property_readonly("breakpoints", &Trajectory::breakpoints,
                             "Times at which a derivative up to the acceleration jumps.");
  py::module_ factories = m.attr("motions").cast<py::module_>();
  add_path_factories(factories);
  robot
      .def(
          "follow", &follow, py::arg("motion"), py::kw_only(), py::arg("frame") = py::none(),
          py::arg("start") = py::none(), py::arg("position_only") = false, py::arg("free") = "",
          py::arg("within_velocity_limits") = false,
          "The trajectory of the joints that carries a frame along a PoseMotion, on one branch of\n"
          "solutions, the one nearest to `start`. ComputationError with time and reason where it\n"
          "cannot be followed. `free` names coordinates of the origin that the path does not lead, "
          "such\nas 'xy' for a platform that shifts when it tilts.")
      .def("fastest_scale", &fastest_scale, py::arg("trajectory"), py::kw_only(),
           py::arg("rates") = py::none(), py::arg("efforts") = py::none(), py::arg("samples") = 400,
           "The largest factor by which a trajectory may be run faster within limits of rates "
           "and\nefforts (default: the robot's own): trajectory.faster(factor) keeps them.");
}

}  // namespace ulna::python
