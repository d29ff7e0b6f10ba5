// ulna.Platform: efforts of the drives and accelerations, with full legs.

#include "ulna/dynamics/platform_dynamics.hpp"

#include "platform_handle.hpp"

namespace ulna::python {
namespace {

constexpr const char* wrench_text = "moment first, at the platform's origin";

py::object platform_inverse_dynamics(PlatformHandle& p, const py::object& pose,
                                     const py::object& twist, const py::object& acceleration,
                                     const py::object& wrench) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text),
                    A = row_argument(acceleration, "acceleration", 6, twist_text),
                    F = row_argument(wrench, "wrench", 6, wrench_text);
  const auto n = count_of(
      {{"pose", X.count}, {"twist", V.count}, {"acceleration", A.count}, {"wrench", F.count}});
  return for_poses(p, n, cheap_share,
                   [&](py::ssize_t i) {
                     PlatformDynamics dynamics(p.platform, *p.robot->model);
                     return Eigen::VectorXd(
                         dynamics.inverse(X.at(i), twist_of(V.row(i)), twist_of(A.row(i)),
                                          Wrench<double>::from_vector(F.row(i))));
                   })
      .vectors([](const auto& tau) { return tau; });
}

py::object platform_forward_dynamics(PlatformHandle& p, const py::object& pose,
                                     const py::object& twist, const py::object& efforts,
                                     const py::object& wrench) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text),
                    tau = row_argument(efforts, "efforts", p.platform.legs(), "one per leg"),
                    F = row_argument(wrench, "wrench", 6, wrench_text);
  const auto n = count_of(
      {{"pose", X.count}, {"twist", V.count}, {"efforts", tau.count}, {"wrench", F.count}});
  return for_poses(p, n, cheap_share,
                   [&](py::ssize_t i) {
                     PlatformDynamics dynamics(p.platform, *p.robot->model);
                     return Eigen::VectorXd(dynamics
                                                .forward(X.at(i), twist_of(V.row(i)), tau.row(i),
                                                         Wrench<double>::from_vector(F.row(i)))
                                                .vector());
                   })
      .vectors([](const auto& a) { return a; });
}

py::object platform_equations(PlatformHandle& p, const py::object& pose, const py::object& twist) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text);
  using Found = PlatformDynamics::Equations;
  const auto found = for_poses(
      p, count_of({{"pose", X.count}, {"twist", V.count}}), dear_share, [&](py::ssize_t i) {
        return PlatformDynamics(p.platform, *p.robot->model).equations(X.at(i), twist_of(V.row(i)));
      });
  return result_class("PlatformEquations")(
      found.matrices(&Found::mass), found.vectors(&Found::bias), found.matrices(&Found::drives));
}

}  // namespace

void add_platform_dynamics(PlatformClass& platform) {
  const py::none none;
  platform
      .def("inverse_dynamics", &platform_inverse_dynamics, py::arg("pose"), py::arg("twist") = none,
           py::arg("acceleration") = none, py::kw_only(), py::arg("wrench") = none,
           "Efforts of the drives for an acceleration of the platform, with the masses of the "
           "legs,\n"
           "under an external wrench on it (moment, force; world axes). (legs,), or (N, legs).")
      .def("forward_dynamics", &platform_forward_dynamics, py::arg("pose"), py::arg("twist") = none,
           py::arg("efforts") = none, py::kw_only(), py::arg("wrench") = none,
           "The acceleration of the platform under efforts of the drives: (6,), or (N, 6).")
      .def("equations", &platform_equations, py::arg("pose"), py::arg("twist") = none,
           "mass x + bias = drives @ efforts on the platform's freedoms x: a named tuple.");
}

}  // namespace ulna::python
