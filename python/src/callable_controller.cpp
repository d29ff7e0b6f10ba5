#include "callable_controller.hpp"

#include <fmt/format.h>

#include "arrays.hpp"

namespace ulna::python {

CallableController::CallableController(CallbackPtr function, std::vector<int> speeds,
                                       bool with_reference)
    : function_(std::move(function)), speeds_(std::move(speeds)), with_reference_(with_reference) {}

void CallableController::control(const ControlState& s, const double*, Eigen::VectorXd& tau,
                                 double*) const {
  const Locked locked;
  const py::object result = with_reference_
                                ? (*function_)(s.t, to_array(s.q), to_array(s.v), to_array(s.q_ref),
                                               to_array(s.v_ref), to_array(s.a_ref))
                                : (*function_)(s.t, to_array(s.q), to_array(s.v));
  const Array efforts = numbers(result, "the controller's result");
  if (efforts.ndim() > 1 || efforts.size() != static_cast<py::ssize_t>(speeds_.size()))
    throw InputError(
        Problem{{},
                "the controller's result",
                "has shape " + shape_text(efforts),
                fmt::format("({},), one effort for each speed it drives", speeds_.size()),
                {}});
  for (std::size_t k = 0; k < speeds_.size(); ++k) {
    const double effort = efforts.data()[k];
    if (!std::isfinite(effort))
      throw ComputationError(fmt::format("the controller gives {} for '{}' at t = {:.9g} s", effort,
                                         s.model.speed_names()[speeds_[k]], s.t));
    tau(speeds_[k]) += effort;
  }
}

}  // namespace ulna::python
