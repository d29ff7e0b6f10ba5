// Robot: flexible links. Their coordinates, deflections, small vibrations about a state, and the
// levels of fidelity of their equations.

#include "ulna/elastic/modal_body.hpp"

#include <fmt/format.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "interrupt.hpp"
#include "names.hpp"
#include "stacked.hpp"
#include "ulna/dynamics/internal/deflection.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/elastic/geometrically_exact.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"
#include "ulna/model/internal/requirements.hpp"

namespace ulna::python {

namespace {

std::vector<std::string> flexible_names(const RobotHandle& robot) {
  std::vector<std::string> known;
  for (const FlexibleLink& link : robot.model->flexible_links())
    known.push_back(robot.model->bodies()[link.body].name);
  return known;
}

[[noreturn]] void refuse_rigid_body(const RobotHandle& robot, const std::string& name,
                                    const char* argument) {
  const std::vector<std::string> known = flexible_names(robot);
  throw InputError(Problem{{},
                           argument,
                           fmt::format("'{}' is not a flexible link", name),
                           known.empty() ? "a robot with flexible links"
                                         : fmt::format("one of {}", fmt::join(known, ", ")),
                           nearest_name_hint(name, known)});
}

/// Names of flexible links: one, or several. InputError for those that are none.
std::vector<std::string> flexible_bodies(const RobotHandle& robot, const py::object& given) {
  const std::vector<std::string> known = flexible_names(robot);
  std::vector<std::string> named;
  for (const py::handle item : items_argument(given, "bodies")) {
    named.push_back(text_argument(item, "bodies"));
    if (std::find(known.begin(), known.end(), named.back()) == known.end())
      refuse_rigid_body(robot, named.back(), "bodies");
  }
  return named;
}

py::list links(const RobotHandle& robot) {
  const Model& model = *robot.model;
  const py::object info = result_class("FlexibleLink");
  py::list out;
  for (const FlexibleLink& link : model.flexible_links()) {
    const ModalBody& modal = *link.modal;
    const Eigen::VectorXd omega = ConstVector(modal.frequencies.data(), modal.modes);
    out.append(info(model.bodies()[link.body].name, modal.names,
                    py::slice(link.q, link.q + modal.modes, 1),
                    py::slice(link.v, link.v + modal.modes, 1), modal.length, to_array(omega)));
  }
  return out;
}

/// One array per flexible link, from a function of (model, link, q).
template <class Of>
py::dict by_link(RobotHandle& robot, const py::object& q, const Of& of) {
  require_flexible(*robot.model);
  const int nq = robot.model->coordinates();
  const States<1> states = states_from<1>(robot, {&q}, {"q"});
  py::dict out;
  int index = 0;
  for (const FlexibleLink& link : robot.model->flexible_links()) {
    const auto found = stacked(robot, states, cheap_share, [&](Context& c, const auto& x) {
      return Eigen::VectorXd(of(c.model, index, ConstVector(x[0], nq)));
    });
    out[py::str(robot.model->bodies()[link.body].name)] =
        found.vectors([](const auto& x) { return x; });
    ++index;
  }
  return out;
}

py::object energy(RobotHandle& robot, const py::object& q) {
  require_flexible(*robot.model);
  const int nq = robot.model->coordinates();
  return stacked(robot, states_from<1>(robot, {&q}, {"q"}), cheap_share,
                 [&](Context& c, const auto& x) {
                   return elastic_energy(c.model, ConstVector(x[0], nq));
                 })
      .numbers([](double e) { return e; });
}

/// Points along the bent axis, world axes.
py::object curve(RobotHandle& robot, const py::object& q, const std::string& body, int points) {
  require_flexible(*robot.model);
  if (points < 2 || points > 1'000'000)
    throw InputError(Problem{{}, "points", fmt::format("{} found", points), "2 to 1000000", {}});
  const Model& model = *robot.model;
  int index = -1, count = 0;
  for (const FlexibleLink& link : model.flexible_links()) {
    if (model.bodies()[link.body].name == body) index = count;
    ++count;
  }
  if (index < 0)
    throw InputError(Problem{{},
                             "body",
                             fmt::format("'{}' is not a flexible link", body),
                             "a name as in robot.flexible_links",
                             {}});
  const FlexibleLink& link = model.flexible_links()[index];
  const int nq = model.coordinates();
  return stacked(
             robot, states_from<1>(robot, {&q}, {"q"}), cheap_share,
             [&](Context& c, const auto& x) {
               const ConstVector at(x[0], nq);
               update_poses(model, c.work, at);
               const Pose<double> X_WR = frame_pose(model, c.work, link.body) * link.modal->X_BR;
               Eigen::MatrixXd line(points, 3);
               for (int k = 0; k < points; ++k) {
                 if (k % 256 == 0) interruption_point();
                 line.row(k) =
                     (X_WR * section_pose(model, index, at, link.modal->length * k / (points - 1)))
                         .position.transpose();
               }
               return line;
             })
      .matrices([](const auto& line) { return line; });
}

py::object complex_rows(const Stack<ElasticModes>& found) {
  const auto part = [&](auto get) {
    return found.vectors([=](const ElasticModes& m) { return Eigen::VectorXd(get(m.poles)); });
  };
  return part([](const Eigen::VectorXcd& x) { return x.real(); }) +
         py::cast(std::complex<double>(0, 1)) *
             part([](const Eigen::VectorXcd& x) { return x.imag(); });
}

py::object modes(RobotHandle& robot, const py::object& q, const py::object& v, const py::object& a,
                 const py::object& locked, const py::object& rigid, const std::string& level) {
  require_flexible(*robot.model);
  const Model& model = *robot.model;
  ModesQuery query;
  query.level = elastic_level_named(level);
  if (py::isinstance<py::str>(locked) && locked.cast<std::string>() == "all")
    query.all_locked = true;
  else if (!locked.is_none())
    for (const py::handle name : items_argument(locked, "locked"))
      query.locked.push_back(joint_argument(robot, name, "locked"));
  if (!rigid.is_none())
    for (const py::handle name : items_argument(rigid, "rigid")) {
      const int body = body_argument(robot, name, "rigid");
      const auto& links = model.flexible_links();
      const auto found = std::find_if(links.begin(), links.end(),
                                      [&](const FlexibleLink& link) { return link.body == body; });
      if (found == links.end()) refuse_rigid_body(robot, model.bodies()[body].name, "rigid");
      query.rigid.push_back(static_cast<int>(found - links.begin()));
    }
  const py::object at = q.is_none() ? to_array(model.neutral()) : q;
  const int nq = model.coordinates(), nv = model.speeds();
  const auto found = stacked(robot, states_from<3>(robot, {&at, &v, &a}, {"q", "v", "a"}),
                             dear_share, [&](Context& c, const auto& x) {
                               ModesQuery mine = query;
                               mine.q = ConstVector(x[0], nq);
                               mine.v = ConstVector(x[1], nv);
                               mine.a = ConstVector(x[2], nv);
                               return elastic_modes(c.model, mine);
                             });
  py::list names;
  for (const int k : found.at[0].speeds) names.append(model.speed_names()[k]);
  return result_class("ElasticModes")(
      found.vectors(&ElasticModes::frequencies), found.matrices(&ElasticModes::shapes),
      complex_rows(found), names, found.matrices(&ElasticModes::M),
      found.matrices(&ElasticModes::C), found.matrices(&ElasticModes::K));
}

py::tuple equations(RobotHandle& robot, const py::object& q, const py::object& v,
                    const std::string& level, const py::object& wrenches) {
  require_flexible(*robot.model);
  const ElasticLevel chosen = elastic_level_named(level);
  const auto loads = wrenches_argument(robot, wrenches.is_none() ? nullptr : wrenches.ptr());
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  struct Found {
    Eigen::MatrixXd M;
    Eigen::VectorXd h;
  };
  const auto found = stacked(robot, states_from<2>(robot, {&q, &v}, {"q", "v"}), dear_share,
                             [&](Context& c, const auto& x) {
                               ElasticEquations& of = c.elastic(chosen);
                               of.update(ConstVector(x[0], nq), ConstVector(x[1], nv), loads);
                               return Found{of.M(), of.h()};
                             });
  return py::make_tuple(found.matrices(&Found::M), found.vectors(&Found::h));
}

std::shared_ptr<RobotHandle> frozen(const RobotHandle& from, Robot robot) {
  return std::make_shared<RobotHandle>(
      std::make_shared<const Model>(made_from(*from.model, std::move(robot))));
}

}  // namespace

void add_flexible(py::module_& m, RobotClass& robot) {
  const py::none none;
  robot
      .def_property_readonly(
          "flexible_links", &links,
          "The links that bend: names and places of their modal coordinates, which follow those "
          "of\nthe joints in q and v.")
      .def(
          "deflection",
          [](RobotHandle& r, const py::object& q) { return by_link(r, q, end_deflection); },
          py::arg("q"),
          "How far the end of each flexible link is from where it would be if rigid: x, y, z, "
          "slopes\n"
          "along y and z, twist, in the axes of its root. A dict by link of (6,), or (N, 6).")
      .def(
          "section_moments",
          [](RobotHandle& r, const py::object& q, double at) {
            if (!(at >= 0 && at <= 1))
              throw InputError(fmt::format("at = {}", at), "a share of the length, 0 to 1");
            return by_link(r, q, [at](const Model& model, int link, const auto& x) {
              return section_moment(model, link, x,
                                    at * model.flexible_links()[link].modal->length);
            });
          },
          py::arg("q"), py::kw_only(), py::arg("at") = 0.0,
          "Twisting moment and bending moments about y and z in a section of each flexible link; "
          "at:\nits share of the length, 0 the root. A dict by link of (3,), or (N, 3).")
      .def("elastic_energy", &energy, py::arg("q"), "Energy of the bent links, J.")
      .def("curve", &curve, py::arg("q"), py::arg("body"), py::kw_only(), py::arg("points") = 21,
           "Points along the bent axis of a flexible link in the world: (points, 3).")
      .def("elastic_modes", &modes, py::arg("q") = none, py::arg("v") = none, py::arg("a") = none,
           py::kw_only(), py::arg("locked") = none, py::arg("rigid") = none,
           py::arg("level") = "exact",
           "Small vibrations of a robot with flexible links about a state: frequencies, shapes, "
           "poles.\n\n"
           "locked: names of joints that do not vibrate, or 'all'. rigid: flexible links whose "
           "modes are\n"
           "held. level: as in inverse_dynamics. In a steady spin the stiffness holds the "
           "centrifugal\nstiffening.")
      .def("elastic_equations", &equations, py::arg("q"), py::arg("v") = none, py::kw_only(),
           py::arg("level") = "exact", py::arg("wrenches") = none,
           "(M, h) of M a + h = tau at a level of fidelity; M is symmetric for some levels only.")
      .def(
          "with_rigid_links",
          [](const RobotHandle& r, const py::object& bodies) {
            if (bodies.is_none()) return frozen(r, with_rigid_links(r.model->robot(), {}));
            const std::vector<std::string> named = flexible_bodies(r, bodies);
            return frozen(
                r, named.empty() ? r.model->robot() : with_rigid_links(r.model->robot(), named));
          },
          py::arg("bodies") = py::none(),
          "The same robot with the named flexible links made rigid (default: all).")
      .def(
          "with_bending_modes",
          [](const RobotHandle& r, int count) {
            constexpr int most =
                30;  // takes seconds; more soon half a minute, without a way to stop
            if (count < 1 || count > most)
              throw InputError(Problem{{},
                                       "modes",
                                       fmt::format("{} found", count),
                                       fmt::format("1 to {} in a plane", most),
                                       {}});
            return frozen(r, with_bending_modes(r.model->robot(), count));
          },
          py::arg("modes"),
          "The same robot with another number of modes in every bending plane that has some.")
      .def(
          "with_geometrically_exact_links",
          [](const RobotHandle& r, int elements, bool shear) {
            require_flexible(*r.model);
            return frozen(r, with_geometrically_exact_links(r.model->robot(), {elements, shear}));
          },
          py::kw_only(), py::arg("elements") = 8, py::arg("shear") = false,
          "The same robot with its flexible links cut into geometrically exact elements instead "
          "of\n"
          "modes: for deflections beyond a tenth of the length.");
  m.def("elastic_levels", &elastic_level_names, "Levels of fidelity of flexible links.");
  m.def(
      "formulations",
      [] {
        py::dict all;
        for (const Formulation& f : formulations()) all[f.name] = f.summary;
        return all;
      },
      "Formulations of dynamics for `method=`, each with a one-line description.");
}

}  // namespace ulna::python
