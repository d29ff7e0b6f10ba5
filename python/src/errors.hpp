#pragma once
// Errors of the library as Python's: InputError is a ValueError with `problems`, ComputationError a
// RuntimeError with `measure`.

#include <string>

namespace ulna::python {

/// A sentence of the library for Python: options of the command line are arguments here,
/// "--end-frame" is end_frame.
std::string python_words(const std::string& text);

/// Inside a catch block: the exception becomes Python's. For calls that do not pass through
/// pybind11.
void set_python_error() noexcept;

inline constexpr const char* surrogate_text =
    "a text holds a surrogate, which is not a character and cannot be written as UTF-8";
inline constexpr const char* uninitialised_text =
    "the object was not initialised: make it with the functions that its class names";

}  // namespace ulna::python
