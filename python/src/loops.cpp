// Robot: loops. Assembly, mobility, states that fit (loop_equations.cpp: closure and efforts).

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "row_argument.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/mobility.hpp"

namespace ulna::python {
namespace {

int coordinate_argument(const RobotHandle& robot, const std::string& name) {
  const std::vector<std::string>& known = robot.model->coordinate_names();
  for (std::size_t k = 0; k < known.size(); ++k)
    if (known[k] == name) return static_cast<int>(k);
  throw InputError(Problem{{},
                           "q",
                           fmt::format("the robot has no coordinate '{}'", name),
                           "names as in robot.coordinates",
                           nearest_name_hint(name, known)});
}

/// A start: all coordinates, or {name: value}, whose values are kept.
AssemblyOptions start_from(const RobotHandle& robot, const py::object& q, const py::object& held) {
  const Model& model = *robot.model;
  AssemblyOptions options;
  options.start = model.neutral();
  if (py::isinstance<py::dict>(q)) {
    for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(q)) {
      const int place = coordinate_argument(robot, text_argument(name, "q"));
      options.start(place) = value.cast<double>();
      options.held.push_back(place);
    }
  } else if (!q.is_none()) {
    options.start = vector_of(q, "q", model.coordinates(), ", the coordinates");
  }
  options.start = model.normalized(options.start);
  if (!held.is_none())
    for (const py::handle name : held)
      options.held.push_back(coordinate_argument(robot, text_argument(name, "held")));
  return options;
}

AssemblyMethod assembly_method(const std::string& name) {
  std::vector<const char*> names;
  for (const AssemblyMethod method : assembly_methods()) names.push_back(name_of(method));
  return assembly_methods()[static_cast<std::size_t>(choice(name, names, "method"))];
}

py::object all_postures(const RobotHandle& robot, const AssemblyResult& found) {
  py::object out = new_array({static_cast<py::ssize_t>(found.solutions.size()),
                              static_cast<py::ssize_t>(robot.model->coordinates())});
  double* row = data_of(out);
  for (const Assembly& solution : found.solutions) {
    MutableVector(row, solution.q.size()) = solution.q;
    row += solution.q.size();
  }
  return out;
}

/// Each row by itself: the starts of a batch.
py::object each_assembled(RobotHandle& robot, const py::object& q, const AssemblyOptions& common) {
  const int nq = robot.model->coordinates();
  return stacked(robot, states_from<1>(robot, {&q}, {"q"}), 1,
                 [&](Context& c, const auto& x) {
                   AssemblyOptions options = common;
                   options.start = ConstVector(x[0], nq);
                   return assembled(c.model, options);
                 })
      .vectors([](const Eigen::VectorXd& found) { return found; });
}

bool is_batch(const py::object& q) {
  return !q.is_none() && !py::isinstance<py::dict>(q) && numbers(q, "q").ndim() == 2;
}

py::object robot_assemble(RobotHandle& robot, const py::object& q, const py::object& held,
                          const std::string& method, bool all, int restarts, unsigned seed,
                          double tolerance) {
  require_loops(robot, "nothing needs to be assembled");
  const bool batch = is_batch(q);
  AssemblyOptions options = start_from(robot, batch ? py::none() : q, held);
  options.method = assembly_method(method);
  options.all = all;
  options.restarts = restarts;
  options.seed = seed;
  options.tolerance = tolerance;
  if (batch && all)
    throw InputError(Problem{{}, "all", "is given for a batch of starts", "one start", {}});
  if (batch) return each_assembled(robot, q, options);
  AssemblyResult found;
  {
    const py::gil_scoped_release unlocked;
    found = assemble(*robot.model, options);
  }
  if (found.solutions.empty()) throw ComputationError(found.reason, found.nearest_gap);
  return all ? all_postures(robot, found) : to_array(found.solutions.front().q);
}

py::object mobility_result(const Model& model, const Eigen::VectorXd& q, const Mobility& found) {
  py::list independent;
  for (const int k : found.independent) independent.append(model.speed_names()[k]);
  return result_class("Mobility")(
      found.full_cycle_dof, found.dof, found.rank, found.rows, found.gruebler, found.singular(),
      independent, to_matrix(found.directions), to_array(q), mobility_notes(model, found));
}

py::object robot_mobility(RobotHandle& robot, const py::object& q) {
  require_loops(robot, "its mobility is the number of its speeds");
  const Model& model = *robot.model;
  const int nq = model.coordinates();
  const py::object at = q.is_none() ? to_array(assembled(model)) : q;
  const States<1> states = states_from<1>(robot, {&at}, {"q"});
  const auto found = stacked(robot, states, 1, [&](Context& c, const auto& x) {
    return mobility(c.model, ConstVector(x[0], nq));
  });
  py::list out;
  for (std::size_t i = 0; i < found.at.size(); ++i)
    out.append(mobility_result(model, ConstVector(states.x[0].row(static_cast<py::ssize_t>(i)), nq),
                               found.at[i]));
  return states.count < 0 ? py::object(out[0]) : py::object(out);
}

/// Speeds or accelerations as given: by name (the others follow), or all (the nearest that fit).
class Given {
 public:
  Given(const RobotHandle& robot, const py::object& given, const char* name) {
    if (!py::isinstance<py::dict>(given)) {
      all_ = row_argument(given, name, robot.model->speeds(), "one per speed");
      return;
    }
    by_name_ = true;
    std::map<int, py::object> values;  // ascending, as split_speeds wants them
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given))
      values[speeds_argument(robot, key, name).front()] = py::reinterpret_borrow<py::object>(value);
    for (const auto& [place, value] : values) {
      places_.push_back(place);
      const Array numbers_given = numbers(value, name);
      columns_.push_back(numbers_given);
      if (numbers_given.ndim() == 0) continue;
      if (numbers_given.ndim() != 1 || (count_ >= 0 && numbers_given.shape(0) != count_))
        throw InputError(Problem{{},
                                 name,
                                 "has an entry of shape " + shape_text(numbers_given),
                                 "numbers, or (N,) for a batch",
                                 {}});
      count_ = numbers_given.shape(0);
    }
  }
  py::ssize_t count() const { return by_name_ ? count_ : all_.count; }

  Eigen::VectorXd completed(const LoopClosure& closure, py::ssize_t i, bool accelerations) const {
    if (!by_name_)
      return accelerations ? compatible_accelerations(closure, all_.row(i))
                           : compatible_speeds(closure, all_.row(i));
    Eigen::VectorXd x(static_cast<Eigen::Index>(places_.size()));
    for (std::size_t k = 0; k < places_.size(); ++k)
      x(static_cast<Eigen::Index>(k)) = columns_[k].data()[columns_[k].ndim() ? i : 0];
    const CoordinateMap map = independent_map(closure, split_speeds(closure, places_));
    return accelerations ? map.accelerations(x) : map.speeds(x);
  }

 private:
  bool by_name_ = false;
  RowArgument all_;
  std::vector<int> places_;
  std::vector<Array> columns_;
  py::ssize_t count_ = -1;
};

struct State {
  Eigen::VectorXd q, v, a;
};

py::tuple complete(RobotHandle& robot, const py::object& q, const py::object& v,
                   const py::object& a) {
  require_loops(robot, "every state fits");
  const Model& model = *robot.model;
  const bool batch = is_batch(q);
  const AssemblyOptions common = start_from(robot, batch ? py::none() : q, py::none());
  const RowArgument rows =
      batch ? row_argument(q, "q", model.coordinates(), "the coordinates") : RowArgument();
  const Given speeds(robot, v, "v"), rates(robot, a, "a");
  const py::ssize_t count =
      count_of({{"q", rows.count}, {"v", speeds.count()}, {"a", rates.count()}});
  const auto compute = [&](Context& c, py::ssize_t i) {
    AssemblyOptions options = common;
    State state;
    state.q = batch ? model.normalized(rows.row(i)) : options.start;
    c.closure().update(c.work, state.q);
    if (c.closure().largest_gap(c.work) > 1e-12) {
      options.tolerance = 1e-11;
      options.start = state.q;
      state.q = assembled(model, options);
      c.closure().update(c.work, state.q);
    }
    state.v = speeds.completed(c.closure(), i, false);
    c.closure().update_rates(c.work, state.q, state.v);
    state.a = rates.completed(c.closure(), i, true);
    return state;
  };
  const auto found = for_rows(robot, count, dear_share, compute);
  return py::make_tuple(found.vectors(&State::q), found.vectors(&State::v),
                        found.vectors(&State::a));
}

}  // namespace

void add_loops(RobotClass& robot) {
  robot
      .def(
          "assemble", &robot_assemble, py::arg("q") = py::none(), py::kw_only(),
          py::arg("held") = py::none(), py::arg("method") = "gauss-newton", py::arg("all") = false,
          py::arg("restarts") = 100, py::arg("seed") = 1, py::arg("tolerance") = 1e-10,
          "Coordinates at which every loop is closed, near q.\n\n"
          "q: a start, or {name: value} of coordinates that keep these values; neutral when "
          "absent.\n"
          "held: names of coordinates that keep the value of the start. A batch of starts (N, nq) "
          "gives as\n"
          "many postures. method: 'gauss-newton',\n"
          "'newton-raphson', 'davidon-fletcher-powell', 'hooke-jeeves', 'complex'. all: every\n"
          "different posture that is found, as rows. ComputationError, naming the loop that stays\n"
          "open, when there is none.")
      .def("mobility", &robot_mobility, py::arg("q") = py::none(),
           "How the mechanism can move at q (assembled when absent), by rank and by moving. A list "
           "for a\n"
           "batch.")
      .def("complete", &complete, py::arg("q") = py::none(), py::arg("v") = py::none(),
           py::arg("a") = py::none(),
           "(q, v, a) that fit the loops: near those given, or, for dicts {name: value}, with "
           "these\n"
           "values and the others following. Arrays (N, n), or (N,) in a dict, make a batch.");
}

}  // namespace ulna::python
