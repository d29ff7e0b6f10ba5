// Forces of contacts and nonholonomic rows under the contact states they have, and the changes of
// coordinates and speeds that undo their drift: the linear equations of ContactSystem.
// docs/theory/simulation.md, eq. 49, 58.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"

namespace ulna {
namespace {

/// Where normal forces could bear a load as well as friction, as in a wedge, they bear it: friction
/// as large as they are would be more than their contacts allow.
constexpr double little_friction = 1e-2;

}  // namespace

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
    for (int i = 1; i < 3; ++i)
      unknowns_.push_back({t.row + i, nullptr, nullptr, little_friction * t.weight});
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

/// More of force i, with all others answering it, parts its contact. After solve_equations.
bool ContactSystem::parts(Eigen::Index i) {
  const auto n = static_cast<Eigen::Index>(unknowns_.size());
  left_.head(n).setZero();
  left_(i) = 1;
  substitute(regular_, n, left_);
  return left_(i) > 0;
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
    if (!unknowns_[j].slips) continue;
    const bool alone = !(K_(i, i) > 0) && (!solved || unknowns_.size() == 1);
    if (alone || (solved && x_(i) < 0 && !parts(i))) jams_ = unknowns_[j].slips;
  }
  if (!solved || jams_ || !turn_slow_slips(response, a)) return false;
  take_forces();
  add_answers(a);
  return true;
}

/// Each at the point that its section was chosen by, with the moment of the arm from there.
void ContactSystem::put_wrenches(std::span<ExternalWrench> wrenches) const {
  std::size_t k = 0;
  const auto put = [&](int body, const Carrier& side, const Vector3<double>& point,
                       const Vector3<double>& place, const Vector3<double>& force,
                       const Vector3<double>& moment) {
    const Vector3<double> arm = place - carrier_pose(work_, side) * point;
    wrenches[k].body = body;
    wrenches[k].point = point;
    wrenches[k].force = force;
    wrenches[k].moment = moment + arm.cross(force);
    ++k;
  };
  const auto both = [&](const Place& item, const Vector3<double>& moment) {
    const Vector3<double> force = item.world_force(), place = item.at.place;
    put(item.shape.body, item.sides.shape, item.grip, place, force, moment);
    if (item.plane.body != 0)
      put(item.plane.body, item.sides.plane, item.plane.point, place, -force, -moment);
  };
  for (const Touch& t : touches_) both(t, -t.rolling_moment() * t.roll);
  for (const Kept& kept : kept_) both(kept, Vector3<double>::Zero());
}

double ContactSystem::dissipation() const {
  double power = 0;
  for (const Touch& t : touches_) {
    power -= t.force.dot(t.speed);
    if (t.closed() && t.data.rolling_resistance > 0)
      power += t.rolling_moment() * t.roll.dot(spin(t));
  }
  return power;
}

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

}  // namespace ulna
