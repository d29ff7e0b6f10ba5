#pragma once
// What pybind11 takes for a parameter of some type, and how a person would say it.

#include <string>

#include "bindings.hpp"

namespace ulna::python {

/// Whether a value can be taken for a type that pybind11 writes as "float", "Optional[List[str]]",
/// "ulna._core.Robot".
bool is_of_kind(py::handle value, const std::string& type);
/// An integer of the right kind that does not fit.
bool is_too_large(py::handle value, const std::string& type);

/// A str with surrogates, as os.fsdecode and "\ud800" make them, or a dict, list or tuple with one
/// in it, so many levels deep.
bool is_unwritable(py::handle value, int levels = 3);
/// As UTF-8, surrogates as "\ud800".
std::string written(py::handle text);

/// "a number", "a list of strs, or None", "an ulna.Robot".
std::string kind_text(const std::string& type);
/// "str ('six')": the type of a value and, where it is short, the value.
std::string found_text(py::handle value);
/// "ulna.Robot".
std::string kind_name(PyTypeObject* type);

}  // namespace ulna::python
