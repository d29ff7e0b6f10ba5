#pragma once
// A controller that is a Python function: tau = f(t, q, v), or with the reference
// tau = f(t, q, v, q_ref, v_ref, a_ref). Takes Python's lock for each call.

#include "callback.hpp"
#include "ulna/simulation/controller.hpp"

namespace ulna::python {

class CallableController final : public Controller {
 public:
  /// `speeds`: those it drives, in the order in which the function gives their efforts.
  CallableController(CallbackPtr function, std::vector<int> speeds, bool with_reference);
  void control(const ControlState& state, const double* z, Eigen::VectorXd& tau,
               double* dz) const override;
  std::string name() const override { return "function"; }

 private:
  CallbackPtr function_;
  std::vector<int> speeds_;
  bool with_reference_;
};

}  // namespace ulna::python
