#pragma once
// What sets the force of an actuator among the elements of a robot (`elements:` of the robot file)
// during a run, in place of the actuator's own force: a function of time, a formula of the state, a
// function of C++, or the effort that a controller asks of a joint. An input stands among the
// controllers of an experiment. docs/experiment-file.md, "Inputs"; docs/theory/elements.md,
// section 7.
//
//   auto jack = std::make_shared<ElementInput>();
//   jack->element = element_named(model, "jack");
//   jack->force = std::make_shared<Formula>("500 + 20*t");
//   experiment.controllers.push_back(jack);

#include <functional>

#include "ulna/simulation/controller.hpp"
#include "ulna/simulation/parts/drive.hpp"

namespace ulna {

class ULNA_API ElementInput final : public Controller {
 public:
  /// Forces by one's own law, of time, coordinates and speeds.
  using Law = std::function<double(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v)>;

  int element = -1;                                ///< index into Model::elements(): an actuator
  ScalarMotionPtr force;                           ///< of time; null: none
  std::shared_ptr<const VariableFormula> formula;  ///< of channels, added; null: none
  Law law;                                         ///< added; empty: none
  /// The actuator delivers the effort that a continuous controller asks of this speed, which then
  /// has no effort of its own; -1: of none. Trees only.
  int delivers = -1;

  /// Adds nothing to the efforts: the run sets the force in its own copy of the robot.
  void control(const ControlState& state, const double* z, Eigen::VectorXd& tau,
               double* dz) const override;
  std::string name() const override { return "input"; }
};

/// Index of an actuator among Model::elements(); InputError naming the nearest known one.
ULNA_API int element_named(const Model& model, const std::string& name);

}  // namespace ulna
