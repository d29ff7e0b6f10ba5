#include "contact/contact_system.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

/// How far ahead friction looks for the direction of a slow slip (eq. 63): so little that it stays
/// below the errors of the integrator, and not less than its steps can follow.
double lag_for(const IntegratorOptions& integrator) {
  if (integrator.fixed_step()) return std::max(1e-5, 0.5 * integrator.step);
  return std::clamp(0.1 * std::sqrt(integrator.tolerances.relative), 1e-8, 1e-4);
}

}  // namespace

/// Eq. 62: along the direction of the slip. At rest, and where a trial goes past it, that of the
/// contact state; in between it turns smoothly, or the error of a step would not see it.
Eigen::Vector2d ContactSystem::Touch::slip() const {
  const Eigen::Vector2d v = speed.tail<2>();
  const double along = v.dot(direction);
  if (state != ContactState::slips || !(along > 0)) return slow_slip * direction;
  const double moves = along * along / (along * along + slow_slip * slow_slip);
  return moves * (v - along * direction) + (along + (1 - moves) * slow_slip) * direction;
}

double ContactSystem::Touch::sliding_friction() const {
  const double more = data.coefficient_at_rest() - data.friction;
  if (!(more > 0) || !(data.stribeck_speed > 0)) return data.friction;
  const double x = slip_speed() / data.stribeck_speed;
  return data.friction + more * std::exp(-x * x);
}

/// An impact is located to 1e-10 s.
bool ContactSystem::Touch::touches() const {
  if (!enabled) return false;
  return closed() || at.gap <= std::max(reference, 0.0) + 1e-10 + 2e-10 * std::abs(speed(0));
}

ContactSystem::ContactSystem(const Experiment& experiment, const Model& model)
    : model_(model), work_(model), lag_(lag_for(experiment.integrator)) {
  int row = 0;
  const auto place = [&](auto& item) {
    item.shape = item.data.shape;
    item.plane = item.data.plane;
    item.sides = Sides(model, item.data.shape, item.plane);
    item.grip = item.data.shape.point;
    item.axes = frame_on(item.plane.normal);
    item.row = row;
    row += item.count;
    wrench_count_ += item.plane.body == 0 ? 1 : 2;
  };
  for (const Contact& contact : experiment.contacts) {
    Touch touch;
    touch.data = contact;
    place(touch);
    touches_.push_back(touch);
  }
  contact_count_ = touches_.size();
  for (std::size_t k = 0; k < contact_count_; ++k)
    for (int i = 0; i < support_points && touches_[k].shape.disc(); ++i) {
      Touch point = touches_[k];
      point.disc = static_cast<int>(k);
      point.enabled = false;
      point.data.shape.radius = point.data.rolling_resistance = 0;
      point.data.shape.axis.setZero();
      place(point);
      touches_.push_back(point);
    }
  for (const NonholonomicConstraint& constraint : experiment.nonholonomic) {
    Kept kept;
    kept.data = constraint;
    kept.count = kept.rolls() ? 3 : static_cast<int>(constraint.directions.size());
    place(kept);
    kept_.push_back(kept);
  }
  rows_ = Eigen::MatrixXd::Zero(row, model.speeds());
  bias_ = Eigen::VectorXd::Zero(row);
  effort_ = answer_ = Eigen::VectorXd::Zero(model.speeds());
  W_ = Eigen::MatrixXd::Zero(model.speeds(), row);
  K_ = regular_ = Eigen::MatrixXd::Zero(row, row);
  right_ = x_ = left_ = Eigen::VectorXd::Zero(row);
  pivots_.resize(static_cast<std::size_t>(row));
  unknowns_.reserve(static_cast<std::size_t>(row));
  const auto count = static_cast<Eigen::Index>(touches_.size());
  slow_.reserve(touches_.size());
  tangents_ = Eigen::MatrixXd::Zero(model.speeds(), 2 * count);
  sensitivity_ = turn_system_ = Eigen::MatrixXd::Zero(count, count);
  turns_ = Eigen::VectorXd::Zero(count);
  const Vector3<double> g(model.robot().gravity);
  least_force_ = 1e-9 * model.mass() * (1 + g.norm());
}

bool ContactSystem::active() const {
  return !kept_.empty() ||
         std::any_of(touches_.begin(), touches_.end(), [](const Touch& t) { return t.closed(); });
}

void ContactSystem::update(const VectorRef& q, const VectorRef& v, bool all) {
  update_motions(model_, work_, q, v, work_.zero());
  const auto put_rows = [&](Place& item) {
    auto rows = rows_.middleRows(item.row, item.count);
    point_rows(model_, work_, q, item.sides, item.at, item.count, rows,
               bias_.segment(item.row, item.count));
    for (int k = 0; k < item.count; ++k) item.speed(k) = rows.row(k).dot(v);
  };
  for (Touch& t : touches_) {
    if (t.flat) t.at = touch(work_, t.sides, t.shape, t.plane, t.axes);
    if (!t.enabled || (!all && !t.closed())) continue;
    t.at = touch(work_, t.sides, t.shape, t.plane, t.axes);
    put_rows(t);
    if (t.data.rolling_resistance > 0) find_roll(q, t);
  }
  for (Kept& k : kept_) {
    k.at =
        k.rolls() ? touch(work_, k.sides, k.shape, k.plane, k.axes) : blade(work_, k.sides, k.data);
    put_rows(k);
  }
}

Vector3<double> ContactSystem::spin(const Touch& t) const {
  return carrier_velocity(work_, t.sides.shape).angular -
         carrier_velocity(work_, t.sides.plane).angular;
}

/// Eq. 79: the angular velocity of one body against the other in the plane of contact, by its size;
/// less than 1 where that is small, so that rolling ends smoothly.
void ContactSystem::find_roll(const VectorRef& q, Touch& t) {
  const Vector3<double> n = t.at.directions.col(0);
  Vector3<double> w = spin(t);
  w -= n * n.dot(w);
  const double slow = t.data.rest_speed / std::max(t.shape.radius, 1e-3);
  t.roll = w / std::sqrt(w.squaredNorm() + slow * slow);
  t.roll_row = angular_row(model_, work_, q, t.sides, t.roll);
}

}  // namespace ulna
