// Robot: loops. Assembly, mobility, states that fit (loop_equations.cpp: closure and efforts).

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <map>

#include "bindings.hpp"
#include "interrupt.hpp"
#include "loop_state.hpp"
#include "names.hpp"
#include "row_argument.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/mobility.hpp"

namespace ulna::python {
namespace {

int coordinate_argument(const RobotHandle& robot, py::handle object, const char* argument) {
  const std::vector<std::string>& known = robot.model->coordinate_names();
  const std::string name = text_argument(object, argument);
  for (std::size_t k = 0; k < known.size(); ++k)
    if (known[k] == name) return static_cast<int>(k);
  throw InputError(Problem{{},
                           argument,
                           fmt::format("the robot has no coordinate '{}'", name),
                           "names as in robot.coordinates",
                           nearest_name_hint(name, known)});
}

/// Values by name: numbers, or (N,) for a batch.
class NamedValues {
 public:
  explicit NamedValues(const char* name) : name_(name) {}
  void add(int place, py::handle value) {
    const Array given = numbers(value, name_);
    if (given.ndim() > 1)
      throw InputError(Problem{{},
                               name_,
                               "has an entry of shape " + shape_text(given),
                               "numbers, or (N,) for a batch",
                               {}});
    if (given.ndim() == 1) counts_.push_back(given.shape(0));
    values_[place] = given;
  }
  py::ssize_t count() const {
    return common_count(counts_, std::vector<const char*>(counts_.size(), name_));
  }
  std::vector<int> places() const {  ///< ascending
    std::vector<int> out;
    for (const auto& [place, value] : values_) out.push_back(place);
    return out;
  }
  /// Those of state i, in the order of places().
  Eigen::VectorXd at(py::ssize_t i) const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(values_.size()));
    Eigen::Index k = 0;
    for (const auto& [place, value] : values_)
      out(k++) = value.size() == 0 ? 0 : value.data()[value.size() > 1 ? i : 0];
    return out;
  }

 private:
  const char* name_;
  std::map<int, Array> values_;
  std::vector<py::ssize_t> counts_;
};

/// Starts: all coordinates, or {name: value}, whose values are kept; one, or a batch of them.
struct Starts {
  AssemblyOptions common;  ///< with the start of a single one
  RowMajor rows;           ///< of a batch
  py::ssize_t count = -1;

  Eigen::VectorXd at(py::ssize_t i) const {
    return count <= 0 ? common.start : rows.row(count == 1 ? 0 : i).transpose();
  }
  AssemblyOptions options(py::ssize_t i) const {
    AssemblyOptions out = common;
    out.start = at(i);
    return out;
  }
};

void start_by_name(const RobotHandle& robot, const py::dict& given, Starts& starts) {
  NamedValues values("q");
  for (const auto& [name, value] : given) values.add(coordinate_argument(robot, name, "q"), value);
  starts.count = values.count();
  starts.common.held = values.places();
  const auto filled = [&](py::ssize_t i) {
    Eigen::VectorXd q = robot.model->neutral();
    q(starts.common.held) = values.at(i);
    return robot.model->normalized(q);
  };
  if (starts.count < 0) starts.common.start = filled(0);
  starts.rows.resize(std::max<py::ssize_t>(starts.count, 0), robot.model->coordinates());
  for (py::ssize_t i = 0; i < starts.count; ++i) starts.rows.row(i) = filled(i).transpose();
}

Starts starts_from(const RobotHandle& robot, const py::object& q, const py::object& held) {
  const Model& model = *robot.model;
  Starts starts;
  starts.common.start = model.neutral();
  if (py::isinstance<py::dict>(q)) {
    start_by_name(robot, py::reinterpret_borrow<py::dict>(q), starts);
  } else if (!q.is_none()) {
    const RowArgument rows = row_argument(q, "q", model.coordinates(), "the coordinates");
    starts.count = rows.count;
    if (rows.count < 0) starts.common.start = model.normalized(rows.row(0));
    starts.rows.resize(std::max<py::ssize_t>(rows.count, 0), model.coordinates());
    for (py::ssize_t i = 0; i < rows.count; ++i)
      starts.rows.row(i) = model.normalized(rows.row(i)).transpose();
  }
  if (py::isinstance<py::str>(held))
    starts.common.held.push_back(coordinate_argument(robot, held, "held"));
  else if (!held.is_none())
    for (const py::handle name : held)
      starts.common.held.push_back(coordinate_argument(robot, name, "held"));
  return starts;
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
py::object each_assembled(RobotHandle& robot, const Starts& starts) {
  return for_rows(robot, starts.count, 1,
                  [&](Context& c, py::ssize_t i) { return assembled(c.model, starts.options(i)); })
      .vectors([](const Eigen::VectorXd& found) { return found; });
}

py::object robot_assemble(RobotHandle& robot, const py::object& q, const py::object& held,
                          const std::string& method, bool all, int restarts, unsigned seed,
                          double tolerance) {
  require_loops(robot, "nothing needs to be assembled");
  Starts starts = starts_from(robot, q, held);
  AssemblyOptions& options = starts.common;
  const bool batch = starts.count >= 0;
  options.method = assembly_method(method);
  options.all = all;
  options.restarts = restarts;
  options.seed = seed;
  options.tolerance = tolerance;
  if (batch && all)
    throw InputError(Problem{{}, "all", "is given for a batch of starts", "one start", {}});
  if (batch) return each_assembled(robot, starts);
  const AssemblyResult found = interruptible([&] { return assemble(*robot.model, options); });
  if (found.solutions.empty()) throw ComputationError(found.reason, found.nearest_gap);
  return all ? all_postures(robot, found) : to_array(found.solutions.front().q);
}

py::object mobility_result(const Model& model, const Eigen::VectorXd& q, const Mobility& found) {
  py::list independent;
  for (const int k : found.independent) independent.append(model.speed_names()[k]);
  const py::object finite =
      found.determined ? py::object(py::int_(found.full_cycle_dof)) : py::none();
  return result_class("Mobility")(finite, found.dof, found.rank, found.rows, found.gruebler,
                                  found.singular(), independent, to_matrix(found.directions),
                                  to_array(q), mobility_notes(model, found));
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
  py::ssize_t i = 0;
  for (const Mobility& one : found.results())
    out.append(mobility_result(model, ConstVector(states.x[0].row(i++), nq), one));
  return states.count < 0 ? py::object(out[0]) : py::object(out);
}

/// Speeds or accelerations as given: by name (the others follow), or all (the nearest that fit).
class Given {
 public:
  Given(const RobotHandle& robot, const py::object& given, const char* name) : named_(name) {
    if (!py::isinstance<py::dict>(given)) {
      all_ = row_argument(given, name, robot.model->speeds(), "one per speed");
      return;
    }
    by_name_ = true;
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given))
      named_.add(speeds_argument(robot, key, name).front(), value);
  }
  py::ssize_t count() const { return by_name_ ? named_.count() : all_.count; }

  Eigen::VectorXd completed(const LoopClosure& closure, py::ssize_t i, bool accelerations) const {
    if (!by_name_)
      return accelerations ? compatible_accelerations(closure, all_.row(i))
                           : compatible_speeds(closure, all_.row(i));
    const Eigen::VectorXd x = named_.at(i);
    const CoordinateMap map = independent_map(closure, split_speeds(closure, named_.places()));
    return accelerations ? map.accelerations(x) : map.speeds(x);
  }

 private:
  bool by_name_ = false;
  RowArgument all_;
  NamedValues named_;
};

struct State {
  Eigen::VectorXd q, v, a;
};

py::tuple complete(RobotHandle& robot, const py::object& q, const py::object& v,
                   const py::object& a) {
  require_loops(robot, "every state fits");
  const Model& model = *robot.model;
  const Starts starts = starts_from(robot, q, py::none());
  const Given speeds(robot, v, "v"), rates(robot, a, "a");
  const py::ssize_t count =
      count_of({{"q", starts.count}, {"v", speeds.count()}, {"a", rates.count()}});
  const auto compute = [&](Context& c, py::ssize_t i) {
    AssemblyOptions options = starts.options(i);
    State state;
    state.q = options.start;
    c.closure().update(c.work, state.q);
    if (c.closure().largest_gap(c.work) > 1e-12) {
      options.tolerance = 1e-11;
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
          "held: names of coordinates that keep the value of the start. A batch of starts (N, nq), "
          "or\n"
          "values (N,) in the dict, gives as many postures. method: 'gauss-newton',\n"
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
