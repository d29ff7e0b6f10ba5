#include "run/motion_state.hpp"

namespace ulna {

MotionState::MotionState(const Experiment& experiment)
    : controls(experiment),
      layout(*experiment.model, experiment.drives, controls.states()),
      led(led_joints(experiment, *experiment.model)),
      work(*experiment.model),
      q(controls.reference.q),
      v(Eigen::VectorXd::Zero(experiment.model->speeds())),
      a(v),
      tau(v),
      raw_q(q),
      wrenches(controls.wrenches()),
      model_(experiment.model) {}

void MotionState::expand(double time, const double* y) {
  t = time;
  controls.follow(time);
  const Reference& reference = controls.reference;
  layout.take(y, raw_q, v);
  // A locked joint has its start as reference and no motion.
  for (const int k : layout.driven_q) raw_q(k) = reference.q(k);
  for (const int k : layout.driven_v) {
    v(k) = reference.v(k);
    a(k) = reference.a(k);
  }
  q = raw_q;
  for (const int first : layout.quaternions) q.segment<4>(layout.free_q[first]).normalize();
}

void MotionState::apply(const double* y, double* dz) {
  controls.efforts(t, q, v, y + layout.first_z, tau, dz);
  if (controls.wrench_count() > 0) controls.update_wrenches(t, wrenches);
}

}  // namespace ulna
