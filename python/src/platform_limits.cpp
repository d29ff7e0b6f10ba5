// ulna.Platform: how well the drives hold it, how stiff it is, and where it can stand.

#include <pybind11/stl.h>
#include <algorithm>
#include <cmath>

#include "interrupt.hpp"
#include "names.hpp"
#include "platform_handle.hpp"
#include "ulna/dynamics/parallel_dynamics.hpp"

namespace ulna::python {
namespace {

py::object singularity_result(const Stack<PlatformSingularity>& found) {
  using Found = PlatformSingularity;
  return result_class("PlatformSingularity")(
      found.numbers(&Found::determinant), found.numbers(&Found::condition),
      found.numbers(&Found::smallest),
      found.vectors([](const Found& s) { return Eigen::VectorXd(s.screw.vector()); }),
      found.numbers(&Found::pitch),
      found.vectors([](const Found& s) { return Eigen::VectorXd(s.point); }));
}

py::object singular(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  return singularity_result(
      for_poses(p, X.count, p.share(), [&](py::ssize_t i) { return p.ask().held(X.at(i)); }));
}

py::object robot_stiffness(PlatformHandle& p, const py::object& pose, const py::object& of_drives,
                           const py::object& wrenches) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const Eigen::VectorXd each =
      each_drive(p, of_drives, "drive_stiffness", std::numeric_limits<double>::min());
  const auto matrix = [](const auto& K) { return Eigen::MatrixXd(K); };
  if (wrenches.is_none())
    return for_poses(p, X.count, p.share(),
                     [&](py::ssize_t i) { return p.ask().stiffness(X.at(i), each); })
        .matrices(matrix);
  const std::vector<ExternalWrench> loads = wrenches_argument(*p.robot, wrenches.ptr());
  const ParallelRobot& robot = p.ask().loops();
  return for_poses(p, X.count, 4,
                   [&](py::ssize_t i) {
                     return ParallelDynamics(robot).stiffness(p.ask().posture(X.at(i)), each,
                                                              loads);
                   })
      .matrices(matrix);
}

PlatformLimits limits_from(double ball_angle, double leg_radius, double worst_condition) {
  PlatformLimits limits;
  limits.ball_angle = ball_angle;
  limits.leg_radius = leg_radius;
  limits.worst_condition = worst_condition;
  return limits;
}

py::object check(PlatformHandle& p, const py::object& pose, double ball_angle, double leg_radius,
                 double worst_condition) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const PlatformLimits limits = limits_from(ball_angle, leg_radius, worst_condition);
  const auto found = for_poses(p, X.count, std::min(dear_share, p.share()),
                               [&](py::ssize_t i) { return p.ask().check(X.at(i), limits); });
  return found.objects([](const std::string& text) { return text; });
}

SliceRange range_of(const py::object& given, const char* name) {
  if (!py::isinstance<py::sequence>(given) || py::isinstance<py::str>(given))
    throw py::type_error(std::string(name) + " must be (axis, lower, upper[, count])");
  const auto parts = py::reinterpret_borrow<py::sequence>(given);
  if (parts.size() < 3 || parts.size() > 4)
    throw InputError(Problem{{}, name, "has other parts", "(axis, lower, upper[, count])", {}});
  SliceRange range{slice_axis_named(text_argument(parts[0], name)), number_argument(parts[1], name),
                   number_argument(parts[2], name)};
  if (parts.size() == 4)
    range.count = static_cast<int>(std::fmin(std::fmax(number_argument(parts[3], name), -1), 1e9));
  return range;
}

py::object workspace(PlatformHandle& p, const py::object& first, const py::object& second,
                     const py::object& middle, double ball_angle, double leg_radius,
                     double worst_condition) {
  const Pose<double> at = middle.is_none() ? p.ask().home() : pose_of(middle, "middle");
  const std::array<SliceRange, 2> ranges = {range_of(first, "first"), range_of(second, "second")};
  WorkspaceSlice slice;
  const std::vector<LocusPiece> loci = interruptible([&] {
    slice = p.ask().slice(at, ranges, limits_from(ball_angle, leg_radius, worst_condition));
    return p.ask().loci(slice);
  });
  const auto axis = [&](int k) {
    Eigen::VectorXd values(ranges[k].count);
    for (int i = 0; i < ranges[k].count; ++i) values(i) = slice.value(k, i);
    return to_array(values);
  };
  Eigen::MatrixXd condition(ranges[1].count, ranges[0].count);
  py::list faults;
  for (int j = 0; j < ranges[1].count; ++j) {
    py::list row;
    for (int i = 0; i < ranges[0].count; ++i) {
      const PoseCheck& one = slice.at(i, j);
      condition(j, i) = one.condition;
      row.append(one.fault == PoseFault::none ? "" : name_of(one.fault));
    }
    faults.append(row);
  }
  py::object curves = new_array({std::ssize(loci), 2, 2});
  for (std::size_t k = 0; k < loci.size(); ++k) {
    const LocusPiece& piece = loci[k];
    std::copy_n(piece.from.data(), 2, data_of(curves) + 4 * k);
    std::copy_n(piece.to.data(), 2, data_of(curves) + 4 * k + 2);
  }
  return result_class("WorkspaceSlice")(axis(0), axis(1), faults, to_matrix(condition), slice.share,
                                        slice.area, curves);
}

}  // namespace

void add_platform_limits(PlatformClass& c) {
  const PlatformLimits usual;
  c.def("singularity", &singular, py::arg("pose"),
        "How well the drives hold the platform: determinant and condition of their rows, and "
        "the\nscrew along which they hold it least.")
      .def("stiffness", &robot_stiffness, py::arg("pose"), py::arg("drive_stiffness"),
           py::kw_only(), py::arg("wrenches") = py::none(),
           "(6, 6), wrench over small displacement, rotation first, from the stiffness of the "
           "drives:\none number for all or one each.\n\nwrenches: {body: force} or a list of "
           "ulna.Wrench; then the loads that the drives hold are included:\nthese wrenches, the "
           "weights and the springs ({} for the last two alone).")
      .def("check", &check, py::arg("pose"), py::kw_only(),
           py::arg("ball_angle") = usual.ball_angle, py::arg("leg_radius") = usual.leg_radius,
           py::arg("worst_condition") = usual.worst_condition,
           "What is wrong with a pose (stroke, hinges, legs that touch, singular), in words; empty "
           "for\na good one. A list for a batch.")
      .def("workspace", &workspace, py::arg("first"), py::arg("second"), py::kw_only(),
           py::arg("middle") = py::none(), py::arg("ball_angle") = usual.ball_angle,
           py::arg("leg_radius") = usual.leg_radius,
           py::arg("worst_condition") = usual.worst_condition,
           "Map of the poses that the platform can take on a slice: two directions (axis, lower, "
           "upper[, count]) with\naxis x, y, z (world) or rx, ry, rz (rotation vector from "
           "`middle`, by default the home pose).\n`singular` holds the curves of singular poses.");
}

}  // namespace ulna::python
