#include "timing/shortest_intervals.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

/// min c'x with h(x) = 0 and x >= 0: reduced gradients on the lengths that are not zero, with
/// curvature from the change of the gradient of c'x + multipliers' h (BFGS with Powell's damping).
class Descent {
 public:
  Descent(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& miss, double precision,
          double difference, SwitchIntervals& intervals)
      : miss_(miss),
        tolerance_(precision),
        difference_(difference),
        at_(intervals),
        n_(intervals.lengths.size()),
        cost_(Eigen::VectorXd::Zero(n_)),
        curvature_(Eigen::MatrixXd::Identity(n_, n_)),
        free_(static_cast<std::size_t>(n_), 1) {
    cost_.head(at_.counts.front()).setOnes();
  }

  void run() {
    constexpr int most = 100;
    for (int k = 0; k < most; ++k) {
      const Eigen::MatrixXd J = jacobian(at_.lengths);
      if (k > 0) learn(J);
      J_ = J;
      choose_free();
      if (!step()) return;
    }
  }

 private:
  /// What is left to the goal, then by how much the joints end at different times.
  Eigen::VectorXd constraints(const Eigen::VectorXd& x) const {
    const Eigen::VectorXd goal = miss_(x);
    Eigen::VectorXd h(goal.size() + std::ssize(at_.counts) - 1);
    h << goal, sums() * x;
    return h;
  }
  Eigen::MatrixXd sums() const {
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(std::ssize(at_.counts) - 1, n_);
    Eigen::Index first = at_.counts.front();
    for (Eigen::Index j = 0; j < rows.rows(); ++j) {
      const int count = at_.counts[static_cast<std::size_t>(j) + 1];
      rows.row(j).head(at_.counts.front()).setConstant(-1);
      rows.row(j).segment(first, count).setOnes();
      first += count;
    }
    return rows;
  }
  Eigen::MatrixXd jacobian(const Eigen::VectorXd& x) const {
    Eigen::MatrixXd J;
    for (Eigen::Index k = 0; k < n_; ++k) {
      Eigen::VectorXd up = x, down = x;
      up(k) += difference_;
      down(k) = std::max(0.0, x(k) - difference_);
      const Eigen::VectorXd slope = (miss_(up) - miss_(down)) / (up(k) - down(k));
      if (k == 0) J = Eigen::MatrixXd::Zero(slope.size() + std::ssize(at_.counts) - 1, n_);
      J.col(k).head(slope.size()) = slope;
    }
    J.bottomRows(std::ssize(at_.counts) - 1) = sums();
    return J;
  }

  std::vector<Eigen::Index> free_ones() const {
    std::vector<Eigen::Index> list;
    for (Eigen::Index k = 0; k < n_; ++k)
      if (free_[static_cast<std::size_t>(k)]) list.push_back(k);
    return list;
  }
  /// Multipliers of least squares on the free lengths.
  Eigen::VectorXd multipliers(const std::vector<Eigen::Index>& free) const {
    const Eigen::MatrixXd A = J_(Eigen::all, free).transpose();
    return dense::LeastNorm(A, rank_threshold).solve(Eigen::VectorXd(-cost_(free)));
  }
  /// Intervals that have vanished stay so unless the duration falls with their length.
  void choose_free() {
    for (Eigen::Index k = 0; k < n_; ++k) free_[static_cast<std::size_t>(k)] = at_.lengths(k) > 0;
    multipliers_ = multipliers(free_ones());
    const Eigen::VectorXd slope = cost_ + J_.transpose() * multipliers_;
    Eigen::Index best = -1;
    for (Eigen::Index k = 0; k < n_; ++k)
      if (!free_[static_cast<std::size_t>(k)] && slope(k) < -1e-6 &&
          (best < 0 || slope(k) < slope(best)))
        best = k;
    if (best < 0) return;
    free_[static_cast<std::size_t>(best)] = 1;
    multipliers_ = multipliers(free_ones());
  }

  void learn(const Eigen::MatrixXd& J) {
    const Eigen::VectorXd s = at_.lengths - before_, y = (J - J_).transpose() * multipliers_,
                          Bs = curvature_ * s;
    const double sBs = s.dot(Bs);
    if (!(sBs > 0)) return;
    const double share = s.dot(y) >= 0.2 * sBs ? 1 : 0.8 * sBs / (sBs - s.dot(y));
    const Eigen::VectorXd damped = share * y + (1 - share) * Bs;
    curvature_ += damped * damped.transpose() / s.dot(damped) - Bs * Bs.transpose() / sBs;
  }

  /// False where the duration does not fall any more.
  bool step() {
    const std::vector<Eigen::Index> free = free_ones();
    const Eigen::MatrixXd A = J_(Eigen::all, free);
    const dense::Svd parts = dense::svd(A, dense::SvdParts::right);
    const Eigen::MatrixXd Z = parts.V.rightCols(A.cols() - parts.rank(rank_threshold));
    if (Z.cols() == 0) return false;
    const Eigen::VectorXd g = Z.transpose() * cost_(free);
    const Eigen::MatrixXd B = Z.transpose() * curvature_(free, free) * Z;
    Eigen::VectorXd p = -dense::Ldlt(B).solve(g);
    const double duration = at_.duration();
    if (std::abs(g.dot(p)) < least_gain * duration) return false;
    const dense::LeastNorm back(A, rank_threshold);
    while (radius_ > least_radius) {
      if (p.norm() > radius_) p *= radius_ / p.norm();
      Eigen::VectorXd way = Eigen::VectorXd::Zero(n_);
      way(free) = Z * p;
      if (try_step(cut(way), free, back)) {
        radius_ = std::min(largest_radius, 2 * std::max(radius_, p.norm()));
        return at_.duration() < duration * (1 - least_gain);
      }
      radius_ = 0.25 * std::min(radius_, p.norm());
    }
    return false;
  }
  /// Lengths may vanish, and no more.
  Eigen::VectorXd cut(const Eigen::VectorXd& way) const {
    double share = 1;
    Eigen::Index first = -1;
    for (Eigen::Index k = 0; k < n_; ++k)
      if (at_.lengths(k) + share * way(k) < 0) share = -at_.lengths(k) / way(k), first = k;
    Eigen::VectorXd x = at_.lengths + share * way;
    if (first >= 0) x(first) = 0;
    return x.cwiseMax(0.0);
  }
  /// Back to the goal from there; accepted if the duration is shorter then.
  bool try_step(Eigen::VectorXd x, const std::vector<Eigen::Index>& free,
                const dense::LeastNorm& back) {
    constexpr int most = 12;
    double last = INFINITY;
    for (int k = 0; k < most; ++k) {
      const Eigen::VectorXd h = constraints(x);
      if (h.norm() <= tolerance_) {
        if (x.head(at_.counts.front()).sum() >= at_.duration()) return false;
        before_ = at_.lengths;
        at_.lengths = x;
        at_.miss = h.norm();
        return true;
      }
      if (!(h.norm() < 0.7 * last)) return false;
      last = h.norm();
      x(free) -= back.solve(h);
      x = x.cwiseMax(0.0);
    }
    return false;
  }

  static constexpr double rank_threshold = 1e-7, least_gain = 1e-9, least_radius = 1e-9,
                          largest_radius = 0.2;
  const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& miss_;
  double tolerance_, difference_;
  SwitchIntervals& at_;
  Eigen::Index n_;
  Eigen::VectorXd cost_, multipliers_, before_;
  Eigen::MatrixXd curvature_, J_;
  std::vector<char> free_;
  double radius_ = 0.05;
};

}  // namespace

void shorten_intervals(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& miss,
                       double precision, double difference, SwitchIntervals& intervals) {
  Descent(miss, precision, difference, intervals).run();
}

}  // namespace ulna
