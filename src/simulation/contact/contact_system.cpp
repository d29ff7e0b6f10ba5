#include "contact/contact_system.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

/// Guards are passed when they are below zero by more than rounding in what they compare.
constexpr double slip_slack = 1e-11, force_slack = 2e-9;

/// Slip, m/s, below which friction keeps the direction of its state.
constexpr double slow = 1e-7;

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
  if (state != ContactState::slips || !(along > 0)) return slow * direction;
  const double moves = along * along / (along * along + slow * slow);
  return moves * (v - along * direction) + (along + (1 - moves) * slow) * direction;
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
    point_rows(model_, work_, q, item.shape.body, item.plane.body, item.at, item.count, rows,
               bias_.segment(item.row, item.count));
    for (int k = 0; k < item.count; ++k) item.speed(k) = rows.row(k).dot(v);
  };
  for (Touch& t : touches_) {
    if (t.flat) t.at = touch(model_, work_, t.shape, t.plane, t.axes);
    if (!t.enabled || (!all && !t.closed())) continue;
    t.at = touch(model_, work_, t.shape, t.plane, t.axes);
    put_rows(t);
    if (t.data.rolling_resistance > 0) find_roll(q, t);
  }
  for (Kept& k : kept_) {
    k.at =
        k.rolls() ? touch(model_, work_, k.shape, k.plane, k.axes) : blade(model_, work_, k.data);
    put_rows(k);
  }
}

/// Eq. 79: the angular velocity of one body against the other in the plane of contact, by its size;
/// less than 1 where that is small, so that rolling ends smoothly.
void ContactSystem::find_roll(const VectorRef& q, Touch& t) {
  const Vector3<double> n = t.at.directions.col(0);
  Vector3<double> w = frame_velocity(model_, work_, t.shape.body).angular -
                      frame_velocity(model_, work_, t.plane.body).angular;
  w -= n * n.dot(w);
  const double slow = t.data.rest_speed / std::max(t.shape.radius, 1e-3);
  t.roll = w / std::sqrt(w.squaredNorm() + slow * slow);
  t.roll_row = angular_row(model_, work_, q, t.shape.body, t.plane.body, t.roll);
}

// ---- forces
// ---------------------------------------------------------------------------------------

void ContactSystem::list_unknowns(Which which) {
  unknowns_.clear();
  for (const Kept& k : kept_)
    for (int i = 0; i < (which == Which::gaps ? int(k.rolls()) : k.count); ++i)
      unknowns_.push_back({k.row + i, nullptr, nullptr, 1});
  for (Touch& t : touches_) {
    if (!t.closed()) continue;
    const bool rubs =
        which == Which::forces && t.state == ContactState::slips && t.data.friction > 0;
    const bool rolls = which == Which::forces && t.data.rolling_resistance > 0;
    unknowns_.push_back({t.row, rubs ? &t : nullptr, rolls ? &t : nullptr, 1});
    if (which == Which::gaps ||
        !(t.state == ContactState::sticks || (which == Which::speeds && t.from_rest)))
      continue;
    for (int i = 1; i < 3; ++i) unknowns_.push_back({t.row + i, nullptr, nullptr, t.weight});
  }
}

/// K = C W with W the answers to unit forces, a slipping contact's friction going with its normal
/// force (eq. 49).
bool ContactSystem::assemble(SpeedResponse& response) {
  const auto n = static_cast<Eigen::Index>(unknowns_.size());
  for (Eigen::Index j = 0; j < n; ++j) {
    const Unknown& unknown = unknowns_[static_cast<std::size_t>(j)];
    effort_ = rows_.row(unknown.row).transpose();
    if (const Touch* const t = unknown.slips) {
      const Eigen::Vector2d drag = t->sliding_friction() * t->now;
      for (int i = 0; i < 2; ++i) effort_ -= drag(i) * rows_.row(t->row + 1 + i).transpose();
    }
    if (const Touch* const t = unknown.rolls) effort_ -= t->data.rolling_resistance * t->roll_row;
    if (!response.respond(effort_, answer_)) return false;
    W_.col(j) = answer_;
    for (Eigen::Index i = 0; i < n; ++i)
      K_(i, j) = rows_.row(unknowns_[static_cast<std::size_t>(i)].row).dot(answer_);
  }
  return true;
}

/// K x = right; of many solutions that with the least weighted squares, by proximal iterations:
/// a little is added to the diagonal, and what that falsifies is removed again.
bool ContactSystem::solve_equations() {
  const auto n = static_cast<Eigen::Index>(unknowns_.size());
  x_.setZero();
  if (n == 0) return true;
  const auto K = K_.topLeftCorner(n, n);
  const double largest = K.diagonal().maxCoeff(), size = right_.head(n).cwiseAbs().maxCoeff();
  if (size == 0) return true;
  if (!(largest > 0) || !std::isfinite(size)) return false;
  regular_.topLeftCorner(n, n) = K;
  for (Eigen::Index i = 0; i < n; ++i)
    regular_(i, i) += 1e-6 * largest / unknowns_[static_cast<std::size_t>(i)].weight;
  factor(regular_, n);
  double missing = INFINITY;
  for (int round = 0; round < 100; ++round) {
    left_.head(n) = right_.head(n);
    left_.head(n).noalias() -= K * x_.head(n);
    const double before = missing;
    missing = left_.head(n).cwiseAbs().maxCoeff();
    if (missing <= 1e-15 * size || !(missing < 0.99 * before)) break;
    substitute(regular_, n, left_);
    x_.head(n) += left_.head(n);
  }
  return x_.allFinite() && missing <= 1e-7 * size;
}

/// Gauss with pivots by column, in place: the sizes change from step to step, and Eigen's factors
/// would take memory for that.
void ContactSystem::factor(Eigen::MatrixXd& A, Eigen::Index n) {
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    pivots_[static_cast<std::size_t>(k)] = pivot;
    for (Eigen::Index j = 0; j < n; ++j) std::swap(A(k, j), A(pivot, j));
    for (Eigen::Index i = k + 1; i < n; ++i) {
      A(i, k) /= A(k, k);
      for (Eigen::Index j = k + 1; j < n; ++j) A(i, j) -= A(i, k) * A(k, j);
    }
  }
}

/// x becomes the solution; A as `factor` left it.
void ContactSystem::substitute(const Eigen::MatrixXd& A, Eigen::Index n, Eigen::VectorXd& x) {
  for (Eigen::Index k = 0; k < n; ++k) std::swap(x(k), x(pivots_[static_cast<std::size_t>(k)]));
  for (Eigen::Index k = 0; k < n; ++k)
    for (Eigen::Index i = k + 1; i < n; ++i) x(i) -= A(i, k) * x(k);
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    x(k) /= A(k, k);
    for (Eigen::Index i = 0; i < k; ++i) x(i) -= A(i, k) * x(k);
  }
}

void ContactSystem::take_forces() {
  for (Touch& t : touches_) t.force.setZero();
  for (Kept& k : kept_) k.force.setZero();
  force_size_ = least_force_;
  const auto n = static_cast<Eigen::Index>(unknowns_.size());
  // Rows that nothing answers but rounding, as those across a plane mechanism, say nothing of it.
  const double answers = n > 0 ? 1e-12 * K_.diagonal().head(n).maxCoeff() : 0;
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    const int row = unknowns_[j].row;
    if (K_(i, i) > answers) force_size_ = std::max(force_size_, std::abs(right_(i)) / K_(i, i));
    const auto put = [&](Place& item) {
      if (row >= item.row && row < item.row + item.count) item.force(row - item.row) = x_(i);
    };
    for (Touch& t : touches_) put(t);
    for (Kept& k : kept_) put(k);
  }
  for (Touch& t : touches_)
    if (t.state == ContactState::slips)
      t.force.tail<2>() = -t.sliding_friction() * t.force(0) * t.now;
}

void ContactSystem::add_answers(Eigen::VectorXd& to) const {
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    to += x_(i) * W_.col(i);
  }
}

bool ContactSystem::add_forces(SpeedResponse& response, Eigen::VectorXd& a) {
  for (Touch& t : touches_) t.now = t.slip().normalized();
  list_unknowns(Which::forces);
  if (!assemble(response)) return false;
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const int row = unknowns_[j].row;
    right_(static_cast<Eigen::Index>(j)) = -(rows_.row(row).dot(a) + bias_(row));
  }
  // More force on a sliding contact must part it, or its friction jams (Painleve).
  const bool solved = solve_equations();
  jams_ = nullptr;
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    if (unknowns_[j].slips && !(K_(i, i) > 0) && (!solved || unknowns_.size() == 1))
      jams_ = unknowns_[j].slips;
  }
  if (!solved || jams_ || !turn_slow_slips(response, a)) return false;
  take_forces();
  add_answers(a);
  return true;
}

void ContactSystem::put_wrenches(std::span<ExternalWrench> wrenches) const {
  std::size_t k = 0;
  const auto put = [&](int body, const Vector3<double>& place, const Vector3<double>& force,
                       const Vector3<double>& moment) {
    const Pose<double> X_WB = frame_pose(model_, work_, body);
    wrenches[k].body = body;
    wrenches[k].point = X_WB.rotation.transpose() * (place - X_WB.position);
    wrenches[k].force = force;
    wrenches[k].moment = moment;
    ++k;
  };
  const auto both = [&](const Place& item, const Vector3<double>& moment) {
    const Vector3<double> force = item.world_force();
    put(item.shape.body, item.at.place, force, moment);
    if (item.plane.body != 0) put(item.plane.body, item.at.place, -force, -moment);
  };
  for (const Touch& t : touches_) both(t, -t.rolling_moment() * t.roll);
  for (const Kept& kept : kept_) both(kept, Vector3<double>::Zero());
}

double ContactSystem::dissipation() const {
  double power = 0;
  for (const Touch& t : touches_) {
    power -= t.force.dot(t.speed);
    if (t.closed() && t.data.rolling_resistance > 0)
      power += t.rolling_moment() * t.roll.dot(frame_velocity(model_, work_, t.shape.body).angular -
                                               frame_velocity(model_, work_, t.plane.body).angular);
  }
  return power;
}

// ---- drift
// ----------------------------------------------------------------------------------------

double ContactSystem::gap_error() const {
  double worst = 0;
  for (const Touch& t : touches_)
    if (t.closed()) worst = std::max(worst, std::abs(t.at.gap - t.reference));
  for (const Kept& k : kept_)
    if (k.rolls()) worst = std::max(worst, std::abs(k.at.gap - k.reference));
  return worst;
}

double ContactSystem::speed_error() const {
  double worst = 0;
  for (const Touch& t : touches_) {
    if (!t.closed()) continue;
    const Eigen::Index count = t.state == ContactState::sticks || t.from_rest ? 3 : 1;
    worst = std::max(worst, t.speed.head(count).cwiseAbs().maxCoeff());
  }
  for (const Kept& k : kept_) worst = std::max(worst, k.speed.head(k.count).cwiseAbs().maxCoeff());
  return worst;
}

bool ContactSystem::mend_gaps(SpeedResponse& response, Eigen::VectorXd& change) {
  list_unknowns(Which::gaps);
  if (!assemble(response)) return false;
  Eigen::Index j = 0;
  for (const Kept& k : kept_)
    if (k.rolls()) right_(j++) = k.reference - k.at.gap;
  for (const Touch& t : touches_)
    if (t.closed()) right_(j++) = t.reference - t.at.gap;
  const bool solved = solve_equations();
  change.setZero();
  add_answers(change);
  return solved;
}

bool ContactSystem::mend_speeds(SpeedResponse& response, Eigen::VectorXd& change) {
  list_unknowns(Which::speeds);
  if (!assemble(response)) return false;
  Eigen::Index j = 0;
  const auto put = [&](const Place& item, int count) {
    for (int i = 0; i < count; ++i) right_(j++) = -item.speed(i);
  };
  for (const Kept& k : kept_) put(k, k.count);
  for (const Touch& t : touches_)
    if (t.closed()) put(t, t.state == ContactState::sticks || t.from_rest ? 3 : 1);
  const bool solved = solve_equations();
  change.setZero();
  add_answers(change);
  return solved;
}

// ---- events
// ---------------------------------------------------------------------------------------

double ContactSystem::gap_slack() const { return 1e-12 * (1 + model_.length_scale()); }

/// Nearly the slack is added: a body that rocks from edge to edge by less than the slack would fall
/// through it each time, gain speed and sink.
double ContactSystem::opened_at(double gap) const {
  return std::min(0.0, gap + 0.99 * gap_slack());
}

double ContactSystem::guard() const {
  double least = 1;
  for (const Touch& t : touches_) {
    if (t.flat) least = std::min(least, 2 * nearly_flat - t.at.tilt);
    if (!t.enabled) continue;
    if (t.closed() && t.shape.disc()) least = std::min(least, t.at.tilt - nearly_flat);
    switch (t.state) {
      case ContactState::open:
        least = std::min(least, t.at.gap - t.reference + gap_slack());
        break;
      case ContactState::sticks:
        least = std::min(
            {least, t.force(0) / force_size_ + force_slack,
             (t.data.coefficient_at_rest() * t.force(0) - t.force.tail<2>().norm()) / force_size_ +
                 force_slack});
        break;
      case ContactState::slips:
        least = std::min(least, t.force(0) / force_size_ + force_slack);
        if (t.data.friction > 0)
          least = std::min(least, t.speed.tail<2>().dot(t.direction) + slip_slack);
        break;
    }
  }
  return least;
}

void ContactSystem::accept() {
  for (Touch& t : touches_) {
    if (!t.enabled) continue;
    if (!t.closed()) t.reference = std::max(t.reference, opened_at(t.at.gap));
    if (t.state == ContactState::slips && (t.turned || t.slip_speed() > 100 * slow))
      t.direction = t.now;
    t.last_gap = t.at.gap;
    t.last_rate = t.speed(0);
  }
}

double ContactSystem::dip(double h) const {
  double first = 0;
  for (const Touch& t : touches_) {
    // It fell at the beginning and rises at the end.
    if (!t.enabled || t.closed() || !(t.last_rate < 0) || !(t.speed(0) > 0) || !(h > 0)) continue;
    // The cubic through both ends with their rates, in s from 0 to 1.
    const double a = t.last_gap, b = h * t.last_rate, d = t.at.gap - a, e = h * t.speed(0);
    const double c2 = 3 * d - 2 * b - e, c3 = b + e - 2 * d;
    const double root = c2 * c2 - 3 * c3 * b;
    if (!(root >= 0)) continue;
    const double s = -b / (c2 + std::sqrt(root));  // where its slope vanishes, going up
    if (!(s > 0 && s < 1)) continue;
    if (a + s * (b + s * (c2 + s * c3)) > t.reference) continue;
    if (first == 0 || s * h < first) first = s * h;
  }
  return first;
}

}  // namespace ulna
