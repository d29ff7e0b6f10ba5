#include "robot_handle.hpp"

namespace ulna::python {

RobotHandle::RobotHandle(std::shared_ptr<const Model> frozen, ImportReport read)
    : model(std::move(frozen)),
      report(std::move(read)),
      zeros_(Eigen::VectorXd::Zero(model->coordinates() + 1)),
      has_loops_(!model->loops().empty()),
      takes_packs_(!has_loops_ && !model->flexible()) {
  for (const Joint& joint : model->joints())
    if (joint.coordinates > joint.speeds) quaternions_.push_back(joint.q);
  int index = 0;
  for (const Frame& frame : model->frames()) frames_.emplace(frame.name, index++);
}

std::unique_ptr<Context> RobotHandle::fresh() {
  shelf_.reserve(64);  // so that putting back does not throw
  return std::make_unique<Context>(*model);
}

}  // namespace ulna::python
