// The direction of friction where a contact slips slowly: the part of ContactSystem for eq. 63 of
// docs/theory/simulation.md.
//
// Friction turns a slip v_t at the rate kappa / |v_t|, which has no bound where a slip begins or
// fades: explicit steps would become as small as the slip, and a direction kept from the instant of
// slip onset may even point against the slip that follows. So friction acts against where the slip
// is heading: v_t + lag u_t, with u_t the slip acceleration under that very friction. One Newton
// iteration over the angles of all slow contacts, with the linear equations (49) inside.

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"

namespace ulna {
namespace {

Eigen::Vector2d across(const Eigen::Vector2d& s) { return {-s.y(), s.x()}; }

/// 0 up to 0, 1 from 1 on.
double smooth_step(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

}  // namespace

/// Contacts that might need it, with the answers to forces along their tangents.
bool ContactSystem::list_slow_slips(SpeedResponse& response) {
  constexpr double fast = 1e4;  // m/s^2: with more, a slip leaves the slow range at once
  slow_.clear();
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    Touch* const t = unknowns_[j].slips;
    const auto i = static_cast<Eigen::Index>(j);
    if (!t || !(x_(i) > 0) || t->slip_speed() > fast * lag_) continue;
    const auto column = 2 * static_cast<Eigen::Index>(slow_.size());
    for (int k = 0; k < 2; ++k) {
      effort_ = rows_.row(t->row + 1 + k).transpose();
      if (!response.respond(effort_, answer_)) return false;
      tangents_.col(column + k) = answer_;
    }
    slow_.push_back({i, t, t->slip(), Eigen::Vector2d::Zero(), 0});
  }
  return true;
}

/// Slip accelerations, and what turning the friction of contact j does to them, across the slip of
/// contact k.
void ContactSystem::find_sensitivity(const Eigen::VectorXd& a) {
  const auto n = static_cast<Eigen::Index>(unknowns_.size());
  answer_ = a;
  add_answers(answer_);
  for (SlowSlip& slow : slow_) {
    const int row = slow.touch->row + 1;
    slow.acceleration = rows_.middleRows<2>(row) * answer_ + bias_.segment<2>(row);
  }
  for (std::size_t j = 0; j < slow_.size(); ++j) {
    const SlowSlip& slow = slow_[j];
    const Eigen::Vector2d turn =
        -slow.touch->sliding_friction() * x_(slow.unknown) * across(slow.touch->now);
    const auto column = 2 * static_cast<Eigen::Index>(j);
    answer_.noalias() = tangents_.middleCols<2>(column) * turn;
    for (Eigen::Index i = 0; i < n; ++i)
      left_(i) = -rows_.row(unknowns_[static_cast<std::size_t>(i)].row).dot(answer_);
    substitute(regular_, n, left_);
    for (Eigen::Index i = 0; i < n; ++i) answer_ += left_(i) * W_.col(i);
    for (std::size_t k = 0; k < slow_.size(); ++k) {
      const Touch& t = *slow_[k].touch;
      const Eigen::Vector2d change = rows_.middleRows<2>(t.row + 1) * answer_;
      sensitivity_(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) =
          cross(t.now, change);
    }
  }
}

/// All of the lag where the slip is slow against what friction changes within it; none for faster
/// slips, and where one is about to stop or to turn back.
void ContactSystem::choose_lags() {
  for (std::size_t k = 0; k < slow_.size(); ++k) {
    SlowSlip& slow = slow_[k];
    const auto i = static_cast<Eigen::Index>(k);
    const double kappa = -sensitivity_(i, i), along = slow.touch->now.dot(slow.acceleration);
    slow.touch->braking = std::max(kappa, 0.0);
    if (!(kappa > 0)) continue;
    const double speed = slow.slip.norm() / (3 * kappa * lag_);
    if (speed < 30) slow.lag = lag_ * smooth_step(1 + 2 * along / kappa) / (1 + std::pow(speed, 4));
    slow.touch->turned = slow.lag > 0;
  }
}

/// Friction of slow contact k against `direction` from now on.
bool ContactSystem::take_direction(std::size_t k, const Eigen::Vector2d& direction) {
  SlowSlip& slow = slow_[k];
  const Eigen::Vector2d change = slow.touch->sliding_friction() * (slow.touch->now - direction);
  slow.touch->now = direction;
  W_.col(slow.unknown) += tangents_.middleCols<2>(2 * static_cast<Eigen::Index>(k)) * change;
  for (std::size_t i = 0; i < unknowns_.size(); ++i)
    K_(static_cast<Eigen::Index>(i), slow.unknown) =
        rows_.row(unknowns_[i].row).dot(W_.col(slow.unknown));
  return direction.allFinite();
}

/// One step of Newton's method for cross(s, slip + lag u(s)) = 0; `left`: the largest turn in it.
bool ContactSystem::turn_once(double& left) {
  const auto m = static_cast<Eigen::Index>(slow_.size());
  for (Eigen::Index k = 0; k < m; ++k) {
    const SlowSlip& slow = slow_[static_cast<std::size_t>(k)];
    const Eigen::Vector2d heading = slow.slip + slow.lag * slow.acceleration;
    turns_(k) = -cross(slow.touch->now, heading);
    for (Eigen::Index j = 0; j < m; ++j) turn_system_(k, j) = slow.lag * sensitivity_(k, j);
    turn_system_(k, k) -= slow.touch->now.dot(heading);
    if (!(turn_system_(k, k) < 0)) return false;
  }
  factor(turn_system_, m);
  substitute(turn_system_, m, turns_);
  left = turns_.head(m).cwiseAbs().maxCoeff();
  const double share = left > 0.3 ? 0.3 / left : 1;
  for (Eigen::Index k = 0; k < m; ++k) {
    const double turn = share * turns_(k);
    const Eigen::Vector2d s = slow_[static_cast<std::size_t>(k)].touch->now;
    if (!take_direction(static_cast<std::size_t>(k),
                        std::cos(turn) * s + std::sin(turn) * across(s)))
      return false;
  }
  return true;
}

bool ContactSystem::turn_slow_slips(SpeedResponse& response, const Eigen::VectorXd& a) {
  constexpr double small = 1e-9;  // the step after it would be its square
  for (Touch& t : touches_) t.turned = false, t.braking = 0;
  if (!list_slow_slips(response)) return false;
  if (slow_.empty()) return true;
  find_sensitivity(a);
  choose_lags();
  if (std::none_of(slow_.begin(), slow_.end(), [](const SlowSlip& s) { return s.lag > 0; }))
    return true;
  for (int round = 0; round < 20; ++round) {
    double left = 0;
    if (!turn_once(left) || !solve_equations()) break;
    if (left <= small) return true;
    find_sensitivity(a);
  }
  // No such direction: that of the slip itself.
  for (std::size_t k = 0; k < slow_.size(); ++k) {
    slow_[k].touch->turned = false;
    take_direction(k, slow_[k].slip.normalized());
  }
  return solve_equations();
}

}  // namespace ulna
