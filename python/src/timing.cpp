// Time-optimal timing: Robot.minimum_time of a trajectory (Experiment.timing does the same to the
// motions of an experiment).

#include "timing.hpp"

#include <fmt/format.h>

#include "arrays.hpp"
#include "interrupt.hpp"
#include "motion.hpp"
#include "names.hpp"
#include "ulna/motion/internal/combined_motion.hpp"

namespace ulna::python {

PlanLimits limits_argument(const Model& model, const py::object& rates, const py::object& efforts) {
  PlanLimits limits{model.velocity_limit(), model.effort_limit()};
  if (!rates.is_none())
    limits.rates = vector_of(rates, "rates", model.speeds(), ", one per speed", Holds::limits);
  if (!efforts.is_none())
    limits.efforts =
        vector_of(efforts, "efforts", model.speeds(), ", one per speed", Holds::limits);
  for (const auto& [limit, name] :
       {std::pair{&limits.rates, "rates"}, {&limits.efforts, "efforts"}})
    if (!(limit->array() > 0).all())
      throw InputError(Problem{
          {}, name, "holds a limit that is not above zero", "limits above zero; inf for none", {}});
  return limits;
}

py::object timing_result(const TimingResult& found) {
  return result_class("Timing")(found.duration, found.scale,
                                to_array(Eigen::Map<const Eigen::VectorXd>(
                                    found.switches.data(), std::ssize(found.switches))),
                                found.limit, found.warning);
}

namespace {

/// One coordinate of a trajectory, as a motion that is handed to the planner.
std::vector<ScalarMotionPtr> coordinates_of(const py::object& trajectory, int count,
                                            Callbacks& owner) {
  std::vector<ScalarMotionPtr> parts;
  for (int k = 0; k < count; ++k)
    parts.push_back(
        opened(trajectory.attr("coordinate")(k).cast<HeldMotion>(), "trajectory", owner));
  return parts;
}

py::object least_time(const RobotHandle& robot, const HeldTrajectory& trajectory,
                      const py::object& rates, const py::object& efforts, int intervals) {
  if (!trajectory) throw py::type_error("trajectory must be an ulna.Trajectory, not None");
  const Model& model = *robot.model;
  if (!model.loops().empty())
    throw InputError(Problem{{},
                             "trajectory",
                             fmt::format("robot '{}' has loops", model.name()),
                             "motions of its driven joints alone",
                             "Experiment.timing(\"minimum-time\") plans those of an experiment"});
  if (trajectory->size() != model.speeds() || model.coordinates() != model.speeds())
    throw InputError(
        Problem{{},
                "trajectory",
                fmt::format("has {} coordinates", trajectory->size()),
                fmt::format("{}, those of a robot without quaternions", model.speeds()),
                {}});
  if (intervals < 2 || intervals > 1'000'000)
    throw InputError(
        Problem{{}, "intervals", fmt::format("{} found", intervals), "2 to 1000000", {}});
  Timing timing;
  timing.kind = TimingKind::minimum_time;
  timing.limits = limits_argument(model, rates, efforts);
  timing.intervals = intervals;
  Callbacks owner;
  const std::vector<ScalarMotionPtr> parts =
      coordinates_of(py::cast(trajectory), model.speeds(), owner);
  Experiment plan(robot.model);
  plan.end = trajectory->duration();
  plan.drives.resize(model.joints().size());
  for (std::size_t j = 0; j < plan.drives.size(); ++j) {
    const Joint& joint = model.joints()[j];
    plan.drives[j].kind = DriveKind::motion;
    for (int k = 0; k < joint.speeds; ++k)
      plan.drives[j].motion.push_back(parts[static_cast<std::size_t>(joint.v + k)]);
  }
  const TimingResult found = interruptible([&] { return plan_timing(plan, timing); });
  std::vector<ScalarMotionPtr> timed(parts.size());
  for (std::size_t j = 0; j < plan.drives.size(); ++j)
    for (std::size_t k = 0; k < plan.drives[j].motion.size(); ++k)
      timed[static_cast<std::size_t>(model.joints()[j].v) + k] = plan.drives[j].motion[k];
  HeldTrajectory out = with_callbacks(
      HeldTrajectory(std::make_shared<JointMotion>(std::move(timed))), std::move(owner));
  return py::make_tuple(py::cast(out), timing_result(found));
}

}  // namespace

void add_timing(RobotClass& robot) {
  robot.def(
      "minimum_time", &least_time, py::arg("trajectory"), py::kw_only(),
      py::arg("rates") = py::none(), py::arg("efforts") = py::none(), py::arg("intervals") = 1000,
      "(trajectory, timing): the same path in the least time within limits of rates and "
      "efforts\n(default: the robot's own) by the phase plane (docs/theory/motions.md, eq. 32-37). "
      "It changes\nthe time law; faster(fastest_scale(...)) keeps the law and is slower.");
}

}  // namespace ulna::python
