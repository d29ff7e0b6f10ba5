#pragma once
// What the files of the bindings share. Each subject has one file with one function that adds its
// part to the module; module.cpp calls them in order. To add a subject: write its file, declare its
// function here, call it there, and describe what it adds in ulna/_core.pyi.

#include <pybind11/pybind11.h>

#include "robot_handle.hpp"

namespace ulna::python {

namespace py = pybind11;

using RobotClass = py::class_<RobotHandle, std::shared_ptr<RobotHandle>>;

void add_errors(py::module_& m);
RobotClass add_robot(py::module_& m);
using BuilderClass = py::class_<Robot>;  // the plain data of the library is the builder's state
void add_builder(py::module_& m, RobotClass& robot);
void add_builder_edits(BuilderClass& builder);
void add_beams(py::module_& m, BuilderClass& builder);
void add_elements(RobotClass& robot, BuilderClass& builder);
void add_kinematics(RobotClass& robot);
void add_inverse_kinematics(RobotClass& robot);
void add_dynamics(RobotClass& robot);
void add_dynamics_class(py::module_& m);
void add_terms(RobotClass& robot);
void add_energy(RobotClass& robot);
void add_reactions(RobotClass& robot);
void add_influence(RobotClass& robot);
void add_kane(RobotClass& robot);
void add_matrices(RobotClass& robot);
void add_homogeneous(py::module_& m);
void add_flexible(py::module_& m, RobotClass& robot);
void add_modes(py::module_& m, RobotClass& robot);
void add_structure(RobotClass& robot);
void add_platform(py::module_& m, RobotClass& robot);
void add_derivatives(RobotClass& robot);
void add_regressor(RobotClass& robot);
void add_logs(py::module_& m, RobotClass& robot);
void add_loops(RobotClass& robot);
void add_loop_equations(RobotClass& robot);
void add_motions(py::module_& m);
void add_paths(py::module_& m, RobotClass& robot);
void add_experiment(py::module_& m);
void add_simulate(py::module_& m);
void add_linear(py::module_& m, RobotClass& robot);
void add_generate(py::module_& m, RobotClass& robot);
void add_compiled(py::module_& m, RobotClass& robot);
void add_verify(RobotClass& robot);
void add_report(py::module_& m, RobotClass& robot);
void add_editing(RobotClass& robot);
void add_studies(py::module_& m, RobotClass& robot);
void add_study_rows(py::module_& m);
void add_timing(RobotClass& robot);
void add_formats(RobotClass& robot);

/// After everything was added: sentences of our own about wrong arguments, Ctrl-C and
/// inspect.signature for every function (call_guard.cpp).
void guard_calls(const py::module_& m);

/// A class of ulna/results.py: what functions with several results return.
py::object result_class(const char* name);

}  // namespace ulna::python
