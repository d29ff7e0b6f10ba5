#pragma once
// Frames, bodies, speeds and choices given by name.

#include <span>
#include <vector>

#include "bindings.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::python {

/// InputError where these options do not go with the robot, told once and not for each state.
void check_options(RobotHandle& robot, const DynamicsOptions& options);
/// Names of the speeds that have a motor; None leaves the choice to the core. Robots with loops.
LoopInverseOptions motors_argument(RobotHandle& robot, const py::object& actuated);

/// A frame by name or index; the tip for null. InputError naming the nearest.
int frame_argument(const RobotHandle& robot, PyObject* object, const char* name);
int body_argument(const RobotHandle& robot, py::handle object, const char* name);
int joint_argument(const RobotHandle& robot, py::handle object, const char* name);
/// Names or indices of speeds, in a list.
std::vector<int> speeds_argument(const RobotHandle& robot, py::handle object, const char* name);

/// The same, or degrees of joints that close loops: places in all_speed_names().
std::vector<int> degrees_argument(const RobotHandle& robot, py::handle object, const char* name);

/// The path of a file, as os.fsdecode reads it; TypeError naming the argument.
std::string path_argument(py::handle object, const char* name);
/// A number; TypeError naming the argument for anything else, InputError for nan.
double number_argument(py::handle object, const char* name);
/// The same of what a function of the user's returned, which may be nan.
double number_or_nan(py::handle object, const char* name);
/// What can be gone through; one text alone is one item. TypeError naming the argument.
py::iterable items_argument(py::handle object, const char* name);
/// Texts in a list, or one alone; TypeError naming the argument for anything else.
std::vector<std::string> texts_argument(py::handle object, const char* name);

/// Keys and values of a dict, held: reading one of them may run Python code that changes the dict.
std::vector<std::pair<py::object, py::object>> entries_of(py::handle dict);

/// A text; TypeError for anything else.
std::string text_argument(py::handle object, const char* name);

/// InputError unless `found` is one of the names; the place.
int choice(const std::string& found, std::span<const char* const> names, const char* argument);

/// {"hand": (fx, fy, fz)}, or a list of ulna.Wrench.
std::vector<ExternalWrench> wrenches_argument(const RobotHandle& robot, PyObject* object);

}  // namespace ulna::python
