// ulna.Platform: a parallel robot as a platform and its drives. Drives and rates from poses, and
// the ordinary robot (platform_direct.cpp: poses from drives; platform_limits.cpp: singularities,
// stiffness, workspace; platform_quality.cpp; platform_dynamics.cpp: forces).

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "interrupt.hpp"
#include "names.hpp"
#include "platform_handle.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"

namespace ulna::python {
namespace platforms {
namespace {

ParallelRobotOptions options_of(const RobotHandle& robot, const py::object& actuated,
                                const py::object& body) {
  ParallelRobotOptions options;
  if (!body.is_none()) options.body = body_argument(robot, body, "body");
  if (actuated.is_none()) return options;
  options.drives = degrees_argument(robot, actuated, "actuated");
  if (options.drives.empty())
    throw InputError(Problem{{}, "actuated", "is empty", "names of joints, or None", {}});
  std::vector<int> sorted = options.drives;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw InputError(Problem{{}, "actuated", "names a drive twice", "each once", {}});
  return options;
}

}  // namespace
}  // namespace platforms

PlatformHandle::PlatformHandle(std::shared_ptr<RobotHandle> of, py::object actuated,
                               py::object body)
    : robot(std::move(of)), asked_drives(std::move(actuated)), asked_body(std::move(body)) {
  const ParallelRobotOptions options = platforms::options_of(*robot, asked_drives, asked_body);
  if (!options.drives.empty()) {
    py::list names;
    for (const int k : options.drives) names.append(all_speed_names(*robot->model)[k]);
    asked_drives = names;
  }
  engine = platform_engine(*robot->model, options);
  drives_ = engine->drives();
}

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
  for (py::ssize_t i = 0; i < out.count; ++i) {
    if (i % 1024 == 0) interruption_point();
    out.poses.push_back(pose_at(array.data() + 16 * i, name));
  }
  if (out.count == 0) out.poses.push_back(p.ask().home());
  return out;
}

RowArgument drive_rows(const PlatformHandle& p, const py::object& object, const char* name) {
  if (!py::isinstance<py::dict>(object))
    return row_argument(object, name, p.drives(), "one per leg");
  const std::vector<std::string> legs = p.ask().legs();
  py::object row = new_array({p.drives()});
  std::fill_n(data_of(row), p.drives(), 0.0);
  for (const auto& [key, value] : entries_of(object)) {
    const std::string leg = text_argument(key, name);
    const auto found = std::find(legs.begin(), legs.end(), leg);
    if (found == legs.end())
      throw InputError(Problem{{},
                               name,
                               fmt::format("there is no leg '{}'", leg),
                               fmt::format("names as in platform.legs"),
                               nearest_name_hint(leg, legs)});
    data_of(row)[found - legs.begin()] = number_argument(value, name);
  }
  return row_argument(row, name, p.drives(), "one per leg");
}

Eigen::VectorXd each_drive(const PlatformHandle& p, const py::object& object, const char* name,
                           double least) {
  const Array given = numbers(object, name);
  const Eigen::VectorXd each =
      given.ndim() == 0 ? Eigen::VectorXd(Eigen::VectorXd::Constant(p.drives(), *given.data()))
                        : vector_of(object, name, p.drives(), ", one per leg");
  if (!each.allFinite() || (each.array() < least).any())
    throw InputError(Problem{{},
                             name,
                             "holds a number that is not finite or too small",
                             fmt::format("finite numbers of {} or more", least),
                             {}});
  return each;
}

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

namespace platforms {
namespace {

// ---- drives from poses --------------------------------------------------------------------------

py::object inverse(PlatformHandle& p, const py::object& pose, const py::object& twist,
                   const py::object& acceleration) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const RowArgument V = row_argument(twist, "twist", 6, twist_text),
                    A = row_argument(acceleration, "acceleration", 6, twist_text);
  const auto n = count_of({{"pose", X.count}, {"twist", V.count}, {"acceleration", A.count}});
  const auto found = for_poses(p, n, p.share(), [&](py::ssize_t i) {
    return p.ask().inverse(X.at(i), twist_of(V.row(i)), twist_of(A.row(i)));
  });
  return result_class("LegMotion")(found.vectors(&DriveMotion::q), found.vectors(&DriveMotion::v),
                                   found.vectors(&DriveMotion::a));
}

py::object drives(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  return for_poses(p, X.count, p.share(), [&](py::ssize_t i) { return p.ask().drives_at(X.at(i)); })
      .vectors([](const auto& q) { return q; });
}

py::object jacobian(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  return for_poses(p, X.count, p.share(), [&](py::ssize_t i) { return p.ask().rows(X.at(i)); })
      .matrices(&PlatformRows::J);
}

py::object basis_at(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  return for_poses(p, X.count, p.share(), [&](py::ssize_t i) { return p.ask().rows(X.at(i)); })
      .matrices([](const PlatformRows& rows) { return Eigen::MatrixXd(rows.basis); });
}

py::tuple leg_map(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  const Platform& platform = p.ask().closed("leg_map");
  const auto found = for_poses(p, X.count, std::min(dear_share, p.share()),
                               [&](py::ssize_t i) { return platform.leg_map(X.at(i)); });
  return py::make_tuple(found.matrices(&CoordinateMap::G), found.planes(&CoordinateMap::H));
}

// ---- the ordinary robot -------------------------------------------------------------------------

py::object posture(PlatformHandle& p, const py::object& pose) {
  const PoseArgument X = poses_of(p, pose, "pose");
  return for_poses(p, X.count, std::min(dear_share, p.share()),
                   [&](py::ssize_t i) { return p.ask().posture(X.at(i)); })
      .vectors([](const auto& q) { return q; });
}

RowArgument coordinates(const PlatformHandle& p, const py::object& q) {
  return row_argument(q, "q", p.robot->model->coordinates(), "the coordinates");
}

py::tuple posture_rates(PlatformHandle& p, const py::object& q, const py::object& twist,
                        const py::object& acceleration) {
  const RowArgument at = coordinates(p, q), V = row_argument(twist, "twist", 6, twist_text),
                    A = row_argument(acceleration, "acceleration", 6, twist_text);
  const auto n = count_of({{"q", at.count}, {"twist", V.count}, {"acceleration", A.count}});
  const auto found = for_poses(p, n, std::min(dear_share, p.share()), [&](py::ssize_t i) {
    return p.ask().posture_rates(p.robot->model->normalized(at.row(i)), twist_of(V.row(i)),
                                 twist_of(A.row(i)));
  });
  return py::make_tuple(found.vectors(&PlatformRates::v), found.vectors(&PlatformRates::a));
}

py::object pose_at(PlatformHandle& p, const py::object& q) {
  const RowArgument at = coordinates(p, q);
  const auto found = for_poses(p, at.count, std::min(dear_share, p.share()), [&](py::ssize_t i) {
    return p.ask().pose(p.robot->model->normalized(at.row(i)));
  });
  return stacked_poses(found.results(), at.count >= 0);
}

void add_kinematics_of_poses(PlatformClass& c) {
  c.def("drives", &drives, py::arg("pose"),
        "Lengths or crank angles of the legs at a pose: (legs,), or (N, legs) for (N, 4, 4).\n\n"
        "ComputationError naming the leg that cannot reach, or for a pose that the platform "
        "cannot\ntake.")
      .def("inverse", &inverse, py::arg("pose"), py::arg("twist") = py::none(),
           py::arg("acceleration") = py::none(),
           "Drives, their rates and accelerations for a twist and acceleration of the platform\n"
           "(rotation first, world axes, at its origin): a named tuple (q, v, a).")
      .def("jacobian", &jacobian, py::arg("pose"),
           "Rows of the drives on the platform's freedoms, (legs, dof): rates = J x.")
      .def("basis_at", &basis_at, py::arg("pose"),
           "Directions of motion at a pose, (6, dof): the freedoms x that `jacobian` is about.\n\n"
           "With closed form they are `basis` everywhere; those of other robots change with the "
           "pose.")
      .def(
          "leg_map", &leg_map, py::arg("pose"),
          "(G, H) of the drives by the platform's freedoms: (legs, dof), (legs, dof, dof). Closed\n"
          "form only; robot.influence_coefficients serves every robot.");
}

void add_properties(PlatformClass& c) {
  c.def_property_readonly(
       "robot", [](const PlatformHandle& p) { return p.robot; }, "The robot of this platform.")
      .def_property_readonly(
          "closed_form", [](const PlatformHandle& p) { return p.ask().closed_form(); },
          "Whether its legs are solved in closed form; otherwise by the equations of the loops.")
      .def_property_readonly(
          "body", [](const PlatformHandle& p) { return p.ask().body(); },
          "Body that is the platform.")
      .def_property_readonly(
          "legs", [](const PlatformHandle& p) { return p.ask().legs(); },
          "Names of the legs; of robots without closed form those of the drives.")
      .def_property_readonly(
          "kinds", [](const PlatformHandle& p) { return p.ask().kinds(); },
          "Kinds of the legs: 'slider', 'rod', 'pair', 'universal', 'planar'; 'general' without\n"
          "closed form.")
      .def_property_readonly(
          "dof", [](const PlatformHandle& p) { return p.ask().home_basis().cols(); },
          "How many freedoms the platform has at home.")
      .def_property_readonly(
          "basis", [](const PlatformHandle& p) { return to_matrix(p.ask().home_basis()); },
          "Directions of motion at home, (6, dof): twists from the platform's freedoms.")
      .def_property_readonly(
          "home", [](const PlatformHandle& p) { return to_array(p.ask().home()); },
          "The pose where its joint is at zero; without closed form where the loops close at home.")
      .def_property_readonly(
          "radius", [](const PlatformHandle& p) { return p.ask().radius(); },
          "Mean distance of the legs' points from the platform's origin.")
      .def_property_readonly(
          "actuated", [](const PlatformHandle& p) { return p.ask().actuated(); },
          "The speeds of the robot that are the drives, in the order of the legs.");
}

std::string text(const PlatformHandle& p) {
  return fmt::format("<ulna.Platform '{}', {} legs, {} freedoms{}>", p.robot->model->name(),
                     p.drives(), p.ask().home_basis().cols(),
                     p.ask().closed_form() ? "" : ", by its loops");
}

void add_robot_side(PlatformClass& c) {
  c.def("posture", &posture, py::arg("pose"),
        "All coordinates of the ordinary robot at a pose, loops closed.")
      .def("posture_rates", &posture_rates, py::arg("q"), py::arg("twist") = py::none(),
           py::arg("acceleration") = py::none(),
           "(v, a) of the ordinary robot for a twist and acceleration of the platform.")
      .def("pose", &pose_at, py::arg("q"),
           "The platform's pose in a posture of the ordinary robot.")
      .def("__repr__", &text)
      .def(py::pickle(
          [](const PlatformHandle& p) {
            return py::make_tuple(p.robot, p.asked_drives, p.asked_body);
          },
          [](const py::tuple& state) {
            const auto part = [&](std::size_t k) {
              return state.size() > k ? py::object(state[k]) : py::object(py::none());
            };
            if (state.empty()) throw py::type_error("the state of a Platform is (robot, ...)");
            const auto robot = state[0].cast<std::shared_ptr<RobotHandle>>();
            if (!robot) throw py::type_error("the state of a Platform is (robot, ...)");
            return std::make_shared<PlatformHandle>(robot, part(1), part(2));
          }));
}

}  // namespace
}  // namespace platforms

void add_platform(py::module_& m, RobotClass& robot) {
  PlatformClass c(
      m, "Platform",
      "A parallel robot: a platform and the drives that move it.\n\n"
      "Made by robot.platform(). Legs with slides, cranks and rods, one drive each, are solved in\n"
      "closed form, every other parallel robot by the equations of its loops. Poses are (4, 4) or\n"
      "(N, 4, 4), twists and accelerations (6,) or (N, 6), rotation first, world axes, at the\n"
      "platform's origin.");
  platforms::add_kinematics_of_poses(c);
  add_platform_direct(c);
  add_platform_limits(c);
  add_platform_quality(c);
  add_platform_dynamics(c);
  platforms::add_properties(c);
  platforms::add_robot_side(c);
  robot.def(
      "platform",
      [](const std::shared_ptr<RobotHandle>& r, const py::object& actuated,
         const py::object& body) {
        if (!r) throw py::type_error("platform() is a method of an ulna.Robot, not of None");
        return std::make_shared<PlatformHandle>(r, actuated, body);
      },
      py::kw_only(), py::arg("actuated") = py::none(), py::arg("body") = py::none(),
      "The robot as a platform with its drives; InputError if it has no loops.\n\nactuated: names "
      "of the actuated joints, including closing joints, at least one for each degree\nof freedom "
      "(default: those of the closed form, otherwise joints with effort limits or rotors,\nslides, "
      "and the joints nearest to the base). body: the platform.");
}

}  // namespace ulna::python
