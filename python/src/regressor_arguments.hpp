#pragma once
// Arguments and results that regressor.cpp and logs.cpp share.

#include "bindings.hpp"
#include "ulna/dynamics/base_parameters.hpp"

namespace ulna::python {

/// None, "all", one name or several.
RegressorTerms terms_argument(PyObject* object);
/// ulna.results.BaseParameters.
py::object base_result(const TorqueRegressor& regressor, const BaseParameters& base);

}  // namespace ulna::python
