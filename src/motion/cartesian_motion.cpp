#include "ulna/motion/cartesian_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/kinematics/inverse_kinematics.hpp"
#include "ulna/motion/peaks.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

/// The joints at one time.
struct Node {
  double t;
  Eigen::VectorXd q, v, a;
};

struct FrameError {
  double pose, acceleration;
};

class Follower {
 public:
  Follower(const Model& model, int frame, const PoseMotion& motion,
           const CartesianMotionOptions& options)
      : model_(model), work_(model), frame_(frame), motion_(motion), options_(options) {}

  /// Nodes from `begin` to `end`, between two breakpoints of the motion. `start` is where the piece
  /// before ended, empty at the very beginning. Derivatives at both ends are those of this piece.
  std::vector<Node> follow(double begin, double end, const Eigen::VectorXd& start);
  double pose_error() const { return pose_error_; }

 private:
  InverseKinematicsResult reach(double t, const Eigen::VectorXd& near, int restarts) const;
  Eigen::VectorXd solved(double t, const Eigen::VectorXd& near, bool anywhere);
  [[noreturn]] void give_up(const Node& last, const std::string& trouble);
  Node node(double t, const Eigen::VectorXd& q);
  Eigen::VectorXd rates(double t, const Eigen::VectorXd& q);
  Eigen::VectorXd predicted(const Node& from, double h);
  FrameError error_between(const Node& a, const Node& b);
  /// Time limited to the piece: derivatives at its ends are taken from inside.
  PoseMotionValue wanted(double t) const;
  [[noreturn]] void fail(double t, const std::string& reason) const;

  const Model& model_;
  Workspace work_;
  int frame_;
  const PoseMotion& motion_;
  const CartesianMotionOptions& options_;
  double begin_ = 0, end_ = 0, pose_error_ = 0;
  double acceleration_scale_ = 0;
};

void Follower::fail(double t, const std::string& reason) const {
  throw ComputationError(
      fmt::format("frame '{}' cannot be carried along its motion beyond {:.9g} s: {}",
                  model_.frames()[static_cast<std::size_t>(frame_)].name, t, reason),
      t);
}

PoseMotionValue Follower::wanted(double t) const {
  const double inset = 1e-12 * (end_ - begin_);
  return motion_.at(std::clamp(t, begin_ + inset, end_ - inset));
}

InverseKinematicsResult Follower::reach(double t, const Eigen::VectorXd& near, int restarts) const {
  const Pose<double> X = motion_.at(t).pose;
  InverseKinematicsTarget target{frame_, X.position, std::nullopt};
  if (!options_.position_only) target.rotation = X.rotation;
  InverseKinematicsOptions how;
  how.start = near;
  how.restarts = restarts;
  how.tolerance = std::max(1e-12, 0.01 * options_.tolerance);
  return inverse_kinematics(model_, target, how);
}

/// The steps have become too short: says what is ahead.
void Follower::give_up(const Node& last, const std::string& trouble) {
  const double ahead = std::min(end_, last.t + 0.02 * (end_ - begin_));
  const InverseKinematicsResult found = reach(ahead, last.q, 50);
  if (found.solutions.empty()) fail(last.t, fmt::format("{} at {:.6g} s", found.reason, ahead));
  Eigen::Index fastest = 0;
  const double most = last.v.cwiseAbs().maxCoeff(&fastest);
  fail(last.t, fmt::format("{}; '{}' moves at {:.4g} there", trouble,
                           model_.speed_names()[static_cast<std::size_t>(fastest)], most));
}

Eigen::VectorXd Follower::solved(double t, const Eigen::VectorXd& near, bool anywhere) {
  const Pose<double> X = motion_.at(t).pose;
  const InverseKinematicsResult found = reach(t, near, anywhere ? 50 : 0);
  if (found.solutions.empty()) {
    if (anywhere) fail(t, found.reason);
    return {};
  }
  // Unlimited angles come back within half a turn of zero: count turns from where we are. A length
  // does not come round; the pose tells.
  const Eigen::VectorXd q = found.solutions.front().q;
  Eigen::VectorXd turned = q;
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    if (std::isfinite(model_.lower()(k)) || std::isfinite(model_.upper()(k))) continue;
    const double turns = std::round((near(k) - q(k)) / (2 * M_PI));
    if (turns == 0) continue;
    turned(k) = q(k) + 2 * M_PI * turns;
    update_poses(model_, work_, turned);
    const Pose<double> Y = frame_pose(model_, work_, frame_);
    const double position = (Y.position - X.position).norm();
    const double rotation = options_.position_only ? 0 : (Y.rotation - X.rotation).norm();
    if (position + rotation > 1e-9) turned(k) = q(k);
  }
  return turned;
}

Eigen::VectorXd Follower::rates(double t, const Eigen::VectorXd& q) {
  return joint_rates(model_, work_, q, frame_, wanted(t).twist.vector(), options_.position_only)
      .value;
}

/// Rates and accelerations at solved coordinates; fails in singular postures.
Node Follower::node(double t, const Eigen::VectorXd& q) {
  const PoseMotionValue wish = wanted(t);
  const bool free = options_.position_only;
  const JointRates v = joint_rates(model_, work_, q, frame_, wish.twist.vector(), free);
  const auto size = [&](const Twist<double>& x) {
    return free ? x.linear.norm() : x.vector().norm();
  };
  if (v.residual > 1e-9 * size(wish.twist) + 1e-13)
    fail(t, fmt::format("its velocity is missed by {:.3g}: here the joints move the frame in {} "
                        "directions only",
                        v.residual, v.rank));
  for (Eigen::Index k = 0; k < v.value.size(); ++k) {
    const double limit = options_.within_velocity_limits
                             ? std::min(options_.rate_limit, model_.velocity_limit()(k))
                             : options_.rate_limit;
    if (std::abs(v.value(k)) > limit)
      fail(t, fmt::format("'{}' would move at {:.4g}, above {:.4g}{}",
                          model_.speed_names()[static_cast<std::size_t>(k)], v.value(k), limit,
                          limit == options_.rate_limit ? " (a singular posture)" : ""));
  }
  JointRates a =
      joint_accelerations(model_, work_, q, v.value, frame_, wish.acceleration.vector(), free);
  if (a.residual > 1e-8 * (size(wish.acceleration) + size(wish.twist) * v.value.norm()) + 1e-12)
    fail(t, fmt::format("a singular posture: the wanted acceleration is missed by {:.3g}",
                        a.residual));
  if (v.rank < model_.speeds()) {
    // The part that moves the frame is right; the rest must be the rate of the rates of least norm,
    // by differences along the motion. Subtracting its own image under J leaves the null space.
    const double h = 1e-5 * (end_ - begin_), low = std::max(begin_, t - h),
                 high = std::min(end_, t + h);
    const Eigen::VectorXd change =
        (rates(high, q + (high - t) * v.value) - rates(low, q + (low - t) * v.value)) /
        (high - low);
    const Eigen::VectorXd moving =
        joint_rates(model_, work_, q, frame_, jacobian(model_, work_, q, {frame_}) * change, free)
            .value;
    a.value += change - moving;
  }
  return {t, q, v.value, a.value};
}

/// q after h, by one Runge-Kutta step of the rates.
Eigen::VectorXd Follower::predicted(const Node& from, double h) {
  const Eigen::VectorXd k2 = rates(from.t + h / 2, from.q + h / 2 * from.v);
  const Eigen::VectorXd k3 = rates(from.t + h / 2, from.q + h / 2 * k2);
  const Eigen::VectorXd k4 = rates(from.t + h, from.q + h * k3);
  return from.q + h / 6 * (from.v + 2 * k2 + 2 * k3 + k4);
}

/// How far the frame of the joined motion is from where it should be, at three times between.
FrameError Follower::error_between(const Node& a, const Node& b) {
  FrameError worst{0, 0};
  const double h = b.t - a.t;
  const Eigen::Index n = a.q.size();
  Eigen::MatrixXd pieces(6, n);
  for (Eigen::Index k = 0; k < n; ++k)
    pieces.col(k) = quintic_hermite({a.q(k), a.v(k), a.a(k), 0}, {b.q(k), b.v(k), b.a(k), 0}, h);
  for (const double part : {0.21, 0.5, 0.79}) {
    const double x = part * h;
    Eigen::VectorXd q(n), v(n), c(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto p = pieces.col(k);
      q(k) = p(0) + x * (p(1) + x * (p(2) + x * (p(3) + x * (p(4) + x * p(5)))));
      v(k) = p(1) + x * (2 * p(2) + x * (3 * p(3) + x * (4 * p(4) + x * 5 * p(5))));
      c(k) = 2 * p(2) + x * (6 * p(3) + x * (12 * p(4) + x * 20 * p(5)));
    }
    update_motions(model_, work_, q, v, c);
    const PoseMotionValue wish = wanted(a.t + x);
    const Pose<double> X = frame_pose(model_, work_, frame_);
    const Twist<double> A = frame_acceleration(model_, work_, frame_);
    double pose = (X.position - wish.pose.position).norm();
    double acceleration = (A.linear - wish.acceleration.linear).norm();
    if (!options_.position_only) {
      pose += log_rotation(X.rotation * wish.pose.rotation.transpose()).norm();
      acceleration += (A.angular - wish.acceleration.angular).norm();
    }
    worst.pose = std::max(worst.pose, pose);
    worst.acceleration = std::max(worst.acceleration, acceleration);
  }
  return worst;
}

std::vector<Node> Follower::follow(double begin, double end, const Eigen::VectorXd& start) {
  begin_ = begin;
  end_ = end;
  acceleration_scale_ = 0;
  for (int k = 0; k <= 50; ++k) {
    const PoseMotionValue x = wanted(begin + (end - begin) * k / 50);
    acceleration_scale_ = std::max(
        {acceleration_scale_, x.acceleration.vector().norm(), x.twist.vector().squaredNorm()});
  }
  const bool fresh = start.size() == 0;
  Eigen::VectorXd q = start;
  if (fresh) {
    const Eigen::VectorXd near = options_.start.size() > 0 ? options_.start : model_.neutral();
    q = solved(begin, near, true);
  }
  std::vector<Node> nodes{node(begin, q)};
  double h = options_.first_step * (end - begin);
  const double smallest = options_.smallest_step * (end - begin);
  // A kink of the wanted acceleration spoils it by jump * step, in the step that holds it only.
  const double short_enough = 1e-3 * (end - begin);
  while (nodes.back().t < end) {
    const Node& last = nodes.back();
    const bool final = last.t + 1.0000001 * h >= end;
    const double t = final ? end : last.t + h;
    const double step = t - last.t;
    const auto shorten = [&](const std::string& why) {
      h = step / 2;
      if (h < smallest) give_up(last, why);
    };
    const Eigen::VectorXd guess = predicted(last, step);
    if (!guess.allFinite()) {
      shorten("the rates grow without bound (a singular posture)");
      continue;
    }
    const Eigen::VectorXd next = solved(t, guess, false);
    if (next.size() == 0) {
      shorten("the solution that was followed ends here (a joint limit, or a fold of the branch)");
      continue;
    }
    // A correction that is large against the step leaves the branch.
    if ((next - guess).norm() > 0.05 * (next - last.q).norm() + 1e-6) {
      shorten("the solution jumps to another branch");
      continue;
    }
    Node candidate = node(t, next);
    const FrameError error = error_between(last, candidate);
    const bool smooth =
        error.acceleration <= options_.acceleration_tolerance * acceleration_scale_ + 1e-9;
    if (error.pose > options_.tolerance || (!smooth && step > short_enough)) {
      shorten(fmt::format("the joints bend too sharply (error {:.3g})", error.pose));
      continue;
    }
    pose_error_ = std::max(pose_error_, error.pose);
    nodes.push_back(std::move(candidate));
    // The error falls with the sixth power of the step: grow when there is room for it.
    const bool room =
        error.pose < options_.tolerance / 100 &&
        error.acceleration < options_.acceleration_tolerance * acceleration_scale_ / 20;
    if (room) h = std::min(2 * step, (end - begin) / 10);
  }
  return nodes;
}

void check(const Model& model, int frame, const PoseMotion& motion,
           const CartesianMotionOptions& options) {
  model.require_tree("a Cartesian motion");
  if (model.coordinates() != model.speeds())
    throw InputError("a Cartesian motion of a robot with spherical or free joints",
                     "joints whose coordinates are angles and lengths");
  if (frame < 0 || frame >= std::ssize(model.frames()))
    throw InputError(fmt::format("there is no frame {}", frame),
                     fmt::format("0 to {}", model.frames().size() - 1));
  if (options.start.size() > 0 && options.start.size() != model.coordinates())
    throw InputError(fmt::format("a start of {} coordinates", options.start.size()),
                     fmt::format("{}", model.coordinates()));
  const double end = motion.duration();
  if (!std::isfinite(end) || !(end > 0))
    throw InputError(fmt::format("a Cartesian motion that lasts {} s", end),
                     "a finite time above zero");
}

}  // namespace

CartesianMotion::CartesianMotion(const Model& model, int frame, const PoseMotion& motion,
                                 const CartesianMotionOptions& options) {
  check(model, frame, motion, options);
  duration_ = motion.duration();
  breakpoints_ = motion.breakpoints();
  breakpoints_.push_back(0);
  breakpoints_.push_back(duration_);
  std::erase_if(breakpoints_, [&](double t) { return t < 0 || t > duration_; });
  breakpoints_ = merged_times(std::move(breakpoints_));

  Follower follower(model, frame, motion, options);
  std::vector<double> times;
  std::vector<Eigen::Matrix<double, 6, Eigen::Dynamic>> pieces;  // one column per coordinate
  Eigen::VectorXd q;
  for (std::size_t k = 0; k + 1 < breakpoints_.size(); ++k) {
    const std::vector<Node> nodes = follower.follow(breakpoints_[k], breakpoints_[k + 1], q);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      const Node &a = nodes[i], &b = nodes[i + 1];
      times.push_back(a.t);
      auto& piece = pieces.emplace_back(6, model.coordinates());
      for (Eigen::Index j = 0; j < piece.cols(); ++j)
        piece.col(j) =
            quintic_hermite({a.q(j), a.v(j), a.a(j), 0}, {b.q(j), b.v(j), b.a(j), 0}, b.t - a.t);
    }
    q = nodes.back().q;
  }
  times.push_back(duration_);
  pose_error_ = follower.pose_error();
  for (Eigen::Index j = 0; j < model.coordinates(); ++j) {
    Eigen::MatrixXd coefficients(6, std::ssize(pieces));
    for (Eigen::Index k = 0; k < coefficients.cols(); ++k)
      coefficients.col(k) = pieces[static_cast<std::size_t>(k)].col(j);
    coordinates_.emplace_back(times, std::move(coefficients));
  }
}

void CartesianMotion::at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
                         Eigen::Ref<Eigen::VectorXd> a) const {
  for (Eigen::Index k = 0; k < size(); ++k) {
    const MotionValue y = coordinates_[static_cast<std::size_t>(k)].at(t);
    q(k) = y.value;
    v(k) = y.rate;
    a(k) = y.acceleration;
  }
}

}  // namespace ulna
