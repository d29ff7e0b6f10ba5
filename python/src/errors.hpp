#pragma once
// Errors of the library as Python's: InputError is a ValueError with `problems`, ComputationError a
// RuntimeError with `measure`.

namespace ulna::python {

/// Inside a catch block: the exception becomes Python's. For calls that do not pass through
/// pybind11.
void set_python_error() noexcept;

inline constexpr const char* uninitialised_text =
    "the object was not initialised: make it with the functions that its class names";

}  // namespace ulna::python
