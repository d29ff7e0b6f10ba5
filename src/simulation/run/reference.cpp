#include "ulna/simulation/internal/reference.hpp"

#include <cmath>

#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

/// Roll, pitch, yaw (fixed axes x, y, z) as quaternion, angular velocity in the moving axes and its
/// rate (eq. 8).
void turn(const MotionValue& roll, const MotionValue& pitch, const MotionValue& yaw,
          Quaternion<double>& q, Vector3<double>& w, Vector3<double>& dw) {
  const auto half = [](double angle, int axis) {
    Quaternion<double> x = Quaternion<double>::Zero();
    x(0) = std::cos(angle / 2);
    x(axis) = std::sin(angle / 2);
    return x;
  };
  q = quaternion_product(quaternion_product(half(yaw.value, 3), half(pitch.value, 2)),
                         half(roll.value, 1));
  const double sf = std::sin(roll.value), cf = std::cos(roll.value);
  const double st = std::sin(pitch.value), ct = std::cos(pitch.value);
  const double f = roll.rate, p = pitch.rate, y = yaw.rate;
  w = {f - y * st, p * cf + y * sf * ct, -p * sf + y * cf * ct};
  const double ddf = roll.acceleration, ddp = pitch.acceleration, ddy = yaw.acceleration;
  dw = {ddf - ddy * st - y * p * ct,
        ddp * cf - p * f * sf + ddy * sf * ct + y * (f * cf * ct - p * sf * st),
        -ddp * sf - p * f * cf + ddy * cf * ct - y * (f * sf * ct + p * cf * st)};
}

}  // namespace

Reference::Reference(const Experiment& experiment)
    : q(experiment.q.size() > 0 ? experiment.model->normalized(experiment.q)
                                : experiment.model->neutral()),
      v(Eigen::VectorXd::Zero(experiment.model->speeds())),
      a(Eigen::VectorXd::Zero(experiment.model->speeds())),
      model_(experiment.model),
      modes_(experiment.modal_motions),
      target_(experiment.target) {
  q.tail(model_->modes()).setZero();
  for (std::size_t j = 0; j < experiment.drives.size(); ++j)
    if (leads(experiment.drives[j]))
      joints_.push_back({&model_->joints()[j], experiment.drives[j].motion, quaternion_of(j)});
}

const TangentBlock* Reference::quaternion_of(std::size_t joint) const {
  for (const TangentBlock& block : model_->blocks())
    if (block.joint == static_cast<int>(joint)) return &block;
  return nullptr;
}

Eigen::VectorXd Reference::target(double t) const {
  Eigen::VectorXd out = q.head(model_->joint_coordinates());
  for (std::size_t k = 0; k < target_.size(); ++k)
    if (const int at = model_->coordinate_of_speed()[k]; at >= 0) out(at) = target_[k]->at(t).value;
  return out;
}

void Reference::update(double t) {
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const MotionValue x = modes_[k]->at(t);
    q(model_->joint_coordinates() + static_cast<long>(k)) = x.value;
    v(model_->joint_speeds() + static_cast<long>(k)) = x.rate;
    a(model_->joint_speeds() + static_cast<long>(k)) = x.acceleration;
  }
  for (const Item& item : joints_) {
    const Joint& joint = *item.joint;
    const std::vector<ScalarMotionPtr>& motion = item.motion;
    for (int k = 0; k < joint.speeds; ++k) {
      const int coordinate = model_->coordinate_of_speed()[joint.v + k];
      if (coordinate < 0) continue;
      const MotionValue x = motion[k]->at(t);
      q(coordinate) = x.value;
      v(joint.v + k) = x.rate;
      a(joint.v + k) = x.acceleration;
    }
    if (!item.quaternion) continue;
    const TangentBlock& block = *item.quaternion;
    const ScalarMotionPtr* const own = motion.data() + (block.v - joint.v);
    Quaternion<double> quaternion;
    Vector3<double> w, dw;
    turn(own[0]->at(t), own[1]->at(t), own[2]->at(t), quaternion, w, dw);
    q.segment<4>(block.q) = quaternion;
    v.segment<3>(block.v) = w;
    a.segment<3>(block.v) = dw;
    if (block.kind != TangentBlock::Kind::free) continue;
    Vector3<double> rate, acceleration;
    for (int k = 0; k < 3; ++k) {
      const MotionValue x = own[3 + k]->at(t);
      q(block.q + 4 + k) = x.value;
      rate(k) = x.rate;
      acceleration(k) = x.acceleration;
    }
    // The twist in the moving axes, and the rate of its components (eq. 9).
    const Matrix3<double> R = rotation_from_quaternion(quaternion);
    const Vector3<double> u = R.transpose() * rate;
    v.segment<3>(block.v + 3) = u;
    a.segment<3>(block.v + 3) = R.transpose() * acceleration - w.cross(u);
  }
}

void Reference::error_from(const Eigen::VectorXd& from, Eigen::VectorXd& error) const {
  for (const TangentBlock& block : model_->blocks()) {
    if (block.kind == TangentBlock::Kind::line) {
      error.segment(block.v, block.speeds) =
          q.segment(block.q, block.speeds) - from.segment(block.q, block.speeds);
      continue;
    }
    const Quaternion<double> here = from.segment<4>(block.q), there = q.segment<4>(block.q);
    error.segment<3>(block.v) =
        log_quaternion(quaternion_product(quaternion_conjugate(here), there));
    if (block.kind == TangentBlock::Kind::free)
      error.segment<3>(block.v + 3) = rotation_from_quaternion(here).transpose() *
                                      (q.segment<3>(block.q + 4) - from.segment<3>(block.q + 4));
  }
  if (modes_.empty())
    error.tail(model_->modes()).setZero();  // nothing leads the modes
  else
    error.tail(model_->modes()) = q.tail(model_->modes()) - from.tail(model_->modes());
}

}  // namespace ulna
