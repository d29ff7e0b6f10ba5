// Which contacts open, stick or slip from here: the part of ContactSystem for events.
// docs/theory/simulation.md, eq. 50-52.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contact/contact_system.hpp"

namespace ulna {
namespace {

/// At rest, within the precision to which that instant is known.
bool rests(const Eigen::Vector2d& speed, double acceleration) {
  return speed.norm() <= 1e-9 + 1e-9 * acceleration;
}

/// Its slip has turned by a right angle, and its friction would end what is left at once: that is
/// no slip any more, or it would turn from event to event without end.
bool fades(const ContactSystem::Touch& t) {
  constexpr double at_once = 1e-8;  // s
  if (t.slip_speed() > std::max(ContactSystem::slow_slip, at_once * t.braking)) return false;
  return t.from_rest || (t.state == ContactState::slips && t.speed.tail<2>().dot(t.direction) < 0);
}

/// All rows in one system: answers W, D = C W, and u0.
struct Rows {
  Eigen::MatrixXd C, W, D;
  Eigen::VectorXd u;
};

}  // namespace

/// No force pulls, and no friction is more than its contact allows.
bool ContactSystem::feasible() const {
  return std::all_of(touches_.begin(), touches_.end(), [&](const Touch& t) {
    if (!t.closed()) return true;
    if (t.force(0) < -force_size_ * 1e-9) return false;
    return t.state != ContactState::sticks ||
           t.force.tail<2>().norm() <=
               t.data.coefficient_at_rest() * t.force(0) + force_size_ * 1e-9;
  });
}

/// Where several contacts could take a friction, they take it by their normal forces.
void ContactSystem::share_friction() {
  double largest = 0;
  for (const Touch& t : touches_)
    if (t.closed()) largest = std::max(largest, t.data.friction * t.force(0));
  for (Touch& t : touches_)
    t.weight = largest > 0 ? std::max(t.data.friction * t.force(0) / largest, 1e-3) : 1;
}

bool ContactSystem::solve_chosen(SpeedResponse& response, const Eigen::VectorXd& a) {
  for (Touch& t : touches_) t.weight = 1;
  Eigen::VectorXd with = a;
  if (!add_forces(response, with)) return false;
  share_friction();
  with = a;
  return add_forces(response, with);
}

bool ContactSystem::try_all_closed(SpeedResponse& response, const Eigen::VectorXd& a) {
  return solve_chosen(response, a) && feasible();
}

void ContactSystem::classify(const std::vector<Touch*>& candidates,
                             const std::vector<ConeContact>& cones, const Eigen::VectorXd& x,
                             const Eigen::VectorXd& u) {
  const double size = std::max(x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0, least_force_);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    Touch& t = *candidates[k];
    const int n = cones[k].row;
    if (x(n) <= 1e-9 * size) {
      t.state = ContactState::open;
      t.reference = opened_at(t.at.gap);
      continue;
    }
    if (cones[k].slides || t.data.friction == 0) {
      t.state = ContactState::slips;
      continue;
    }
    const Eigen::Vector2d rub = x.segment<2>(n + 1), moves = u.segment<2>(n + 1);
    const bool at_edge = rub.norm() >= (1 - 1e-8) * cones[k].friction * x(n);
    t.state = at_edge && moves.norm() > 1e-9 * (1 + std::abs(u(n))) ? ContactState::slips
                                                                    : ContactState::sticks;
    if (t.state == ContactState::slips) t.direction = -rub.normalized();
  }
}

void ContactSystem::choose_states(SpeedResponse& response, const Eigen::VectorXd& a, double t_now) {
  // Who could be closed: what touches and does not leave.
  std::vector<Touch*> candidates;
  std::vector<ConeContact> cones;
  int count = 0;
  for (const Kept& k : kept_) count += k.count;
  const int first = count;
  std::vector<int> list;
  for (const Kept& k : kept_)
    for (int i = 0; i < k.count; ++i) list.push_back(k.row + i);
  for (Touch& t : touches_) {
    const bool leaves = t.speed(0) > 1e-9;
    if (!t.touches() || leaves) {
      // One that leaves more slowly than bounces do, from below its reference, would seem to close
      // again at every instant.
      if (t.closed()) t.reference = opened_at(t.at.gap);
      if (leaves && t.speed(0) < t.data.rest_speed)
        t.reference = std::min(t.reference, opened_at(t.at.gap));
      t.state = ContactState::open;
      t.from_rest = false;
      continue;
    }
    if (!t.closed()) t.reference = t.at.gap;
    ConeContact cone;
    cone.row = count - first;
    const int rows = t.data.friction > 0 ? 3 : 1;
    const double pull = rows == 3 ? (rows_.middleRows<2>(t.row + 1) * a).norm() : 0;
    cone.slides = rows == 3 && !rests(t.speed.tail<2>(), pull) && !fades(t);
    t.from_rest = rows == 3 && !cone.slides;
    if (cone.slides) cone.direction = t.direction = t.speed.tail<2>().normalized();
    cone.friction = cone.slides ? t.sliding_friction() : t.data.coefficient_at_rest();
    t.state = cone.slides || rows == 1 ? ContactState::slips : ContactState::sticks;
    if (rows == 1) t.direction.setZero();
    for (int i = 0; i < rows; ++i) list.push_back(t.row + i);
    count += rows;
    cones.push_back(cone);
    candidates.push_back(&t);
  }
  if (try_all_closed(response, a)) return;
  if (candidates.empty())
    throw ComputationError(
        fmt::format("at t = {:.9g} s no forces satisfy the nonholonomic constraints: they "
                    "contradict each other or the prescribed motions",
                    t_now));

  Rows all;
  const auto n = static_cast<Eigen::Index>(list.size());
  all.C.resize(n, rows_.cols());
  all.W.resize(rows_.cols(), n);
  all.u.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int row = list[static_cast<std::size_t>(i)];
    all.C.row(i) = rows_.row(row);
    all.u(i) = rows_.row(row).dot(a) + bias_(row);
    effort_ = rows_.row(row).transpose();
    response.respond(effort_, answer_);
    all.W.col(i) = answer_;
  }
  all.D = all.C * all.W;
  // Rows that are always kept are eliminated (eq. 52).
  const Eigen::Index m = n - first;
  const Eigen::MatrixXd kept = all.D.topLeftCorner(first, first),
                        mixed = all.D.topRightCorner(first, m);
  const Eigen::MatrixXd D =
      all.D.bottomRightCorner(m, m) - mixed.transpose() * solve_semidefinite(kept, mixed);
  const Eigen::VectorXd u0 =
      all.u.tail(m) - mixed.transpose() * solve_semidefinite(kept, all.u.head(first));
  // From the forces that would keep all closed, as far as they may act.
  Eigen::VectorXd x = Eigen::VectorXd::Zero(m);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const Eigen::Vector3d& force = candidates[k]->force;
    if (!(force(0) > 0) || !force.allFinite()) continue;
    x(cones[k].row) = force(0);
    const double rub = force.tail<2>().norm(), most = cones[k].friction * force(0);
    if (most > 0)
      x.segment<2>(cones[k].row + 1) = force.tail<2>() * (rub > most ? most / rub : 1.0);
  }
  if (solve_cone_problem(D, u0, cones, x) != ConeAnswer::solved) {
    std::string names;
    for (const Touch* t : candidates) names += (names.empty() ? "'" : ", '") + t->data.name + "'";
    throw FrictionJam(fmt::format(
        "at t = {:.9g} s the friction of {} jams: no forces satisfy Coulomb's law there", t_now,
        names));
  }
  classify(candidates, cones, x, u0 + D * x);
  // Of several solutions the linear equations may take another than the one found: contacts that
  // this asks too much of rub at their limit, or open.
  for (std::size_t round = 0; round < 3 * candidates.size() + 3; ++round) {
    const bool solved = solve_chosen(response, a);
    if (solved && feasible()) return;
    for (Touch* t : candidates) {
      if (!t->closed()) continue;
      if (t->force(0) < -force_size_ * 1e-9) {
        t->state = ContactState::open;
        t->reference = opened_at(t->at.gap);
        break;
      }
      if (t->state == ContactState::sticks &&
          t->force.tail<2>().norm() >
              t->data.coefficient_at_rest() * t->force(0) + force_size_ * 1e-9) {
        t->state = ContactState::slips;
        t->direction = -t->force.tail<2>().normalized();
        break;
      }
    }
  }
}

}  // namespace ulna
