// ulna.Platform: a parallel robot in closed form. Drives from poses, poses from drives, rates
// (platform_limits.cpp: singularities, stiffness, workspace; platform_dynamics.cpp: forces).

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "interrupt.hpp"
#include "platform_handle.hpp"
#include "ulna/kinematics/platform_direct.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna::python {

PoseArgument poses_of(const PlatformHandle& p, const py::object& object, const char* name) {
  PoseArgument out;
  const Array array = numbers(object, name);
  if (array.ndim() == 2) {
    out.poses.push_back(pose_of(object, name));
    return out;
  }
  if (array.ndim() != 3 || array.shape(1) != 4 || array.shape(2) != 4)
    throw InputError(
        Problem{{}, name, "has shape " + shape_text(array), "(4, 4) or (N, 4, 4), poses", {}});
  out.count = array.shape(0);
  for (py::ssize_t i = 0; i < out.count; ++i)
    out.poses.push_back(pose_of(array[py::int_(i)], name));
  if (out.count == 0) out.poses.push_back(p.platform.data().home);
  return out;
}

namespace {

constexpr const char* legs_text = "one per leg";

std::vector<std::string> leg_names(const PlatformHandle& p) {
  std::vector<std::string> names;
  for (const PlatformLeg& leg : p.platform.data().legs) names.push_back(leg.name);
  return names;
}

// ---- drives from poses --------------------------------------------------------------------------

struct DriveMotion {
  Eigen::VectorXd q, v, a;
};

py::object platform_inverse(PlatformHandle& p, const py::object& pose, const py::object& twist,
                            const py::object& acceleration) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text),
                    A = row_argument(acceleration, "acceleration", 6, twist_text);
  const auto n = count_of({{"pose", X.count}, {"twist", V.count}, {"acceleration", A.count}});
  const auto found = for_poses(p, n, cheap_share, [&](py::ssize_t i) {
    PlatformMotion motion(p.platform);
    p.platform.inverse(X.at(i), twist_of(V.row(i)), twist_of(A.row(i)), motion);
    return DriveMotion{motion.q(), motion.rates(), motion.accelerations()};
  });
  return result_class("LegMotion")(found.vectors(&DriveMotion::q), found.vectors(&DriveMotion::v),
                                   found.vectors(&DriveMotion::a));
}

py::object drives(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  return for_poses(p, X.count, cheap_share,
                   [&](py::ssize_t i) {
                     PlatformMotion motion(p.platform);
                     p.platform.inverse(X.at(i), motion);
                     return motion.q();
                   })
      .vectors([](const auto& q) { return q; });
}

py::object jacobian(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  return for_poses(p, X.count, cheap_share,
                   [&](py::ssize_t i) {
                     PlatformMotion motion(p.platform);
                     p.platform.inverse(X.at(i), motion);
                     return p.platform.jacobian(motion);
                   })
      .matrices([](const auto& J) { return J; });
}

py::tuple leg_map(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const auto found =
      for_poses(p, X.count, dear_share, [&](py::ssize_t i) { return p.platform.leg_map(X.at(i)); });
  return py::make_tuple(found.matrices(&CoordinateMap::G), found.planes(&CoordinateMap::H));
}

// ---- poses from drives --------------------------------------------------------------------------

py::object stacked_poses(std::span<const Pose<double>> poses, bool batch) {
  if (!batch) return to_array(poses.front());
  py::object out = new_array({static_cast<py::ssize_t>(poses.size()), 4, 4});
  double* to = data_of(out);
  for (const Pose<double>& pose : poses) {
    store(pose, to);
    to += 16;
  }
  return out;
}

py::object direct_poses(PlatformHandle& p, const py::object& given, const py::object& start,
                        bool continuation) {
  const RowArgument drives = row_argument(given, "drives", p.platform.legs(), legs_text);
  std::vector<Pose<double>> poses;
  Pose<double> at = start.is_none() ? p.platform.data().home : pose_of(start, "start");
  std::exception_ptr failure;
  {
    const py::gil_scoped_release unlocked;
    try {
      for (py::ssize_t i = 0; i < std::max<py::ssize_t>(drives.count, 1) && drives.count; ++i) {
        const Eigen::VectorXd q = drives.row(i);
        at = (continuation ? direct_by_continuation(p.platform, q, at) : direct(p.platform, q, at))
                 .pose;
        poses.push_back(at);  // and the start of the next: rows are a motion
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure && drives.count >= 0)
    rethrow_for_state(failure, static_cast<py::ssize_t>(poses.size()));
  if (failure) std::rethrow_exception(failure);
  return stacked_poses(poses, drives.count >= 0);
}

py::object all_poses(PlatformHandle& p, const py::object& given, int starts, unsigned seed) {
  const Eigen::VectorXd drives = vector_of(given, "drives", p.platform.legs(), ", one per leg");
  if (starts < 1) throw InputError(Problem{{}, "starts", "is not positive", "1 or more", {}});
  const DirectPoses found = interruptible(
      [&] { return direct_all(p.platform, drives, {.starts = starts, .seed = seed}); });
  std::vector<Pose<double>> poses;
  for (const DirectPose& one : found.poses) poses.push_back(one.pose);
  return stacked_poses(poses, true);
}

py::object twist(PlatformHandle& p, const py::object& pose, const py::object& rates) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument r = row_argument(rates, "rates", p.platform.legs(), legs_text);
  return for_poses(p, count_of({{"pose", X.count}, {"rates", r.count}}), cheap_share,
                   [&](py::ssize_t i) {
                     return Eigen::VectorXd(direct_twist(p.platform, X.at(i), r.row(i)).vector());
                   })
      .vectors([](const auto& x) { return x; });
}

py::object platform_acceleration(PlatformHandle& p, const py::object& pose, const py::object& twist,
                                 const py::object& accelerations) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text),
                    a = row_argument(accelerations, "accelerations", p.platform.legs(), legs_text);
  const auto n = count_of({{"pose", X.count}, {"twist", V.count}, {"accelerations", a.count}});
  return for_poses(
             p, n, cheap_share,
             [&](py::ssize_t i) {
               return Eigen::VectorXd(
                   direct_acceleration(p.platform, X.at(i), twist_of(V.row(i)), a.row(i)).vector());
             })
      .vectors([](const auto& x) { return x; });
}

// ---- the ordinary robot -------------------------------------------------------------------------

py::object posture(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  return for_poses(
             p, X.count, dear_share,
             [&](py::ssize_t i) { return platform_posture(*p.robot->model, p.platform, X.at(i)); })
      .vectors([](const auto& q) { return q; });
}

py::tuple posture_rates(PlatformHandle& p, const py::object& q, const py::object& twist,
                        const py::object& acceleration) {
  const RowArgument at = row_argument(q, "q", p.robot->model->coordinates(), "the coordinates"),
                    V = row_argument(twist, "twist", 6, twist_text),
                    A = row_argument(acceleration, "acceleration", 6, twist_text);
  const auto n = count_of({{"q", at.count}, {"twist", V.count}, {"acceleration", A.count}});
  const auto found = for_poses(p, n, dear_share, [&](py::ssize_t i) {
    return platform_rates(*p.robot->model, p.platform, p.robot->model->normalized(at.row(i)),
                          twist_of(V.row(i)), twist_of(A.row(i)));
  });
  return py::make_tuple(found.vectors(&PlatformRates::v), found.vectors(&PlatformRates::a));
}

py::object platform_pose(PlatformHandle& p, const py::object& q) {
  const RowArgument at = row_argument(q, "q", p.robot->model->coordinates(), "the coordinates");
  const auto found = for_poses(p, at.count, dear_share, [&](py::ssize_t i) {
    return platform_pose(*p.robot->model, p.platform, p.robot->model->normalized(at.row(i)));
  });
  return stacked_poses(found.results(), at.count >= 0);
}

void add_platform_kinematics(PlatformClass& c) {
  c.def("drives", &drives, py::arg("pose"),
        "Lengths or crank angles of the legs at a pose: (legs,), or (N, legs) for (N, 4, 4).\n\n"
        "ComputationError naming the leg that cannot reach.")
      .def("inverse", &platform_inverse, py::arg("pose"), py::arg("twist") = py::none(),
           py::arg("acceleration") = py::none(),
           "Drives, their rates and accelerations for a twist and acceleration of the platform\n"
           "(rotation first, world axes, at its origin): a named tuple (q, v, a).")
      .def("direct", &direct_poses, py::arg("drives"), py::arg("start") = py::none(), py::kw_only(),
           py::arg("continuation") = false,
           "The pose for given drives, near a start (home when absent).\n\n"
           "Rows of a batch are taken as a motion: each pose is the start of the next. "
           "continuation:\n"
           "follow the branch of the start. ComputationError where there is no pose.")
      .def("direct_all", &all_poses, py::arg("drives"), py::kw_only(), py::arg("starts") = 10000,
           py::arg("seed") = 1, "Every pose that random starts find: (count, 4, 4).")
      .def("twist", &twist, py::arg("pose"), py::arg("rates"),
           "The platform's twist from the rates of its drives.")
      .def("acceleration", &platform_acceleration, py::arg("pose"), py::arg("twist"),
           py::arg("accelerations"),
           "The platform's acceleration from those of its drives, at a twist.")
      .def("jacobian", &jacobian, py::arg("pose"),
           "Rows of the drives on the platform's freedoms, (legs, dof): rates = J x.")
      .def("leg_map", &leg_map, py::arg("pose"),
           "(G, H) of the drives by the platform's freedoms: (legs, dof), (legs, dof, dof).");
}

void add_robot_side(PlatformClass& c) {
  c.def("posture", &posture, py::arg("pose"),
        "All coordinates of the ordinary robot at a pose, loops closed.")
      .def("posture_rates", &posture_rates, py::arg("q"), py::arg("twist") = py::none(),
           py::arg("acceleration") = py::none(),
           "(v, a) of the ordinary robot for a twist and acceleration of the platform.")
      .def("pose", &platform_pose, py::arg("q"),
           "The platform's pose in a posture of the ordinary robot.")
      .def_property_readonly(
          "robot", [](const PlatformHandle& p) { return p.robot; }, "The robot it is made of.")
      .def_property_readonly("legs", &leg_names, "Names of the legs.")
      .def_property_readonly(
          "kinds",
          [](const PlatformHandle& p) {
            std::vector<std::string> kinds;
            for (const PlatformLeg& leg : p.platform.data().legs)
              kinds.emplace_back(name_of(leg.kind));
            return kinds;
          },
          "Kinds of the legs: 'slider', 'rod', 'pair', 'universal', 'planar'.")
      .def_property_readonly(
          "dof", [](const PlatformHandle& p) { return p.platform.dof(); },
          "How many freedoms the platform has.")
      .def_property_readonly(
          "basis", [](const PlatformHandle& p) { return to_matrix(p.platform.basis()); },
          "Directions of motion, (6, dof): twists from the platform's freedoms.")
      .def_property_readonly(
          "home", [](const PlatformHandle& p) { return to_array(p.platform.data().home); },
          "The pose where its joint is at zero.")
      .def_property_readonly(
          "radius", [](const PlatformHandle& p) { return p.platform.radius(); },
          "Mean distance of the legs' points from the platform's origin.")
      .def_property_readonly(
          "actuated",
          [](const PlatformHandle& p) {
            std::vector<std::string> names;
            for (const int k : drive_speeds(*p.robot->model, p.platform))
              names.push_back(p.robot->model->speed_names()[k]);
            return names;
          },
          "The speeds of the robot that are the drives, in the order of the legs.")
      .def("__repr__",
           [](const PlatformHandle& p) {
             return fmt::format("<ulna.Platform '{}', {} legs, {} freedoms>",
                                p.platform.data().name, p.platform.legs(), p.platform.dof());
           })
      .def(py::pickle([](const PlatformHandle& p) { return py::make_tuple(p.robot); },
                      [](const py::tuple& state) {
                        return std::make_shared<PlatformHandle>(
                            state[0].cast<std::shared_ptr<RobotHandle>>());
                      }));
}

}  // namespace

void add_platform(py::module_& m, RobotClass& robot) {
  PlatformClass c(
      m, "Platform",
      "A parallel robot in closed form: a platform held by legs with one drive each.\n\n"
      "Made by robot.platform(). Poses are (4, 4) or (N, 4, 4), twists and "
      "accelerations (6,) or\n(N, 6), rotation first, world axes, at the platform's "
      "origin.");
  add_platform_kinematics(c);
  add_platform_limits(c);
  add_platform_dynamics(c);
  add_robot_side(c);
  robot.def(
      "platform",
      [](const std::shared_ptr<RobotHandle>& r) {
        if (!r) throw py::type_error("platform() is a method of an ulna.Robot, not of None");
        return std::make_shared<PlatformHandle>(r);
      },
      "The robot as a platform held by legs; InputError saying what is no platform about it.");
}

}  // namespace ulna::python
