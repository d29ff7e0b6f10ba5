#pragma once
// Errors of the library as Python's: InputError is a ValueError with `problems`, ComputationError a
// RuntimeError with `measure`.

namespace ulna::python {

/// Inside a catch block: the exception becomes Python's. For calls that do not pass through
/// pybind11.
void set_python_error() noexcept;

}  // namespace ulna::python
