#pragma once
// Functions of time as Python gives them: numbers, formulas, ulna.Motion, callables.

#include <memory>

#include "bindings.hpp"
#include "callback.hpp"
#include "ulna/motion/motion.hpp"
#include "ulna/motion/table_motion.hpp"

namespace ulna::python {

/// A time at which a motion is asked for; InputError for nan, at which some would give a number.
double checked_time(double t);

/// What a callable must give.
enum class Needs {
  value,       ///< efforts and forces: a number
  derivatives  ///< motions: (value, rate, acceleration)
};

/// A function of time from a number, a formula, an ulna.Motion or a callable f(t). What it calls in
/// Python belongs to `owner` afterwards, who must live as long as the function is used.
ScalarMotionPtr function_of_time(py::handle object, const char* name, Needs needs,
                                 Callbacks& owner);

/// pybind11 knows no pointers to const; motions never change, whoever holds them.
using HeldMotion = std::shared_ptr<ScalarMotion>;
using HeldTrajectory = std::shared_ptr<Motion>;

/// Through the rows of a table; Ctrl-C ends it however many they are.
HeldMotion motion_through(MotionTable rows, std::optional<Interpolation> between);

/// For Python: the motion, with the functions it calls as the property of the Python object. A
/// motion inside of another never owns functions: it is `opened` before it is used.
HeldMotion with_callbacks(HeldMotion motion, Callbacks callbacks);
HeldTrajectory with_callbacks(HeldTrajectory trajectory, Callbacks callbacks);
/// The motion itself; its functions are shared with `owner`. TypeError for None.
ScalarMotionPtr opened(const HeldMotion& motion, const char* name, Callbacks& owner);
MotionPtr opened(const HeldTrajectory& trajectory, const char* name, Callbacks& owner);
/// What a Motion or Trajectory of Python owns, for the garbage collector.
Callbacks* callbacks_of_motion(void* scalar_motion);
Callbacks* callbacks_of_trajectory(void* motion);

}  // namespace ulna::python
