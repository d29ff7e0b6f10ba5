#include "robot_handle.hpp"

#include <fmt/format.h>

#include "ulna/dynamics/batch.hpp"
#include "ulna/formats/run_directory.hpp"

namespace ulna::python {

ActuatorInputs inputs_of(const Model& model) {
  ActuatorInputs inputs;
  for (const Element& e : model.elements())
    if (e.input && !e.formula && e.force != 0) inputs.forces[e.name] = e.force;
  if (model.has_timed_elements()) inputs.time = model.elements().front().time;
  return inputs;
}

void set_inputs(Model& model, const ActuatorInputs& inputs) {
  for (const auto& [name, force] : inputs.forces)
    model.set_actuator_force(model.actuator(name), force);
  model.set_time(inputs.time);
}

RobotHandle::RobotHandle(std::shared_ptr<const Model> frozen, ImportReport read)
    : model(std::move(frozen)),
      report(std::move(read)),
      zeros_(Eigen::VectorXd::Zero(model->coordinates() + 1)),
      takes_packs_(computed_in_batches(*model)) {
  for (const Joint& joint : model->joints())
    if (joint.coordinates > joint.speeds) quaternions_.push_back(joint.q);
  int index = 0;
  for (const Frame& frame : model->frames()) frames_.emplace(frame.name, index++);
}

const std::string& RobotHandle::content() const {
  if (!content_.empty()) return content_;
  std::string text = model_hash(model->robot());
  const ActuatorInputs inputs = inputs_of(*model);
  if (inputs.time != 0) text += fmt::format(" t={}", inputs.time);
  for (const auto& [name, force] : inputs.forces) text += fmt::format(" {}={}", name, force);
  return content_ = std::move(text);
}

std::unique_ptr<Context> RobotHandle::fresh() {
  shelf_.reserve(64);  // so that putting back does not throw
  return std::make_unique<Context>(*model);
}

}  // namespace ulna::python
