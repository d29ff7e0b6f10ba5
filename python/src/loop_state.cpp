#include "loop_state.hpp"

#include <fmt/format.h>

#include "names.hpp"

namespace ulna::python {

void require_closed(Context& c, const ConstVector& q, const ConstVector* v, const ConstVector* a) {
  constexpr double tolerance = 1e-8;
  LoopClosure* const loops = c.closure_if_any();
  if (!loops) return;
  LoopClosure& closure = *loops;
  closure.update(c.work, q);
  const double gap = closure.largest_gap(c.work);
  if (!(gap <= tolerance))
    throw InputError(Problem{{},
                             "q",
                             fmt::format("leaves the loops open by {:.3g} (m, rad)", gap),
                             "a posture that closes them",
                             "robot.assemble(q)"});
  if (!v) return;
  if (closure.rows() == 0) return;  // loops that hold nothing
  const double speed = closure.times(*v).cwiseAbs().maxCoeff();
  if (!(speed <= tolerance * (1 + v->norm())))
    throw InputError(Problem{{},
                             "v",
                             fmt::format("opens the loops at {:.3g} (m/s, rad/s)", speed),
                             "speeds that keep them closed",
                             "robot.complete(q, v)"});
  if (!a) return;
  closure.update_rates(c.work, q, *v);
  const double rate = (closure.times(*a) - closure.bias()).cwiseAbs().maxCoeff();
  if (!(rate <= tolerance * (1 + a->norm() + v->squaredNorm())))
    throw InputError(Problem{{},
                             "a",
                             fmt::format("opens the loops with {:.3g} (m/s^2, rad/s^2)", rate),
                             "accelerations that keep them closed",
                             "robot.complete(q, v, a)"});
}

PartArgument::PartArgument(const RobotHandle& robot, const py::object& given, const char* name,
                           StateKind kind)
    : name_(name) {
  if (given.is_none()) return;
  const bool coordinates = kind == StateKind::coordinates;
  if (!py::isinstance<py::dict>(given)) {
    form_ = Form::all;
    all_ =
        row_argument(given, name, coordinates ? robot.model->coordinates() : robot.model->speeds(),
                     coordinates ? "the coordinates" : "one per speed");
    count_ = all_.count;
    return;
  }
  form_ = Form::named;
  std::vector<py::ssize_t> counts;
  for (const auto& [key, value] : entries_of(given)) {
    const bool text = coordinates || py::isinstance<py::str>(key);
    add(text ? text_argument(key, name)
             : robot.model->speed_names()[speeds_argument(robot, key, name).front()],
        value, counts);
  }
  count_ = common_count(counts, std::vector<const char*>(counts.size(), name));
}

void PartArgument::add(const std::string& name, py::handle value,
                       std::vector<py::ssize_t>& counts) {
  const Array given = numbers(value, name_);
  if (given.ndim() > 1)
    throw InputError(Problem{{},
                             name_,
                             "has an entry of shape " + shape_text(given),
                             "numbers, or (N,) for a batch",
                             {}});
  if (given.ndim() == 1) counts.push_back(given.shape(0));
  named_.emplace_back(name, given);
}

std::vector<py::object> named_state(RobotHandle& robot, std::span<PyObject* const> slots,
                                    std::span<const char* const> names) {
  StateRequest request;
  StatePart efforts;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (!slots[k]) continue;
    const auto given = py::reinterpret_borrow<py::object>(slots[k]);
    const PartArgument part(robot, given, names[k],
                            k == 0 ? StateKind::coordinates : StateKind::speeds);
    if (part.count() >= 0)
      throw InputError(Problem{{},
                               names[k],
                               "is a batch, but other values are given by name",
                               "one state",
                               "robot.complete(q, v, a) completes batches"});
    const std::string name = names[k];
    (k == 0 ? request.q : name == "v" ? request.v : name == "a" ? request.a : efforts) = part.at(0);
  }
  const State state = complete_state(*robot.model, request);
  std::vector<py::object> made;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const std::string name = names[k];
    made.push_back(to_array(k == 0        ? state.q
                            : name == "v" ? state.v
                            : name == "a" ? state.a
                                          : complete_efforts(*robot.model, state.q, efforts)));
  }
  return made;
}

StatePart PartArgument::at(py::ssize_t i) const {
  if (form_ == Form::none) return {};
  if (form_ == Form::all) return Eigen::VectorXd(all_.row(i));
  NamedValues values;
  for (const auto& [name, value] : named_)
    values.push_back({name, value.size() == 0 ? 0 : value.data()[value.size() > 1 ? i : 0]});
  return values;
}

}  // namespace ulna::python
