#pragma once
// Functions of time as Python gives them: numbers, formulas, ulna.Motion, callables.

#include <memory>

#include "bindings.hpp"
#include "ulna/motion/motion.hpp"

namespace ulna::python {

/// What a callable must give.
enum class Needs {
  value,       ///< efforts and forces: a number
  derivatives  ///< motions: (value, rate, acceleration)
};

/// A function of time from a number, a formula, an ulna.Motion or a callable f(t).
ScalarMotionPtr function_of_time(py::handle object, const char* name, Needs needs);

/// A Python object that may be let go of by any thread, with or without Python's lock.
std::shared_ptr<py::object> shared_object(py::handle object);

}  // namespace ulna::python
