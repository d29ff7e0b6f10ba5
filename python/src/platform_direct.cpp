// ulna.Platform: poses from drives.

#include <pybind11/stl.h>

#include "interrupt.hpp"
#include "platform_handle.hpp"

namespace ulna::python {
namespace platform_poses_from_drives {
namespace {

py::object direct(PlatformHandle& p, const py::object& given, const py::object& start,
                  bool continuation) {
  const RowArgument drives = row_argument(given, "drives", p.drives(), "one per leg");
  std::vector<Pose<double>> poses;
  std::optional<Pose<double>> at;
  if (!start.is_none()) at = pose_of(start, "start");
  const bool follows = p.ask().closed_form();
  std::exception_ptr failure;
  interruptible([&] {
    try {
      for (py::ssize_t i = 0; i < std::max<py::ssize_t>(drives.count, 1) && drives.count; ++i) {
        interruption_point();
        poses.push_back(p.ask().direct(drives.row(i), at ? &*at : nullptr, continuation));
        if (follows) at = poses.back();  // the start of the next: rows are a motion
      }
    } catch (const Interrupted&) {
      throw;
    } catch (...) {
      failure = std::current_exception();
    }
    return 0;
  });
  if (failure && drives.count >= 0)
    rethrow_for_state(failure, static_cast<py::ssize_t>(poses.size()));
  if (failure) std::rethrow_exception(failure);
  return stacked_poses(poses, drives.count >= 0);
}

void require_starts(std::optional<int> starts) {
  if (starts && *starts < 1)
    throw InputError(Problem{{}, "starts", "is not positive", "1 or more", {}});
}

Eigen::VectorXd finite_drives(const PlatformHandle& p, const py::object& given) {
  const Eigen::VectorXd drives = vector_of(given, "drives", p.drives(), ", one per leg");
  if (!drives.allFinite())
    throw InputError(
        Problem{{}, "drives", "holds a number that is not finite", "finite numbers", {}});
  return drives;
}

py::object direct_all(PlatformHandle& p, const py::object& given, std::optional<int> starts,
                      unsigned seed) {
  const Eigen::VectorXd drives = finite_drives(p, given);
  require_starts(starts);
  const int many = starts.value_or(p.ask().closed_form() ? 10000 : 200);
  return stacked_poses(interruptible([&] { return p.ask().direct_all(drives, many, seed); }), true);
}

py::object all_poses(PlatformHandle& p, const py::object& given, std::optional<int> starts,
                     std::optional<unsigned> seed) {
  const Eigen::VectorXd drives = finite_drives(p, given);
  require_starts(starts);
  const EveryPose found = interruptible([&] { return p.ask().every_pose(drives, starts, seed); });
  std::vector<Pose<double>> poses;
  const auto n = static_cast<Eigen::Index>(found.poses.size());
  Eigen::VectorXd position(n), angle(n), gap(n);
  py::list certified, within;
  for (Eigen::Index k = 0; k < n; ++k) {
    const ProvenPose& one = found.poses[static_cast<std::size_t>(k)];
    poses.push_back(one.pose);
    certified.append(one.certified);
    within.append(static_cast<bool>(found.within_limits[static_cast<std::size_t>(k)]));
    position(k) = one.certified ? one.position_bound : NAN;
    angle(k) = one.certified ? one.angle_bound : NAN;
    gap(k) = one.gap;
  }
  const auto number = [&](int PlatformPoses::*part) -> py::object {
    if (!found.count) return py::none();
    return py::int_((*found.count).*part);
  };
  return result_class("PlatformPoses")(
      stacked_poses(poses, true), certified, to_array(position), to_array(angle), to_array(gap),
      within, found.method, number(&PlatformPoses::degree), number(&PlatformPoses::bound),
      number(&PlatformPoses::complex), number(&PlatformPoses::singular),
      number(&PlatformPoses::infinite), found.count && found.count->complete, found.assemblies);
}

py::object placed_result(const Stack<ParallelPosture>& found, py::ssize_t count) {
  std::vector<Pose<double>> poses;
  for (const ParallelPosture& one : found.results()) poses.push_back(one.pose);
  return result_class("PlatformPosture")(
      found.vectors(&ParallelPosture::q), stacked_poses(poses, count >= 0),
      found.numbers(&ParallelPosture::off), found.objects(&ParallelPosture::home_branch));
}

py::object at_pose(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const ParallelRobot& robot = p.ask().loops();
  return placed_result(for_poses(p, X.count, std::min(dear_share, p.share()),
                                 [&](py::ssize_t i) { return robot.at_pose(X.at(i)); }),
                       X.count);
}

py::object at_drives(PlatformHandle& p, const py::object& given) {
  const RowArgument drives = row_argument(given, "drives", p.drives(), "one per leg");
  const ParallelRobot& robot = p.ask().loops();
  return placed_result(for_poses(p, drives.count, std::min(dear_share, p.share()),
                                 [&](py::ssize_t i) { return robot.at_drives(drives.row(i)); }),
                       drives.count);
}

py::object twist(PlatformHandle& p, const py::object& pose, const py::object& rates) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument r = drive_rows(p, rates, "rates");
  return for_poses(p, count_of({{"pose", X.count}, {"rates", r.count}}), p.share(),
                   [&](py::ssize_t i) {
                     return Eigen::VectorXd(p.ask().twist(X.at(i), r.row(i)).vector());
                   })
      .vectors([](const auto& x) { return x; });
}

py::object acceleration(PlatformHandle& p, const py::object& pose, const py::object& twist,
                        const py::object& accelerations) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text),
                    a = drive_rows(p, accelerations, "accelerations");
  const auto n = count_of({{"pose", X.count}, {"twist", V.count}, {"accelerations", a.count}});
  return for_poses(p, n, p.share(),
                   [&](py::ssize_t i) {
                     return Eigen::VectorXd(
                         p.ask().acceleration(X.at(i), twist_of(V.row(i)), a.row(i)).vector());
                   })
      .vectors([](const auto& x) { return x; });
}

}  // namespace
}  // namespace platform_poses_from_drives

void add_platform_direct(PlatformClass& c) {
  using namespace platform_poses_from_drives;
  const py::none none;
  c.def("direct", &direct, py::arg("drives"), py::arg("start") = none, py::kw_only(),
        py::arg("continuation") = false,
        "The pose for given drives, near a start (default: the home pose).\n\nRows of a batch are "
        "taken as a motion: each pose is the start of the next. continuation:\nfollow the branch "
        "of the start. Robots without closed form take no start and stay on the\nbranch of the "
        "home pose if it leads there (see at_drives). ComputationError if there is no pose.")
      .def("direct_all", &direct_all, py::arg("drives"), py::kw_only(), py::arg("starts") = none,
           py::arg("seed") = 1,
           "Every pose found from random starts: (count, 4, 4). starts: their number (default: "
           "10000, or\n200 without closed form). all_poses proves them.")
      .def(
          "all_poses", &all_poses, py::arg("drives"), py::kw_only(), py::arg("starts") = none,
          py::arg("seed") = none,
          "Every pose for given drives, each with a proof that exactly one lies within its bounds, "
          "and\nhow many the geometry has, by homotopy (docs/theory/platforms.md, section 8).\n\n"
          "starts, seed: search by random starts instead, without proofs; so are robots without "
          "closed\nform.")
      .def("at_pose", &at_pose, py::arg("pose"),
           "The posture at a pose, or at the nearest one that the platform can take, by the loops "
           "from\nhome: (q, pose, distance, home_branch).")
      .def("at_drives", &at_drives, py::arg("drives"),
           "The posture for given drives by the loops: (q, pose, distance, home_branch), where\n"
           "home_branch tells whether it is reached from home without passing a singular one.")
      .def("twist", &twist, py::arg("pose"), py::arg("rates"),
           "The platform's twist from the rates of its drives: all, or {leg: rate}.")
      .def("acceleration", &acceleration, py::arg("pose"), py::arg("twist"),
           py::arg("accelerations"),
           "The platform's acceleration from those of its drives, at a twist.");
}

}  // namespace ulna::python
