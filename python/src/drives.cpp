// ulna.Experiment: what drives each joint (motions, efforts, controllers) and pushes each body.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <map>

#include "arrays.hpp"
#include "bindings.hpp"
#include "callable_controller.hpp"
#include "experiment_handle.hpp"
#include "motion.hpp"
#include "names.hpp"
#include "ulna/simulation/internal/element_input.hpp"

namespace ulna::python {
namespace {

using Handle = ExperimentHandle;

/// A vector-valued function f(t) of Python.
class VectorFunction {
 public:
  VectorFunction(CallbackPtr function, std::string name, int size)
      : function_(std::move(function)), name_(std::move(name)), size_(size) {}

  /// Component k. The parts are asked for in some order, each once: the first calls the function,
  /// the others find what it gave; one that comes again begins anew. With Python's lock.
  double at(double t, int k) {
    if (t != time_ || (given_ >> k & 1u)) {
      values_ = vector_of((*function_)(t), name_.c_str(), size_, "", Holds::anything);
      time_ = t;
      given_ = 0;
    }
    given_ |= 1u << k;
    return values_(k);
  }

 private:
  CallbackPtr function_;
  std::string name_;
  int size_;
  double time_ = std::numeric_limits<double>::quiet_NaN();
  unsigned given_ = 0;  ///< bits of the components that were asked for
  Eigen::VectorXd values_;
};

/// One number of it.
class ComponentOfFunction final : public ScalarMotion {
 public:
  ComponentOfFunction(std::shared_ptr<VectorFunction> function, int k)
      : function_(std::move(function)), k_(k) {}
  MotionValue at(double t) const override {
    const Locked locked;
    return {function_->at(t, k_), 0, 0, 0};
  }
  double duration() const override { return std::numeric_limits<double>::infinity(); }

 private:
  std::shared_ptr<VectorFunction> function_;
  int k_;
};

/// n functions of time: one for n = 1, a list of n, or (efforts, forces) one callable that gives n.
std::vector<ScalarMotionPtr> functions(py::handle object, int n, const char* name, Needs needs,
                                       Callbacks& owner) {
  if (n == 1 && !py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object))
    return {function_of_time(object, name, needs, owner)};
  std::vector<ScalarMotionPtr> out;
  if (needs == Needs::value && PyCallable_Check(object.ptr()) &&
      !py::isinstance<ScalarMotion>(object)) {
    const auto function = std::make_shared<VectorFunction>(owner.add(object), name, n);
    for (int k = 0; k < n; ++k) out.push_back(std::make_shared<ComponentOfFunction>(function, k));
    return out;
  }
  // Held: to read one of them may run Python code that changes the list.
  const bool listed = py::isinstance<py::sequence>(object) && !py::isinstance<py::str>(object);
  const py::tuple items =
      listed ? py::tuple(py::reinterpret_borrow<py::object>(object)) : py::tuple();
  if (!listed || items.size() != static_cast<std::size_t>(n))
    throw InputError(Problem{{},
                             name,
                             std::string(py::repr(object)).substr(0, 60) + " found",
                             fmt::format("a list of {} functions of time", n),
                             {}});
  for (const py::handle item : items) out.push_back(function_of_time(item, name, needs, owner));
  return out;
}

/// A name, several, or "all" for every joint that can move.
std::vector<int> driven_joints(const Handle& e, const py::object& given) {
  std::vector<int> joints;
  const auto& all = e.data.model->joints();
  if (py::isinstance<py::str>(given) && given.cast<std::string>() == "all") {
    for (std::size_t j = 0; j < all.size(); ++j)
      if (all[j].speeds > 0) joints.push_back(static_cast<int>(j));
  } else if (py::isinstance<py::str>(given)) {
    joints.push_back(joint_argument(*e.robot, given, "joint"));
  } else {
    for (const py::handle item : items_argument(given, "joint"))
      joints.push_back(joint_argument(*e.robot, item, "joint"));
  }
  return joints;
}

Drive& drive_of(Handle& e, int joint) {
  e.data.drives.resize(e.data.model->joints().size());
  return e.data.drives[static_cast<std::size_t>(joint)];
}

Handle& move(Handle& e, const py::object& joint, const py::object& motion) {
  for (const int j : driven_joints(e, joint)) {
    Drive& drive = drive_of(e, j);
    const bool controlled = drive.kind == DriveKind::controller;
    drive.motion = functions(motion, e.data.model->joints()[j].speeds, "motion", Needs::derivatives,
                             e.callbacks);
    if (!controlled) drive.kind = DriveKind::motion;
  }
  return e;
}

Handle& effort(Handle& e, const py::object& joint, const py::object& function) {
  for (const int j : driven_joints(e, joint)) {
    Drive& drive = drive_of(e, j);
    drive.effort =
        functions(function, e.data.model->joints()[j].speeds, "effort", Needs::value, e.callbacks);
    if (drive.kind != DriveKind::controller) drive.kind = DriveKind::effort;
  }
  return e;
}

using StateFormulas = std::vector<std::shared_ptr<const VariableFormula>>;

/// A formula that depends on channels goes to place k of n; what is left for time is then zero.
py::object without_state_formula(py::handle item, int k, int n, StateFormulas& formulas) {
  if (!py::isinstance<py::str>(item)) return py::reinterpret_borrow<py::object>(item);
  auto formula = std::make_shared<const VariableFormula>(item.cast<std::string>());
  if (formula->variables().empty()) return py::reinterpret_borrow<py::object>(item);
  formulas.resize(static_cast<std::size_t>(n));
  formulas[static_cast<std::size_t>(k)] = std::move(formula);
  return py::float_(0.0);
}

/// One effort, or a list with one per speed, without the formulas of the state.
py::object without_state_formulas(const py::object& given, int n, StateFormulas& formulas) {
  if (!py::isinstance<py::list>(given) && !py::isinstance<py::tuple>(given))
    return n == 1 ? without_state_formula(given, 0, n, formulas) : given;
  py::list rest;
  int k = 0;
  for (const py::handle item : given)
    rest.append(k < n ? without_state_formula(item, k, n, formulas)
                      : py::reinterpret_borrow<py::object>(item)),
        ++k;
  return rest;
}

/// A function of time, or a formula of the state.
Handle& any_effort(Handle& e, const py::object& joint, const py::object& function) {
  for (const int j : driven_joints(e, joint)) {
    StateFormulas formulas;
    const py::object of_time =
        without_state_formulas(function, e.data.model->joints()[j].speeds, formulas);
    effort(e, py::make_tuple(e.data.model->joints()[j].name), of_time);
    drive_of(e, j).effort_formulas = std::move(formulas);
  }
  return e;
}

/// A table: times, and a column for each speed, or by the names of speeds.
Handle& efforts(Handle& e, const py::object& times, const py::object& table,
                const std::string& interpolation) {
  const Model& model = *e.data.model;
  const Interpolation between = interpolation_named(interpolation);
  const Array t = numbers(times, "t");
  const auto rows = t.size();
  std::map<int, std::vector<double>> columns;
  if (py::isinstance<py::dict>(table)) {
    for (const auto& [key, column] : entries_of(table)) {
      const std::vector<std::string>& names = model.speed_names();
      const std::string name = text_argument(key, "efforts");
      const auto found = std::find(names.begin(), names.end() - model.modes(), name);
      if (found == names.end() - model.modes())
        throw InputError(
            Problem{{},
                    "efforts",
                    fmt::format("'{}' is not a speed of robot '{}'", name, model.name()),
                    fmt::format("{}", fmt::join(names, ", ")),
                    nearest_name_hint(name, names)});
      const Eigen::VectorXd values = vector_of(column, name.c_str(), static_cast<int>(rows));
      columns[static_cast<int>(found - names.begin())].assign(values.begin(), values.end());
    }
  } else {
    const Array all = numbers(table, "efforts");
    const py::ssize_t n = model.speeds() - model.modes();
    if (all.ndim() != 2 || all.shape(0) != rows || all.shape(1) != n)
      throw InputError(
          Problem{{},
                  "efforts",
                  "has shape " + shape_text(all),
                  fmt::format("({}, {}), a row per time and a column per speed", rows, n),
                  {}});
    for (py::ssize_t k = 0; k < n; ++k)
      for (py::ssize_t row = 0; row < rows; ++row)
        columns[static_cast<int>(k)].push_back(all.data()[row * n + k]);
  }
  for (auto& [speed, values] : columns) {
    const HeldMotion motion =
        motion_through({{t.data(), t.data() + rows}, std::move(values), {}, {}}, between);
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const Joint& joint = model.joints()[j];
      if (speed < joint.v || speed >= joint.v + joint.speeds) continue;
      Drive& drive = drive_of(e, static_cast<int>(j));
      if (drive.effort.empty())
        drive.effort.assign(static_cast<std::size_t>(joint.speeds),
                            std::make_shared<ConstantMotion>(0.0));
      drive.effort[static_cast<std::size_t>(speed - joint.v)] = motion;
      if (drive.kind != DriveKind::controller) drive.kind = DriveKind::effort;
    }
  }
  return e;
}

Handle& set_kind(Handle& e, const py::object& joint, DriveKind kind) {
  for (const int j : driven_joints(e, joint)) drive_of(e, j).kind = kind;
  return e;
}

/// The joints a controller is given, or all but those that are locked or under an effort.
std::vector<int> joints_to_control(Handle& e, const py::object& given) {
  std::vector<int> joints;
  if (!given.is_none()) {
    joints = driven_joints(e, given);
  } else {
    for (const int j : driven_joints(e, py::str("all"))) {
      const DriveKind kind = drive_of(e, j).kind;
      if (kind != DriveKind::locked && kind != DriveKind::effort) joints.push_back(j);
    }
  }
  return joints;
}

std::vector<int> speeds_of_joints(const Model& model, const std::vector<int>& joints) {
  std::vector<int> speeds;
  for (const int j : joints)
    for (int k = 0; k < model.joints()[j].speeds; ++k) speeds.push_back(model.joints()[j].v + k);
  return speeds;
}

void require_gains(const Eigen::VectorXd& values, const char* name) {
  if (values.array().isNaN().any()) throw InputError(Problem{{}, name, "holds nan", "numbers", {}});
}

/// One for all, one per speed, or {joint: value} for joints that are `driven`.
Eigen::VectorXd per_speed(const Handle& e, const py::object& value, const char* name,
                          const std::vector<int>& driven, double otherwise = 0) {
  const Model& model = *e.data.model;
  Eigen::VectorXd out = Eigen::VectorXd::Constant(model.speeds(), otherwise);
  if (py::isinstance<py::dict>(value)) {
    for (const auto& [key, gain] : entries_of(value)) {
      const int index = joint_argument(*e.robot, key, name);
      const Joint& joint = model.joints()[index];
      if (std::find(driven.begin(), driven.end(), index) == driven.end())
        throw InputError(Problem{{},
                                 name,
                                 fmt::format("has a value for '{}', which this controller does not "
                                             "drive",
                                             joint.name),
                                 "joints of the controller",
                                 {}});
      const Array numbers_of = numbers(gain, name);
      out.segment(joint.v, joint.speeds) =
          numbers_of.ndim() == 0
              ? Eigen::VectorXd(Eigen::VectorXd::Constant(joint.speeds, *numbers_of.data()))
              : vector_of(gain, name, joint.speeds);
    }
  } else if (const Array array = numbers(value, name); array.ndim() == 0) {
    out.setConstant(*array.data());
  } else {
    out = vector_of(value, name, model.speeds(), ", one per speed");
  }
  require_gains(out, name);
  return out;
}

double period_of(const py::object& rate) {
  if (rate.is_none()) return 0;
  const double hertz = number_argument(rate, "rate");
  if (!(hertz > 0) || !std::isfinite(hertz))
    throw InputError(Problem{{}, "rate", fmt::format("{} found", hertz), "samples per second", {}});
  return 1 / hertz;
}

Handle& control(Handle& e, const py::object& law, const py::object& joints, const py::object& kp,
                const py::object& kd, const py::object& ki, bool gravity, const py::object& limit,
                const py::object& integral_limit, const py::object& rate, bool reference) {
  constexpr const char* laws[] = {"pd", "computed-torque", "feed-forward", "pid"};
  std::shared_ptr<Controller> controller;
  const bool by_name = py::isinstance<py::str>(law);
  if (!by_name && !PyCallable_Check(law.ptr()))
    throw py::type_error("law must be a name or a function f(t, q, v)");
  const int kind = by_name ? choice(law.cast<std::string>(), laws, "law") : -1;
  const double period = period_of(rate);
  const double unlimited = std::numeric_limits<double>::infinity();
  const std::vector<int> driven = joints_to_control(e, joints);
  if (by_name) {
    auto feedback = std::make_shared<Feedback>();
    feedback->law = static_cast<FeedbackLaw>(kind == 3 ? 0 : kind);
    feedback->kp = per_speed(e, kp, "kp", driven);
    feedback->kd = per_speed(e, kd, "kd", driven);
    if (!ki.is_none()) feedback->ki = per_speed(e, ki, "ki", driven);
    feedback->gravity = gravity;
    if (py::isinstance<py::str>(limit) && limit.cast<std::string>() == "robot")
      feedback->limit = e.data.model->effort_limit();
    else if (!limit.is_none())
      feedback->limit = per_speed(e, limit, "limit", driven, unlimited);
    if (!integral_limit.is_none())
      feedback->integral_limit = per_speed(e, integral_limit, "integral_limit", driven, unlimited);
    controller = std::move(feedback);
  }
  for (const int j : driven) drive_of(e, j).kind = DriveKind::controller;
  if (!by_name)
    controller = std::make_shared<CallableController>(
        e.callbacks.add(law), speeds_of_joints(*e.data.model, driven), reference);
  controller->joints = driven;
  controller->period = period;
  e.data.controllers.push_back(std::move(controller));
  return e;
}

/// The force of an actuator among the elements: of time, of the state, or what a joint needs.
Handle& input(Handle& e, const py::object& name, const py::object& force, const py::object& law,
              const py::object& delivers) {
  const Model& model = *e.data.model;
  auto made = std::make_shared<ElementInput>();
  made->element = element_named(model, text_argument(name, "name"));
  if (!force.is_none()) {
    StateFormulas formulas;
    const py::object of_time = without_state_formula(force, 0, 1, formulas);
    if (formulas.empty())
      made->force = function_of_time(of_time, "force", Needs::value, e.callbacks);
    else
      made->formula = std::move(formulas.front());
  }
  if (!law.is_none()) {
    if (!PyCallable_Check(law.ptr())) throw py::type_error("law must be a function f(t, q, v)");
    made->law = [function = e.callbacks.add(law)](double t, const Eigen::VectorXd& q,
                                                  const Eigen::VectorXd& v) {
      const Locked locked;
      return number_or_nan((*function)(t, to_array(q), to_array(v)), "what law returns");
    };
  }
  if (!delivers.is_none()) {
    const Joint& joint = model.joints()[joint_argument(*e.robot, delivers, "delivers")];
    if (joint.speeds != 1)
      throw InputError(
          Problem{{},
                  "delivers",
                  fmt::format("joint '{}' has {} degrees of freedom", joint.name, joint.speeds),
                  "a joint with one degree of freedom",
                  {}});
    made->delivers = joint.v;
  }
  std::erase_if(e.data.controllers, [&](const std::shared_ptr<const Controller>& other) {
    const auto* input = dynamic_cast<const ElementInput*>(other.get());
    return input && input->element == made->element;
  });
  e.data.controllers.push_back(std::move(made));
  return e;
}

Handle& wrench(Handle& e, const py::object& body, const py::object& force, const py::object& moment,
               const py::object& point, const py::object& expressed_in) {
  AppliedWrench applied;
  applied.body = body_argument(*e.robot, body, "body");
  if (!point.is_none()) applied.point = vector3(point, "point");
  if (!expressed_in.is_none())
    applied.expressed_in = frame_argument(*e.robot, expressed_in.ptr(), "expressed_in");
  const auto fill = [&e](const py::object& given, ScalarMotionPtr* to, const char* name) {
    if (given.is_none()) return;
    const std::vector<ScalarMotionPtr> parts = functions(given, 3, name, Needs::value, e.callbacks);
    std::copy(parts.begin(), parts.end(), to);
  };
  fill(force, applied.force, "force");
  fill(moment, applied.moment, "moment");
  e.data.wrenches.push_back(std::move(applied));
  return e;
}

}  // namespace

void add_drives(ExperimentClass& c) {
  constexpr auto same = py::return_value_policy::reference_internal;
  const py::none none;
  c.def("move", all_or_nothing(&move), same, py::arg("joint"), py::arg("motion"),
        "A joint (a name, several, or 'all') follows a motion exactly; the effort for it is "
        "found.\n\n"
        "motion: a number, a formula in t, an ulna.Motion, or a function t -> (value, rate,\n"
        "acceleration). Of a controlled joint it is the reference. Spherical and free joints: a "
        "list,\n"
        "roll, pitch, yaw (and x, y, z); a sphere in a groove: its slide before them.")
      .def("follow", all_or_nothing(+[](Handle& e, const HeldTrajectory& trajectory) -> Handle& {
             if (!trajectory)
               throw py::type_error("trajectory must be an ulna.Trajectory, not None");
             const Model& model = *e.data.model;
             if (trajectory->size() != model.speeds() || model.coordinates() != model.speeds())
               throw InputError(
                   Problem{{},
                           "trajectory",
                           fmt::format("has {} coordinates", trajectory->size()),
                           fmt::format("{}, those of a robot without quaternions", model.speeds()),
                           {}});
             const py::object whole = py::cast(trajectory);
             for (const int j : driven_joints(e, py::str("all"))) {
               py::list parts;
               for (int k = 0; k < model.joints()[j].speeds; ++k)
                 parts.append(whole.attr("coordinate")(model.joints()[j].v + k));
               move(e, py::make_tuple(model.joints()[j].name), parts);
             }
             return e;
           }),
           same, py::arg("trajectory"), "All joints follow a trajectory, as by `move`.")
      .def("effort", all_or_nothing(&any_effort), same, py::arg("joint"), py::arg("effort"),
           "A joint is under an effort: a number, a formula in t and in channels such as\n"
           "'-2*q.joint1 - 0.3*v.joint1 + sin(t)', an ulna.Motion or a function of t.")
      .def("efforts", all_or_nothing(&efforts), same, py::arg("t"), py::arg("efforts"),
           py::kw_only(), py::arg("interpolation") = "linear",
           "All joints are under efforts from a table: at the times t one row each, with a column "
           "per\nspeed, or {name: column} for some. interpolation: 'linear', 'cubic', 'quintic'.")
      .def("lock", all_or_nothing(+[](Handle& e, const py::object& joint) -> Handle& {
             return set_kind(e, joint, DriveKind::locked);
           }),
           same, py::arg("joint"), "A joint stays where it starts.")
      .def("free", all_or_nothing(+[](Handle& e, const py::object& joint) -> Handle& {
             return set_kind(e, joint, DriveKind::free);
           }),
           same, py::arg("joint"), "A joint moves under damping, friction and springs only.")
      .def("control", all_or_nothing(&control), same, py::arg("law"), py::arg("joints") = none,
           py::kw_only(), py::arg("kp") = 0.0, py::arg("kd") = 0.0, py::arg("ki") = none,
           py::arg("gravity") = false, py::arg("limit") = none, py::arg("integral_limit") = none,
           py::arg("rate") = none, py::arg("reference") = false,
           "Joints are driven by a controller; their motions, if any, are the reference.\n\nlaw: "
           "'pd', 'pid', 'computed-torque', 'feed-forward' with gains kp, kd, ki (a number, "
           "one\nper speed, or {joint: value}) and limits of the efforts ('robot': the robot's "
           "own); or a\nfunction f(t, q, v) that gives one effort for each speed it drives, with "
           "reference=True\nf(t, q, v, q_ref, v_ref, a_ref). rate: samples per second, with "
           "efforts held in between;\nwithout it the law is continuous, and f must depend on its "
           "arguments only.\njoints: by default all except locked ones and those under an effort.")
      .def("input", all_or_nothing(&input), same, py::arg("name"), py::arg("force") = none,
           py::kw_only(), py::arg("law") = none, py::arg("delivers") = none,
           "The force of an actuator among the robot's elements, instead of its own.\n\n"
           "force: a number, a formula in t and in channels such as '-5e4*(element.jack.length - "
           "0.5)',\nan ulna.Motion or a function of t. law: a function f(t, q, v). delivers: the "
           "joint whose effort,\nas controllers and `effort` ask for it, the actuator produces.")
      .def("wrench", all_or_nothing(&wrench), same, py::arg("body"), py::kw_only(),
           py::arg("force") = none, py::arg("moment") = none, py::arg("point") = none,
           py::arg("expressed_in") = none,
           "A wrench on a body: three functions of time each, or one that gives three numbers.");
}

}  // namespace ulna::python
