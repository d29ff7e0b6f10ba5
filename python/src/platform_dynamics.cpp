// ulna.Platform: efforts of the drives and accelerations, with full legs.

#include "ulna/dynamics/platform_dynamics.hpp"

#include "platform_handle.hpp"
#include "wrenches.hpp"

namespace ulna::python {
namespace {

constexpr const char* wrench_text = "moment first, at the platform's origin";

/// A wrench on the platform, and others on any body; one for all poses or one for each.
class Loads {
 public:
  Loads(const PlatformHandle& p, const py::object& wrench, const py::object& wrenches)
      : own_(row_argument(wrench, "wrench", 6, wrench_text)),
        others_(*p.robot, wrenches.is_none() ? nullptr : wrenches.ptr()),
        numbers_(others_.numbers()) {}
  py::ssize_t own_count() const { return own_.count; }
  py::ssize_t others_count() const { return others_.count(); }
  PlatformLoads at(py::ssize_t i) const {
    PlatformLoads loads{Wrench<double>::from_vector(own_.row(i)), {}};
    others_.at(numbers_.count <= 1 ? numbers_.row(0) : numbers_.row(i), loads.others);
    return loads;
  }

 private:
  RowArgument own_;
  WrenchArgument others_;
  StateArgument numbers_;
};

py::object platform_inverse_dynamics(PlatformHandle& p, const py::object& pose,
                                     const py::object& twist, const py::object& acceleration,
                                     const py::object& wrench, const py::object& wrenches) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text),
                    A = row_argument(acceleration, "acceleration", 6, twist_text);
  const Loads loads(p, wrench, wrenches);
  const auto n = count_of({{"pose", X.count},
                           {"twist", V.count},
                           {"acceleration", A.count},
                           {"wrench", loads.own_count()},
                           {"wrenches", loads.others_count()}});
  return for_poses(p, n, wrenches.is_none() ? p.share() : 4,
                   [&](py::ssize_t i) {
                     return p.ask().efforts(X.at(i), twist_of(V.row(i)), twist_of(A.row(i)),
                                            loads.at(i));
                   })
      .vectors([](const auto& tau) { return tau; });
}

py::object platform_forward_dynamics(PlatformHandle& p, const py::object& pose,
                                     const py::object& twist, const py::object& efforts,
                                     const py::object& wrench, const py::object& wrenches) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text),
                    tau = drive_rows(p, efforts, "efforts");
  const Loads loads(p, wrench, wrenches);
  const auto n = count_of({{"pose", X.count},
                           {"twist", V.count},
                           {"efforts", tau.count},
                           {"wrench", loads.own_count()},
                           {"wrenches", loads.others_count()}});
  return for_poses(
             p, n, wrenches.is_none() ? p.share() : 4,
             [&](py::ssize_t i) {
               return Eigen::VectorXd(
                   p.ask().under(X.at(i), twist_of(V.row(i)), tau.row(i), loads.at(i)).vector());
             })
      .vectors([](const auto& a) { return a; });
}

py::object platform_equations(PlatformHandle& p, const py::object& pose, const py::object& twist) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text);
  using Found = PlatformDynamics::Equations;
  const Platform& platform = p.ask().closed("equations");
  const auto found = for_poses(
      p, count_of({{"pose", X.count}, {"twist", V.count}}), dear_share, [&](py::ssize_t i) {
        return PlatformDynamics(platform, *p.robot->model).equations(X.at(i), twist_of(V.row(i)));
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
           py::arg("wrenches") = none,
           "Efforts of the drives for an acceleration of the platform, with the masses of the "
           "legs:\n(legs,), or (N, legs). More drives than freedoms: those of least norm.\n\n"
           "wrench: an external one on the platform (moment, force; world axes, at its origin).\n"
           "wrenches: {body: force} or a list of ulna.Wrench, on any body.")
      .def("forward_dynamics", &platform_forward_dynamics, py::arg("pose"), py::arg("twist") = none,
           py::arg("efforts") = none, py::kw_only(), py::arg("wrench") = none,
           py::arg("wrenches") = none,
           "The acceleration of the platform under efforts of the drives, all or {leg: effort}: "
           "(6,), or\n(N, 6). wrench, wrenches: as in inverse_dynamics.")
      .def("equations", &platform_equations, py::arg("pose"), py::arg("twist") = none,
           "mass x + bias = drives @ efforts on the platform's freedoms x: a named tuple.\n\n"
           "Closed form only; ulna.Dynamics(robot).equations serves every robot.");
}

}  // namespace ulna::python
