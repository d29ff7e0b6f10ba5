#include "contact/impact_laws.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

/// Speed of departure that a restitution asks for; none below the rest speed (eq. 55).
double departure(double restitution, double approach, double rest_speed) {
  const double speed = restitution * approach;
  return speed < rest_speed ? 0 : speed;
}

ConeAnswer solve_newton(ImpactProblem& problem, double share, Eigen::VectorXd& x) {
  for (std::size_t k = 0; k < problem.cones.size(); ++k) {
    ConeContact& cone = problem.cones[k];
    cone.floor =
        share * departure(problem.restitution[k], -problem.u(cone.row), problem.rest_speed[k]);
  }
  x = Eigen::VectorXd::Zero(problem.u.size());
  return solve_cone_problem(problem.D, problem.u, problem.cones, x);
}

/// Compression to rest, then its impulses once more times their restitution, and what keeps the
/// contacts from going into each other after that (eq. 67).
ConeAnswer solve_poisson(ImpactProblem& problem, double share, Eigen::VectorXd& x) {
  for (ConeContact& cone : problem.cones) cone.floor = 0;
  x = Eigen::VectorXd::Zero(problem.u.size());
  const ConeAnswer compressed = solve_cone_problem(problem.D, problem.u, problem.cones, x);
  if (compressed != ConeAnswer::solved) return compressed;
  Eigen::VectorXd back = Eigen::VectorXd::Zero(x.size());
  for (std::size_t k = 0; k < problem.cones.size(); ++k) {
    const int n = problem.cones[k].row, count = problem.cones[k].friction > 0 ? 3 : 1;
    const double e = share * problem.restitution[k];
    if (departure(e, x(n) * problem.D(n, n), problem.rest_speed[k]) > 0)
      back.segment(n, count) = e * x.segment(n, count);
  }
  x += back;
  Eigen::VectorXd rest = Eigen::VectorXd::Zero(x.size());
  const Eigen::VectorXd u = problem.u + problem.D * x;
  const ConeAnswer expanded = solve_cone_problem(problem.D, u, problem.cones, rest);
  x += rest;
  return expanded;
}

/// The contact that approaches fastest alone, then again, until none approaches (eq. 68).
ConeAnswer solve_sequential(ImpactProblem& problem, double share, Eigen::VectorXd& x) {
  constexpr int most_pairs = 20'000;
  for (ConeContact& cone : problem.cones) cone.floor = 0;
  x = Eigen::VectorXd::Zero(problem.u.size());
  Eigen::VectorXd u = problem.u;
  const double least = 1e-13 * (1 + u.cwiseAbs().maxCoeff());
  for (int pair = 0; pair < most_pairs; ++pair) {
    std::size_t first = 0;
    for (std::size_t k = 1; k < problem.cones.size(); ++k)
      if (u(problem.cones[k].row) < u(problem.cones[first].row)) first = k;
    ConeContact one = problem.cones[first];
    const int n = one.row, count = one.friction > 0 ? 3 : 1;
    if (!(u(n) < -least)) return ConeAnswer::solved;
    one.row = 0;
    one.floor = departure(share * problem.restitution[first], -u(n), problem.rest_speed[first]);
    Eigen::VectorXd impulse = Eigen::VectorXd::Zero(count);
    const ConeAnswer answer = solve_cone_problem(problem.D.block(n, n, count, count),
                                                 u.segment(n, count), {one}, impulse);
    if (answer != ConeAnswer::solved) return answer;
    x.segment(n, count) += impulse;
    u.noalias() += problem.D.middleCols(n, count) * impulse;
  }
  // It goes to and fro for ever: what is left ends together.
  Eigen::VectorXd rest = Eigen::VectorXd::Zero(x.size());
  const ConeAnswer answer = solve_cone_problem(problem.D, u, problem.cones, rest);
  x += rest;
  return answer;
}

}  // namespace

ConeAnswer solve_impact(ImpactLaw law, ImpactProblem& problem, double share, Eigen::VectorXd& x) {
  switch (law) {
    case ImpactLaw::poisson:
      return solve_poisson(problem, share, x);
    case ImpactLaw::sequential:
      return solve_sequential(problem, share, x);
    default:
      return solve_newton(problem, share, x);
  }
}

namespace {

/// The friction that keeps a stopped contact from sliding, by its normal impulse (eq. 98).
Eigen::Vector2d friction_to_hold(const Eigen::Matrix3d& D) {
  return solve_semidefinite(D.bottomRightCorner<2, 2>(), -D.block<2, 1>(1, 0));
}

/// The path of a jammed contact in its normal impulse: it slides until it stops, then sticks, or
/// slides on where friction cannot hold it.
class JamPath {
 public:
  JamPath(const Eigen::Matrix3d& D, const Eigen::Vector3d& u, double friction)
      : D_(D), u_(u), mu_(friction), fast_(u.tail<2>().norm()) {
    const Eigen::Matrix2d tangent = D.bottomRightCorner<2, 2>();
    const Eigen::Vector2d pull = D.block<2, 1>(1, 0);
    hold_ = friction_to_hold(D);
    holds_ = hold_.norm() <= mu_ && (tangent * hold_ + pull).norm() <= 1e-9 * D.norm();
  }

  /// Impulses until the normal speed is zero again, coming from below; false: never.
  bool compress() {
    for (int step = 0; step < 100'000; ++step) {
      const Eigen::Vector3d way = direction(u_);
      const Eigen::Vector3d rate = D_ * way;
      double length = slides() ? slide(rate) : INFINITY;
      if (rate(0) > 0 && u_(0) + length * rate(0) >= 0) {
        go(way, rate, -u_(0) / rate(0));
        u_(0) = 0;
        return true;
      }
      if (!std::isfinite(length)) return false;
      go(way, rate, length);
    }
    return false;
  }

  /// A share of the normal impulse so far once more.
  void expand(double restitution) {
    double left = restitution * impulse_(0);
    for (int step = 0; step < 100'000 && left > 0; ++step) {
      const Eigen::Vector3d way = direction(u_);
      const Eigen::Vector3d rate = D_ * way;
      double length = left;
      if (slides()) length = std::min(left, slide(rate));
      go(way, rate, length);
      left -= length;
    }
  }

  const Eigen::Vector3d& impulse() const { return impulse_; }

 private:
  bool slides() const { return !(stopped_ && holds_); }

  Eigen::Vector3d direction(const Eigen::Vector3d& u) const {
    const Eigen::Vector2d t = u.tail<2>();
    if (stopped_ && holds_) return {1, hold_.x(), hold_.y()};
    // From a stop that friction cannot hold it goes where the normal impulse drives it.
    const Eigen::Vector2d s =
        stopped_ ? Eigen::Vector2d(-hold_.normalized()) : Eigen::Vector2d(t.normalized());
    return {1, -mu_ * s.x(), -mu_ * s.y()};
  }

  /// How far its direction holds; up to the stop where that is next.
  double slide(const Eigen::Vector3d& rate) const {
    const Eigen::Vector2d slip = u_.tail<2>(), change = rate.tail<2>();
    const double size = std::max(change.norm(), 1e-300);
    const double length = 1e-3 * std::max(slip.norm(), 1e-3 * fast_) / size;
    const double stop = -slip.dot(change) / (size * size);
    const bool stops = stop > 0 && (slip + stop * change).norm() <= 1e-9 * fast_;
    return stops ? stop : length;
  }

  void go(const Eigen::Vector3d& way, const Eigen::Vector3d& rate, double length) {
    const Eigen::Vector2d before = u_.tail<2>();
    impulse_ += length * way;
    u_ += length * rate;
    if (stopped_) {
      stopped_ = holds_;  // it slides on the other way
      return;
    }
    if (u_.tail<2>().dot(before) > 0 && u_.tail<2>().norm() > 1e-6 * fast_) return;
    stopped_ = true;
    u_.tail<2>().setZero();
  }

  Eigen::Matrix3d D_;
  Eigen::Vector3d u_, impulse_ = Eigen::Vector3d::Zero();
  double mu_, fast_;
  Eigen::Vector2d hold_;
  bool holds_ = false, stopped_ = false;
};

bool follow_path(const ImpactProblem& one, double share, Eigen::VectorXd& impulses) {
  JamPath path(one.D, one.u, one.cones[0].friction);
  if (!path.compress()) return false;
  path.expand(share * one.restitution[0]);
  impulses = path.impulse();
  return true;
}

/// Impulses x of all rows that bring `kept` rows to zero, while the contacts `others` only push:
/// the kept rows are eliminated first (eq. 52).
ConeAnswer solve_keeping(const Eigen::MatrixXd& D, const Eigen::VectorXd& u,
                         const std::vector<Eigen::Index>& kept,
                         const std::vector<ConeContact>& others, Eigen::VectorXd& x) {
  std::vector<Eigen::Index> rest;
  std::vector<ConeContact> cones;
  for (ConeContact cone : others) {
    const int row = cone.row;
    cone.row = static_cast<int>(rest.size());
    cones.push_back(cone);
    for (int i = 0; i < (cone.friction > 0 ? 3 : 1); ++i) rest.push_back(row + i);
  }
  const Eigen::MatrixXd own = D(kept, kept), mixed = D(kept, rest);
  const Eigen::MatrixXd left = D(rest, rest) - mixed.transpose() * solve_semidefinite(own, mixed);
  const Eigen::VectorXd start = u(kept);
  const Eigen::VectorXd moves = u(rest) - mixed.transpose() * solve_semidefinite(own, start);
  Eigen::VectorXd part = Eigen::VectorXd::Zero(moves.size());
  const ConeAnswer answer = solve_cone_problem(left, moves, cones, part);
  x.setZero(u.size());
  x(rest) = part;
  x(kept) = -solve_semidefinite(own, start + mixed * part);
  return answer;
}

/// All jammed contacts stop to slide and stay. False where that asks more friction than they have.
bool stop_slips(const ImpactProblem& problem, const std::vector<char>& jammed, double share,
                Eigen::VectorXd& impulses) {
  std::vector<Eigen::Index> stopped, tangents;
  std::vector<ConeContact> others;
  for (std::size_t k = 0; k < problem.cones.size(); ++k) {
    const int n = problem.cones[k].row;
    if (!jammed[k]) {
      others.push_back(problem.cones[k]);
      continue;
    }
    const Eigen::Matrix3d own = problem.D.block<3, 3>(n, n);
    if (!(friction_to_hold(own).norm() <= problem.cones[k].friction)) return false;
    stopped.insert(stopped.end(), {n, n + 1, n + 2});
    tangents.insert(tangents.end(), {n + 1, n + 2});
  }
  if (solve_keeping(problem.D, problem.u, stopped, others, impulses) != ConeAnswer::solved)
    return false;
  Eigen::VectorXd back = Eigen::VectorXd::Zero(impulses.size());
  for (std::size_t k = 0; k < problem.cones.size(); ++k) {
    if (!jammed[k]) continue;
    const ConeContact& cone = problem.cones[k];
    const Eigen::Vector3d p = impulses.segment<3>(cone.row);
    if (!(p(0) > 0 && p.tail<2>().norm() <= cone.friction * p(0) * (1 + 1e-9))) return false;
    back(cone.row) = share * problem.restitution[k] * p(0);
  }
  if (back.isZero(0)) return true;
  const Eigen::VectorXd u = problem.u + problem.D * (impulses + back);
  Eigen::VectorXd more;
  if (solve_keeping(problem.D, u, tangents, others, more) != ConeAnswer::solved) return false;
  impulses += back + more;
  return true;
}

}  // namespace

bool solve_jams(const ImpactProblem& problem, const std::vector<char>& jammed, double share,
                Eigen::VectorXd& impulses) {
  if (jammed.size() == 1) return follow_path(problem, share, impulses);
  if (stop_slips(problem, jammed, share, impulses)) return true;
  // Else they slide on another way: in an impact by Poisson's law that nearly begins at rest.
  constexpr double nearly = 1e-9;
  ImpactProblem pressed = problem;
  for (std::size_t k = 0; k < problem.cones.size(); ++k) {
    const int n = problem.cones[k].row;
    if (jammed[k]) pressed.u(n) -= nearly * problem.u.segment<2>(n + 1).norm();
  }
  if (solve_poisson(pressed, share, impulses) != ConeAnswer::solved) return false;
  for (std::size_t k = 0; k < problem.cones.size(); ++k)
    if (jammed[k] && impulses(problem.cones[k].row) > 0) return true;
  return false;
}

}  // namespace ulna
