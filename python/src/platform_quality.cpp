// ulna.Platform: dexterity, speeds and forces that limited drives can give, errors, the nearest
// singular pose, working modes; how the platform is held along postures.

#include <pybind11/stl.h>

#include <cmath>

#include "interrupt.hpp"
#include "platform_handle.hpp"

namespace ulna::python {
namespace platform_qualities {
namespace {

using Found = PlatformQuality;

py::object capability(const Stack<Found>& found, Capability Found::*part) {
  return result_class("Capability")(
      found.numbers([part](const Found& q) { return (q.*part).everywhere; }),
      found.numbers([part](const Found& q) { return (q.*part).best; }),
      (found.at[0].*part).dimension);
}

/// Those given, the robot's own, or 1 where it has none: `unit` tells.
Eigen::VectorXd limit(const PlatformHandle& p, const py::object& given, const char* name,
                      const Eigen::VectorXd& own, bool& unit) {
  unit = given.is_none() && !own.allFinite();
  if (!given.is_none()) return each_drive(p, given, name, std::numeric_limits<double>::min());
  return unit ? Eigen::VectorXd(Eigen::VectorXd::Ones(p.drives())) : own;
}

py::object platform_quality(PlatformHandle& p, const py::object& pose, const py::object& speeds,
                            const py::object& efforts, const py::object& errors) {
  const PoseArgument X = poses_of(p, pose, "pose");
  bool unit_speeds = false, unit_efforts = false;
  DriveCapability drives;
  drives.speeds = limit(p, speeds, "speed_limit", p.ask().speed_limits(), unit_speeds);
  drives.efforts = limit(p, efforts, "effort_limit", p.ask().effort_limits(), unit_efforts);
  drives.errors = errors.is_none() ? Eigen::VectorXd(Eigen::VectorXd::Zero(p.drives()))
                                   : each_drive(p, errors, "errors", 0);
  const auto found = for_poses(p, X.count, std::min(dear_share, p.share()), [&](py::ssize_t i) {
    const PlatformRows rows = p.ask().rows(X.at(i));
    return quality(rows.J, rows.basis, p.ask().held(X.at(i)).condition, drives);
  });
  return result_class("PlatformQuality")(
      found.numbers(&Found::dexterity), capability(found, &Found::speed),
      capability(found, &Found::turning), capability(found, &Found::force),
      capability(found, &Found::moment), found.numbers(&Found::position_worst),
      found.numbers(&Found::position_rms), found.numbers(&Found::angle_worst),
      found.numbers(&Found::angle_rms), unit_speeds, unit_efforts);
}

py::object nearest(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const auto found = for_poses(p, X.count, 4, [&](py::ssize_t i) {
    NearestSingularity one = p.ask().nearest(X.at(i));
    if (!one.found) {
      one.distance = NAN;
      one.pose.position.setConstant(NAN);
      one.pose.rotation.setConstant(NAN);
    }
    return one;
  });
  std::vector<Pose<double>> poses;
  for (const NearestSingularity& one : found.results()) poses.push_back(one.pose);
  return result_class("NearestSingularity")(found.numbers(&NearestSingularity::distance),
                                            stacked_poses(poses, X.count >= 0));
}

py::object modes(PlatformHandle& p, const py::object& pose) {
  const Pose<double> X = pose_of(pose, "pose");
  const WorkingModes found = interruptible([&] { return p.ask().modes(X); });
  const std::vector<std::string> names = p.ask().legs();
  py::dict angles;
  for (std::size_t k = 0; k < found.angles.size(); ++k)
    angles[py::str(names[k])] = to_array(
        Eigen::Map<const Eigen::VectorXd>(found.angles[k].data(), std::ssize(found.angles[k])));
  return result_class("WorkingModes")(angles, found.count);
}

struct Held {
  double condition, determinant, distance;
};

/// (condition, determinant, distance to the nearest singular pose) along postures.
py::tuple held_along(PlatformHandle& p, const py::object& q) {
  const RowArgument at = row_argument(q, "q", p.robot->model->coordinates(), "the coordinates");
  const auto posture = [&](py::ssize_t i) { return p.robot->model->normalized(at.row(i)); };
  // One after the other: singular poses are followed from posture to posture.
  const py::ssize_t share = std::max<py::ssize_t>(at.count, 1);
  std::vector<NearestSingularity> along;
  const auto found = for_poses(p, at.count, share, [&](py::ssize_t i) {
    if (i == 0) {
      std::vector<Eigen::VectorXd> all;
      for (py::ssize_t k = 0; k < at.count; ++k) all.push_back(posture(k));
      along = p.ask().nearest_along(all);
    }
    const PlatformSingularity held = p.ask().held_at(posture(i));
    const NearestSingularity& nearest = along[static_cast<std::size_t>(i)];
    return Held{held.condition, held.determinant, nearest.found ? nearest.distance : NAN};
  });
  return py::make_tuple(found.numbers(&Held::condition), found.numbers(&Held::determinant),
                        found.numbers(&Held::distance));
}

}  // namespace
}  // namespace platform_qualities

void add_platform_quality(PlatformClass& c) {
  using namespace platform_qualities;
  const py::none none;
  c.def("quality", &platform_quality, py::arg("pose"), py::kw_only(), py::arg("speed_limit") = none,
        py::arg("effort_limit") = none, py::arg("errors") = none,
        "Dexterity, the speeds and forces that limited drives can give the platform, and its "
        "errors.\n\nspeed_limit, effort_limit: limits of the drives, one number for all or one "
        "each (default: the\nrobot's own, or 1 if it has none; see unit_speeds, unit_efforts). "
        "errors: those of the drives.")
      .def("nearest_singularity", &nearest, py::arg("pose"),
           "The singular pose nearest to a pose: (distance, pose), in metres with turns by the "
           "radius; nan\nwhere none is found.")
      .def("working_modes", &modes, py::arg("pose"),
           "All values of each drive that reach a pose, the one in use first, and how many\n"
           "combinations these make.")
      .def("_held_along", &held_along, py::arg("q"),
           "(condition, determinant, distance to the nearest singular pose) along postures.");
}

}  // namespace ulna::python
