#include "wrenches.hpp"

#include "names.hpp"

namespace ulna::python {
namespace {

/// What an ulna.Wrench has; TypeError for anything else.
void require_wrench(py::handle item) {
  for (const char* part : {"body", "force", "moment", "point", "expressed_in"})
    if (!py::hasattr(item, part))
      throw py::type_error("wrenches must be a dict or a list of ulna.Wrench, not of " +
                           std::string(py::str(py::type::of(item).attr("__name__"))));
}

}  // namespace

WrenchArgument::WrenchArgument(const RobotHandle& robot, PyObject* object) {
  const py::handle given(object);
  if (object && py::isinstance<py::dict>(given)) {
    for (const auto& [frame, value] : entries_of(given)) {
      add(robot, frame, py::none());
      take(value, "wrenches", true, 0);
    }
  } else if (object) {
    if (!py::isinstance<py::iterable>(given) || py::isinstance<py::str>(given))
      throw py::type_error("wrenches must be a dict or a list of ulna.Wrench, not " +
                           std::string(py::str(py::type::of(given).attr("__name__"))));
    for (const py::handle item : given) {
      require_wrench(item);
      add(robot, py::object(item.attr("body")), item.attr("point"));
      fixed_.back().expressed_in =
          frame_argument(robot, py::object(item.attr("expressed_in")).ptr(), "expressed_in");
      take(item.attr("moment"), "moment", false, 0);
      take(item.attr("force"), "force", false, 3);
    }
  }
  spread();
}

/// Frames of bodies come first, so that a body is a frame, too.
void WrenchArgument::add(const RobotHandle& robot, py::handle frame, py::handle point) {
  const Frame& on = robot.model->frames()[frame_argument(robot, frame.ptr(), "wrenches")];
  ExternalWrench wrench{.body = on.body};
  wrench.point = point.is_none() ? on.X_BF.position : on.X_BF * vector3(point, "point");
  fixed_.push_back(wrench);
  parts_.emplace_back();
}

void WrenchArgument::take(py::handle given, const char* name, bool with_moment, int first) {
  const Array values = python::numbers(given, name);
  const py::ssize_t width = values.ndim() > 0 ? values.shape(values.ndim() - 1) : 0;
  const bool fits =
      values.ndim() >= 1 && values.ndim() <= 2 && (width == 3 || (with_moment && width == 6));
  if (!fits)
    throw InputError(Problem{{},
                             name,
                             "has shape " + shape_text(values),
                             with_moment ? "a force (3,), moment and force (6,), or one per state, "
                                           "(N, 3) or (N, 6)"
                                         : "(3,), or (N, 3) with one per state",
                             {}});
  if (values.ndim() == 2) {
    const py::ssize_t rows = values.shape(0);
    if (count_ >= 0 && rows != count_)
      throw InputError(Problem{{},
                               name,
                               fmt::format("has {} states", rows),
                               fmt::format("{}, as many as the other wrenches", count_),
                               {}});
    count_ = rows;
  }
  parts_.back().push_back({values, with_moment && width == 3 ? 3 : first});
}

void WrenchArgument::spread() {
  const py::ssize_t rows = std::max<py::ssize_t>(count_, 1), width = 6 * std::ssize(fixed_);
  rows_ = new_array({rows, width});
  std::fill_n(data_of(rows_), rows * width, 0.0);
  for (std::size_t w = 0; w < parts_.size(); ++w)
    for (const Part& part : parts_[w]) {
      const py::ssize_t n = part.values.shape(part.values.ndim() - 1);
      if (part.values.ndim() == 2 && part.values.shape(0) == 0) continue;
      for (py::ssize_t i = 0; i < rows; ++i)
        std::copy_n(part.values.data() + (part.values.ndim() == 2 ? i * n : 0), n,
                    data_of(rows_) + i * width + 6 * static_cast<py::ssize_t>(w) + part.first);
    }
  parts_.clear();
  if (count_ < 0) {
    std::vector<ExternalWrench> room;
    const std::vector<ExternalWrench> filled = at(data_of(rows_), room);
    fixed_ = filled;
  }
}

StateArgument WrenchArgument::numbers() const {
  StateArgument out;
  out.data = data_of(rows_);
  out.width = 6 * std::ssize(fixed_);
  out.count = count_;
  out.stride = count_ < 0 ? 0 : out.width;
  out.owner = rows_;
  return out;
}

const std::vector<ExternalWrench>& WrenchArgument::at(const double* numbers,
                                                      std::vector<ExternalWrench>& room) const {
  room = fixed_;
  for (ExternalWrench& wrench : room) {
    wrench.moment = Eigen::Map<const Eigen::Vector3d>(numbers);
    wrench.force = Eigen::Map<const Eigen::Vector3d>(numbers + 3);
    numbers += 6;
  }
  return room;
}

const std::vector<ExternalWrench>& WrenchArgument::single() const {
  if (count_ >= 0)
    throw InputError(Problem{{},
                             "wrenches",
                             fmt::format("has {} states", count_),
                             "one wrench for all states",
                             "inverse_dynamics and forward_dynamics take one per state"});
  return fixed_;
}

std::vector<ExternalWrench> wrenches_argument(const RobotHandle& robot, PyObject* object) {
  return WrenchArgument(robot, object).single();
}

}  // namespace ulna::python
