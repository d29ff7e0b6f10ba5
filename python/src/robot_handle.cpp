#include "robot_handle.hpp"

#include "ulna/dynamics/batch.hpp"

#include "ulna/formats/run_directory.hpp"

namespace ulna::python {

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
  if (content_.empty()) content_ = model_hash(model->robot());
  return content_;
}

std::unique_ptr<Context> RobotHandle::fresh() {
  shelf_.reserve(64);  // so that putting back does not throw
  return std::make_unique<Context>(*model);
}

}  // namespace ulna::python
