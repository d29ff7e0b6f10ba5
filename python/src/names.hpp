#pragma once
// Frames, bodies, speeds and choices given by name.

#include <span>
#include <vector>

#include "bindings.hpp"
#include "ulna/dynamics/elastic_level.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::python {

/// The formulation named, or how loops are closed, as the argument `method` was read before.
/// "automatic" and "loops" stand for the default. InputError where it does not answer the question
/// for the robot.
void take_method(const RobotHandle& robot, const std::string& name, Question question,
                 DynamicsOptions& options);

/// "multipliers" or "embedding"; InputError for robots without loops.
void take_closing(const RobotHandle& robot, const std::string& name, DynamicsOptions& options);
/// A level of fidelity; InputError for rigid robots.
void take_level(const RobotHandle& robot, const std::string& name, DynamicsOptions& options);
/// InputError where these options do not go with the robot, told once and not for each state.
void check_options(RobotHandle& robot, const DynamicsOptions& options);

/// A frame by name or index; the tip for null. InputError naming the nearest.
int frame_argument(const RobotHandle& robot, PyObject* object, const char* name);
int body_argument(const RobotHandle& robot, py::handle object, const char* name);
int joint_argument(const RobotHandle& robot, py::handle object, const char* name);
/// Names or indices of speeds, in a list.
std::vector<int> speeds_argument(const RobotHandle& robot, py::handle object, const char* name);

/// The same, or degrees of joints that close loops: places in all_speed_names().
std::vector<int> degrees_argument(const RobotHandle& robot, py::handle object, const char* name);

/// A text; TypeError for anything else.
std::string text_argument(py::handle object, const char* name);

/// InputError unless `found` is one of the names; the place.
int choice(const std::string& found, std::span<const char* const> names, const char* argument);

/// A level of fidelity of flexible links; InputError with their names.
ElasticLevel level_argument(const std::string& name);

/// {"hand": (fx, fy, fz)}, or a list of ulna.Wrench.
std::vector<ExternalWrench> wrenches_argument(const RobotHandle& robot, PyObject* object);

}  // namespace ulna::python
