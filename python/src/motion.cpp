// ulna.Motion: functions of time with their derivatives, and how to make them.

#include "motion.hpp"

#include <fmt/format.h>
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "abandonable.hpp"
#include "arrays.hpp"
#include "interrupt.hpp"
#include "names.hpp"
#include "ulna/motion/bang_bang.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/motion/internal/boundary_polynomial.hpp"
#include "ulna/motion/internal/combined_motion.hpp"
#include "ulna/motion/internal/peaks.hpp"
#include "ulna/motion/internal/switch_times.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/motion/spin_up.hpp"
#include "ulna/motion/spline.hpp"
#include "ulna/motion/trapezoidal_jerk.hpp"

namespace ulna::python {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

using Held = HeldMotion;

/// A callable f(t) of Python. Takes Python's lock for each value.
class CallableMotion final : public ScalarMotion {
 public:
  CallableMotion(CallbackPtr function, std::string name, Needs needs)
      : function_(std::move(function)), name_(std::move(name)), needs_(needs) {}

  MotionValue at(double t) const override {
    const Locked locked;
    const py::object result = (*function_)(t);
    if (PyFloat_Check(result.ptr()) || PyLong_Check(result.ptr())) {
      if (needs_ == Needs::derivatives)
        refuse("gives one number", "(value, rate, acceleration): a motion needs its derivatives");
      return {result.cast<double>(), 0, 0, 0};
    }
    const Array array = numbers(result, name_.c_str());
    const double* x = array.data();
    if (needs_ == Needs::value) {
      if (array.size() != 1) refuse("gives an array of shape " + shape_text(array), "a number");
      return {x[0], 0, 0, 0};
    }
    if (array.ndim() != 1 || array.size() < 3 || array.size() > 4)
      refuse("gives an array of shape " + shape_text(array), "(value, rate, acceleration)");
    return {x[0], x[1], x[2], array.size() == 4 ? x[3] : 0};
  }
  double duration() const override { return infinite; }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw InputError(Problem{{}, name_, "the function " + found, expected, {}});
  }
  CallbackPtr function_;
  std::string name_;
  Needs needs_;
};

/// What a Python object holds when functions of Python are called inside.
class OwningMotion final : public ScalarMotion {
 public:
  OwningMotion(Held motion, Callbacks owned)
      : callbacks(std::move(owned)), inner(std::move(motion)) {}
  MotionValue at(double t) const override { return inner->at(t); }
  std::vector<double> breakpoints() const override { return inner->breakpoints(); }
  double duration() const override { return inner->duration(); }
  int depth() const override { return inner->depth(); }

  Callbacks callbacks;
  const Held inner;
};

class OwningTrajectory final : public Motion {
 public:
  OwningTrajectory(HeldTrajectory motion, Callbacks owned)
      : callbacks(std::move(owned)), inner(std::move(motion)) {}
  int size() const override { return inner->size(); }
  void at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
          Eigen::Ref<Eigen::VectorXd> a) const override {
    inner->at(t, q, v, a);
  }
  std::vector<double> breakpoints() const override { return inner->breakpoints(); }
  double duration() const override { return inner->duration(); }
  int depth() const override { return inner->depth(); }

  Callbacks callbacks;
  const HeldTrajectory inner;
};

template <class Owning, class Pointer>
Pointer owning(Pointer motion, Callbacks callbacks) {
  if (callbacks.empty()) return motion;
  return std::make_shared<Owning>(std::move(motion), std::move(callbacks));
}

template <class Owning, class Pointer>
Pointer without_owner(const Pointer& motion, const char* name, Callbacks& owner) {
  if (!motion) throw py::type_error(std::string(name) + " must not be None");
  const auto* const whole = dynamic_cast<const Owning*>(motion.get());
  if (!whole) return motion;
  owner.add(whole->callbacks);
  return whole->inner;
}

/// One derivative at a time or at an array of them; order 0 is the value.
py::object sampled(const ScalarMotion& motion, const py::object& t, double MotionValue::*part) {
  const auto at = [&](double time) { return motion.at(checked_time(time)).*part; };
  if (PyFloat_Check(t.ptr()) || PyLong_Check(t.ptr())) return py::float_(at(t.cast<double>()));
  const Array times = numbers(t, "t");
  py::object out = new_array(std::span(times.shape(), static_cast<std::size_t>(times.ndim())));
  for (py::ssize_t k = 0; k < times.size(); ++k) {
    if (k % 1024 == 0) interruption_point();
    data_of(out)[k] = at(times.data()[k]);
  }
  return out;
}

std::vector<double> list_of(const py::object& object, const char* name) {
  const Eigen::VectorXd x = vector_of(object, name);
  return {x.begin(), x.end()};
}

/// Through `points` points: the sparse system of a spline is solved in one piece.
template <class Make>
Held through_points(std::size_t points, const Make& make) {
  constexpr Eigen::Index quick = 10'000;
  return abandonable(
      static_cast<Eigen::Index>(points),
      [make]() -> Held { return std::make_shared<PiecewisePolynomial>(make()); }, quick);
}

Held spline(const py::object& times, const py::object& values, const std::string& kind,
            const std::string& ends) {
  const std::vector<double> t = list_of(times, "times"), y = list_of(values, "values");
  constexpr const char* kinds[] = {"linear", "cubic", "quintic"};
  const int chosen = choice(kind, kinds, "kind");
  if (chosen == 0) return motion_through({t, y, {}, {}}, Interpolation::linear);
  const SplineEnds how = spline_ends_named(ends);
  return through_points(
      t.size(), [=] { return chosen == 1 ? cubic_spline(t, y, how) : quintic_spline(t, y, how); });
}

Held table(const py::object& t, const py::object& q, const py::object& v, const py::object& a,
           const std::optional<std::string>& interpolation) {
  MotionTable rows{list_of(t, "t"), list_of(q, "q"), {}, {}};
  if (!v.is_none()) rows.v = list_of(v, "v");
  if (!a.is_none()) rows.a = list_of(a, "a");
  std::optional<Interpolation> between;
  if (interpolation) between = interpolation_named(*interpolation);
  return motion_through(std::move(rows), between);
}

Held polynomial(const std::vector<std::tuple<double, int, double>>& conditions) {
  std::vector<MotionCondition> all;
  for (const auto& [t, order, value] : conditions) all.push_back({t, order, value});
  return std::make_shared<BoundaryPolynomial>(all);
}

Held sequence(const py::iterable& parts) {
  std::vector<ScalarMotionPtr> all;
  Callbacks owner;
  for (const py::handle part : parts)
    all.push_back(function_of_time(part, "parts", Needs::derivatives, owner));
  return with_callbacks(Held(std::make_shared<SequenceMotion>(std::move(all))), std::move(owner));
}

Held fastest(double from, double to, double acceleration, double deceleration, double rate,
             double begin_rate, double end_rate) {
  return std::make_shared<PiecewisePolynomial>(
      fastest_between(from, to, {acceleration, deceleration, rate}, begin_rate, end_rate));
}

/// offset + sum of weight * motion. Sums in it become part of this one and a motion that comes
/// twice is one term, so that a long chain of additions is neither deep nor slow.
Held sum(double offset, std::initializer_list<std::pair<double, Held>> parts) {
  Callbacks owner;
  std::vector<SumMotion::Term> terms;
  const auto add = [&](double weight, const ScalarMotionPtr& motion) {
    const auto same = std::find_if(terms.begin(), terms.end(),
                                   [&](const auto& term) { return term.motion == motion; });
    if (same == terms.end())
      terms.push_back({weight, motion});
    else
      same->weight += weight;
  };
  for (const auto& [weight, held] : parts) {
    const ScalarMotionPtr motion = opened(held, "a motion", owner);
    const auto* const inner = dynamic_cast<const SumMotion*>(motion.get());
    if (!inner) {
      add(weight, motion);
      continue;
    }
    offset += weight * inner->offset();
    for (const SumMotion::Term& term : inner->terms()) add(weight * term.weight, term.motion);
  }
  return with_callbacks(Held(std::make_shared<SumMotion>(std::move(terms), offset)),
                        std::move(owner));
}

Held shifted(const Held& motion, double delay, double speed) {
  Callbacks owner;
  Held out = std::make_shared<ShiftedMotion>(opened(motion, "a motion", owner), delay, speed);
  return with_callbacks(std::move(out), std::move(owner));
}

py::object peaks(const ScalarMotion& motion, double begin, const py::object& end) {
  const double last = end.is_none() ? motion.duration() : number_argument(end, "end");
  const MotionPeaks found = peaks_of(motion, begin, last);
  py::dict out;
  const auto add = [&](const char* name, const Extreme& x) {
    out[name] = py::make_tuple(x.value, x.time);
  };
  add("lowest", found.lowest);
  add("highest", found.highest);
  add("rate", found.rate);
  add("acceleration", found.acceleration);
  add("jerk", found.jerk);
  return out;
}

void add_factories(py::module_& m) {
  m.def(
      "constant",
      [](double value) -> Held {
        if (!std::isfinite(value))
          throw InputError(Problem{{}, "value", "is not finite", "a finite number", {}});
        return std::make_shared<ConstantMotion>(value);
      },
      py::arg("value"), "Stays where it is.");
  m.def(
      "formula",
      [](const std::string& text, const std::map<std::string, double>& constants,
         double duration) -> Held {
        return std::make_shared<Formula>(text, FormulaConstants(constants.begin(), constants.end()),
                                         duration);
      },
      py::arg("text"), py::arg("constants") = std::map<std::string, double>{},
      py::arg("duration") = infinite,
      "A formula in t with exact derivatives: 'pi/2 - A*cycloid(t/2)', constants={'A': 0.5}.");
  m.def(
      "program",
      [](const std::string& name, double from, double to, double time, double start,
         const py::object& breaks) -> Held {
        if (breaks.is_none())
          return std::const_pointer_cast<MotionProgram>(program_named(name, from, to, time, start));
        if (name != "trapezoidal-jerk")
          throw InputError(
              Problem{{}, "breaks", fmt::format("are given for {}", name), "trapezoidal-jerk", {}});
        const Eigen::VectorXd at = vector_of(breaks, "breaks", 8, ", parts of the time");
        BreakTimes times{};
        std::copy(at.begin(), at.end(), times.begin());
        return std::make_shared<TrapezoidalJerk>(from, to, time, start, times);
      },
      py::arg("name"), py::arg("begin"), py::arg("end"), py::arg("time"), py::arg("start") = 0.0,
      py::kw_only(), py::arg("breaks") = py::none(),
      "A law from `begin` to `end` in `time`, at rest before and after: 'constant-rate',\n"
      "'constant-acceleration', 'harmonic', 'cycloidal', 'poly345', 'poly4567', "
      "'trapezoidal-jerk', whose eight break times, as parts of the time from 0 to 1, may be "
      "given.");
  m.def("spline", &spline, py::arg("times"), py::arg("values"), py::arg("kind") = "cubic",
        py::arg("ends") = "clamped",
        "Through points: 'linear', 'cubic' or 'quintic'; ends 'natural', 'clamped' (at rest),\n"
        "'periodic', 'not-a-knot'.");
  m.def("table", &table, py::arg("t"), py::arg("q"), py::arg("v") = py::none(),
        py::arg("a") = py::none(), py::arg("interpolation") = py::none(),
        "Sampled values, with rates and accelerations where they are known.");
  m.def("polynomial", &polynomial, py::arg("conditions"),
        "The polynomial of least degree through conditions (t, order of derivative, value).");
  m.def(
      "spin_up",
      [](double rate, double time, double from, double start) -> Held {
        return std::make_shared<SpinUp>(rate, time, from, start);
      },
      py::arg("rate"), py::arg("time"), py::arg("begin") = 0.0, py::arg("start") = 0.0,
      "From rest to a constant rate.");
  m.def("fastest", &fastest, py::arg("begin"), py::arg("end"), py::kw_only(),
        py::arg("acceleration"), py::arg("deceleration") = 0.0, py::arg("rate") = infinite,
        py::arg("begin_rate") = 0.0, py::arg("end_rate") = 0.0,
        "The fastest motion within limits of acceleration and rate.");
  m.def("sequence", &sequence, py::arg("parts"), "One after the other.");
  m.def(
      "switched",
      [](double level, std::vector<double> switches, double duration) -> Held {
        return std::make_shared<SwitchedSignal>(level, std::move(switches), duration);
      },
      py::arg("level"), py::arg("switches"), py::arg("duration"),
      "+level and -level in turn, changing at the switch times: an effort.");
}

}  // namespace

HeldMotion motion_through(MotionTable rows, std::optional<Interpolation> between) {
  const std::size_t points = rows.t.size();
  return through_points(points, [rows = std::move(rows), between] {
    return between ? table_motion(rows, *between) : table_motion(rows);
  });
}

double checked_time(double t) {
  if (std::isnan(t)) throw InputError(Problem{{}, "t", "is not a number", "a time in s", {}});
  return t;
}

HeldMotion with_callbacks(HeldMotion motion, Callbacks callbacks) {
  return owning<OwningMotion>(std::move(motion), std::move(callbacks));
}
HeldTrajectory with_callbacks(HeldTrajectory trajectory, Callbacks callbacks) {
  return owning<OwningTrajectory>(std::move(trajectory), std::move(callbacks));
}
ScalarMotionPtr opened(const HeldMotion& motion, const char* name, Callbacks& owner) {
  return without_owner<OwningMotion>(motion, name, owner);
}
MotionPtr opened(const HeldTrajectory& trajectory, const char* name, Callbacks& owner) {
  return without_owner<OwningTrajectory>(trajectory, name, owner);
}
Callbacks* callbacks_of_motion(void* scalar_motion) {
  auto* const whole = dynamic_cast<OwningMotion*>(static_cast<ScalarMotion*>(scalar_motion));
  return whole ? &whole->callbacks : nullptr;
}
Callbacks* callbacks_of_trajectory(void* motion) {
  auto* const whole = dynamic_cast<OwningTrajectory*>(static_cast<Motion*>(motion));
  return whole ? &whole->callbacks : nullptr;
}

namespace {

/// Python's numbers and NumPy's, of every precision; an array only if it holds one.
bool is_number(py::handle object) {
  if (py::isinstance<py::array>(object))
    return py::reinterpret_borrow<py::array>(object).size() == 1;
  const PyNumberMethods* const methods = Py_TYPE(object.ptr())->tp_as_number;
  return methods && (methods->nb_float || methods->nb_index);
}

}  // namespace

ScalarMotionPtr function_of_time(py::handle object, const char* name, Needs needs,
                                 Callbacks& owner) {
  if (py::isinstance<ScalarMotion>(object)) return opened(object.cast<Held>(), name, owner);
  if (py::isinstance<py::str>(object)) return std::make_shared<Formula>(object.cast<std::string>());
  if (is_number(object)) {
    const Array given = numbers(object, name);
    if (given.size() != 1)
      throw InputError(Problem{{}, name, "has shape " + shape_text(given), "one number", {}});
    const double value = *given.data();
    if (!std::isfinite(value))
      throw InputError(Problem{{}, name, fmt::format("{} found", value), "a finite number", {}});
    return std::make_shared<ConstantMotion>(value);
  }
  if (PyCallable_Check(object.ptr()))
    return std::make_shared<CallableMotion>(owner.add(object), name, needs);
  throw InputError(Problem{{},
                           name,
                           fmt::format("{} found", std::string(py::str(py::type::of(object)))),
                           "a number, a formula in t, an ulna.Motion or a function of t",
                           {}});
}

void add_motions(py::module_& m) {
  const py::is_operator op;  // NotImplemented for what it does not take: Python then asks the other
  py::class_<ScalarMotion, Held> motion(
      m, "Motion", collect_garbage<callbacks_of_motion>(), py::dynamic_attr(),
      "A function of time with its derivatives. motion(t) is its value at a time or at an array "
      "of\n"
      "times. Motions can be added, scaled and shifted; ulna.motions makes them.");
  motion
      .def(
          "__call__",
          [](const ScalarMotion& x, const py::object& t) {
            return sampled(x, t, &MotionValue::value);
          },
          py::arg("t"), "The value at t.")
      .def(
          "rate",
          [](const ScalarMotion& x, const py::object& t) {
            return sampled(x, t, &MotionValue::rate);
          },
          py::arg("t"), "The first derivative at t.")
      .def(
          "acceleration",
          [](const ScalarMotion& x, const py::object& t) {
            return sampled(x, t, &MotionValue::acceleration);
          },
          py::arg("t"), "The second derivative at t.")
      .def(
          "jerk",
          [](const ScalarMotion& x, const py::object& t) {
            return sampled(x, t, &MotionValue::jerk);
          },
          py::arg("t"), "The third derivative at t.")
      .def_property_readonly("duration", &ScalarMotion::duration, "When it ends; may be inf.")
      .def_property_readonly("breakpoints", &ScalarMotion::breakpoints,
                             "Times at which a derivative up to the acceleration jumps.")
      .def("peaks", &peaks, py::arg("begin") = 0.0, py::arg("end") = py::none(),
           "Extremes as (value, time): lowest, highest, rate, acceleration, jerk.")
      .def(
          "delayed", [](const Held& x, double delay) { return shifted(x, delay, 1); },
          py::arg("delay"), "The same, later.")
      .def(
          "faster", [](const Held& x, double by) { return shifted(x, 0, by); }, py::arg("by"),
          "The same way in a fraction of the time.")
      .def(
          "__add__",
          [](const Held& x, const Held& y) {
            return sum(0, {{1, x}, {1, y}});
          },
          op)
      .def(
          "__add__",
          [](const Held& x, double y) {
            return sum(y, {{1, x}});
          },
          op)
      .def(
          "__radd__",
          [](const Held& x, double y) {
            return sum(y, {{1, x}});
          },
          op)
      .def(
          "__sub__",
          [](const Held& x, const Held& y) {
            return sum(0, {{1, x}, {-1, y}});
          },
          op)
      .def(
          "__sub__",
          [](const Held& x, double y) {
            return sum(-y, {{1, x}});
          },
          op)
      .def(
          "__rsub__",
          [](const Held& x, double y) {
            return sum(y, {{-1, x}});
          },
          op)
      .def(
          "__mul__",
          [](const Held& x, double y) {
            return sum(0, {{y, x}});
          },
          op)
      .def(
          "__rmul__",
          [](const Held& x, double y) {
            return sum(0, {{y, x}});
          },
          op)
      .def(
          "__neg__",
          [](const Held& x) {
            return sum(0, {{-1, x}});
          },
          "The motion with the other sign.");
  py::module_ factories = m.def_submodule("motions", "Motions of one coordinate.");
  add_factories(factories);
}

}  // namespace ulna::python
