// Robot: efforts as a matrix times inertial parameters, base parameters, identification.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "fast_method.hpp"
#include "names.hpp"
#include "regressor_arguments.hpp"
#include "states.hpp"
#include "ulna/study/identification.hpp"

namespace ulna::python {
namespace {
constexpr const char* term_names[] = {"rotors", "damping", "friction", "springs"};

}  // namespace

RegressorTerms terms_argument(PyObject* object) {
  if (!object || object == Py_None) return {};
  const py::handle given(object);
  std::vector<std::string> names;
  if (py::isinstance<py::str>(given)) {
    names = {given.cast<std::string>()};
    if (names[0] == "all") return RegressorTerms::all();
  } else {
    for (const py::handle item : items_argument(given, "terms"))
      names.push_back(text_argument(item, "terms"));
  }
  RegressorTerms terms;
  bool* const parts[] = {&terms.rotors, &terms.damping, &terms.friction, &terms.springs};
  for (const std::string& name : names) *parts[choice(name, term_names, "terms")] = true;
  return terms;
}

py::object base_result(const TorqueRegressor& regressor, const BaseParameters& base) {
  const std::vector<std::string>& names = regressor.names();
  py::list kept, texts, unfelt;
  for (int k = 0; k < base.count(); ++k) {
    kept.append(names[base.kept[k]]);
    texts.append(describe(base, k, names));
  }
  for (const int k : base.unfelt) unfelt.append(names[k]);
  return result_class("BaseParameters")(
      kept, texts, to_array(Eigen::VectorXd(base.combination * regressor.parameters())),
      to_matrix(base.combination), py::cast(base.kept), names, unfelt, base.margin);
}

namespace {

Signature regressor_signature{"regressor", {"q", "v", "a", "terms", "out"}, 3, 1};
py::object regressor(RobotHandle& robot, PyObject** slots) {
  const RegressorTerms terms = terms_argument(slots[3]);
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  const int columns = RobotHandle::Loan(robot)->regressor(terms).columns();
  return over_states<3>(robot, states_of<3>(robot, slots, {"q", "v", "a"}), {nv, columns}, slots[4],
                        dear_share, [&](Context& c, const auto& x, double* out) {
                          MutableRows(out, nv, columns) =
                              c.regressor(terms)(c.work, ConstVector(x[0], nq),
                                                 ConstVector(x[1], nv), ConstVector(x[2], nv));
                        });
}

py::dict parameters(const RobotHandle& robot, const py::object& terms) {
  const TorqueRegressor regressor(*robot.model, terms_argument(terms.ptr()));
  py::dict out;
  for (int k = 0; k < regressor.columns(); ++k)
    out[py::str(regressor.names()[k])] = regressor.parameters()(k);
  return out;
}

constexpr const char* base_methods[] = {"rank", "grouping"};

BaseParameters base_of(TorqueRegressor& regressor, const std::string& method, unsigned seed) {
  if (choice(method, base_methods, "method") == 1) return base_parameters_by_grouping(regressor);
  RankOptions options;
  options.seed = seed;
  return base_parameters_by_rank(regressor, options);
}

py::object base_parameters(const RobotHandle& robot, const std::string& method,
                           const py::object& terms, unsigned seed) {
  TorqueRegressor regressor(*robot.model, terms_argument(terms.ptr()));
  BaseParameters base;
  {
    const Unlocked unlocked;
    base = base_of(regressor, method, seed);
  }
  return base_result(regressor, base);
}

/// Rows are samples here, columns in the library.
Eigen::MatrixXd samples(const Array& array) {
  return Eigen::Map<const RowMajor>(array.data(), array.shape(0), array.shape(1)).transpose();
}

Array rows_argument(py::handle object, const char* name, py::ssize_t columns,
                    py::ssize_t rows = -1) {
  const Array array = numbers(object, name);
  if (array.ndim() != 2 || array.shape(1) != columns)
    throw InputError(Problem{{},
                             name,
                             "has shape " + shape_text(array),
                             fmt::format("(N, {}), one sample per row", columns),
                             {}});
  if (rows >= 0 && array.shape(0) != rows)
    throw InputError(Problem{{},
                             name,
                             "has shape " + shape_text(array),
                             fmt::format("({}, {}), as many samples as q", rows, columns),
                             {}});
  return array;
}

py::object robot_identify(const RobotHandle& robot, const py::object& q, const py::object& v,
                          const py::object& a, const py::object& tau, const py::object& terms) {
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  const Array at = rows_argument(q, "q", nq);
  const auto beside = [&](const py::object& given, const char* name) {
    return samples(rows_argument(given, name, nv, at.shape(0)));
  };
  Recording recording{samples(at), beside(v, "v"), beside(a, "a"), beside(tau, "tau")};
  TorqueRegressor regressor(*robot.model, terms_argument(terms.ptr()));
  BaseParameters base;
  Identification found;
  Eigen::VectorXd nearest;
  {
    const Unlocked unlocked;
    base = base_parameters_by_rank(regressor);
    found = identify(regressor, base, recording);
    nearest = nearest_parameters(regressor, base, found.estimate);
  }
  py::dict all;
  for (int k = 0; k < regressor.columns(); ++k) all[py::str(regressor.names()[k])] = nearest(k);
  return result_class("Identification")(
      base_result(regressor, base), to_array(found.estimate),
      to_array(Eigen::VectorXd(found.deviations())), to_matrix(found.covariance),
      to_array(found.noise), found.condition, all, impossible_bodies(regressor, nearest));
}

py::object robot_excitation(const RobotHandle& robot, double period, int count, int harmonics,
                            int candidates, double velocity, double acceleration, unsigned seed,
                            const py::object& terms, bool from_rest) {
  TorqueRegressor regressor(*robot.model, terms_argument(terms.ptr()));
  ExcitationOptions options{.seed = seed,
                            .period = period,
                            .harmonics = harmonics,
                            .samples = count,
                            .candidates = candidates,
                            .velocity = velocity,
                            .acceleration = acceleration,
                            .from_rest = from_rest,
                            .stop = {}};
  InterruptWatch watch;
  options.stop = [&] { return watch.interrupted_now(); };
  Recording moved;
  {
    const Unlocked unlocked;
    const BaseParameters base = base_parameters_by_rank(regressor);
    moved = excitation(regressor, base, options);
  }
  watch.rethrow();
  const auto rows = [](const Eigen::MatrixXd& x) { return to_matrix(x.transpose()); };
  return result_class("Motion")(
      to_array(Eigen::VectorXd(Eigen::VectorXd::LinSpaced(count + 1, 0, period).head(count))),
      rows(moved.q), rows(moved.v), rows(moved.a));
}

double condition_along(const RobotHandle& robot, const py::object& q, const py::object& v,
                       const py::object& a, const py::object& terms) {
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  const Array at = rows_argument(q, "q", nq);
  const Recording motion{samples(at),
                         samples(rows_argument(v, "v", nv, at.shape(0))),
                         samples(rows_argument(a, "a", nv, at.shape(0))),
                         {}};
  TorqueRegressor regressor(*robot.model, terms_argument(terms.ptr()));
  const Unlocked unlocked;
  const BaseParameters base = base_parameters_by_rank(regressor);
  return regressor_condition(regressor, base, motion);
}

}  // namespace

void add_regressor(RobotClass& robot) {
  add_fast_method<regressor_signature, regressor>(
      robot, "(self, q, v=None, a=None, *, terms=None, out=None)",
      "Y(q, v, a) with tau = Y p, shape (nv, k): ten columns for each body, named by "
      "parameters().\n\nterms: additional columns, 'all' or some of 'rotors', 'damping', "
      "'friction', 'springs'.");
  robot
      .def(
          "parameters", &parameters, py::kw_only(), py::arg("terms") = py::none(),
          "Names and values of the inertial parameters, in the order of the columns of regressor:\n"
          "m, m c and the inertia matrix about the origin of each body's frame.")
      .def("base_parameters", &base_parameters, py::kw_only(), py::arg("method") = "rank",
           py::arg("terms") = py::none(), py::arg("seed") = 1,
           "The identifiable combinations of inertial parameters (base parameters).\n\nmethod: "
           "'rank', numerically, or 'grouping', from the structure alone.")
      .def("identify", &robot_identify, py::arg("q"), py::arg("v"), py::arg("a"), py::arg("tau"),
           py::kw_only(), py::arg("terms") = py::none(),
           "Base parameters from recorded motion and efforts, one sample per row, by weighted "
           "least\n"
           "squares, with their deviations.")
      .def("excitation", &robot_excitation, py::kw_only(), py::arg("period") = 10.0,
           py::arg("samples") = 500, py::arg("harmonics") = 5, py::arg("candidates") = 20,
           py::arg("velocity") = 2.0, py::arg("acceleration") = 5.0, py::arg("seed") = 1,
           py::arg("terms") = py::none(), py::arg("from_rest") = false,
           "A motion along which all base parameters can be told: (t, q, v, a), one sample per "
           "row.\n\n"
           "A sum of sines within the limits of the robot, the best conditioned of `candidates` "
           "random\nones. from_rest: speed and acceleration are zero at both ends, as a machine "
           "needs it.")
      .def("regressor_condition", &condition_along, py::arg("q"), py::arg("v"), py::arg("a"),
           py::kw_only(), py::arg("terms") = py::none(),
           "Condition number of the regressor of the base parameters along a motion, its columns "
           "of unit\nlength: how well the motion excites them.");
}

}  // namespace ulna::python
