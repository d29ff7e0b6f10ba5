#include "path/frame_follower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/parallel_robot.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/motion/internal/peaks.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/rank.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

FrameFollower::FrameFollower(const Model& model, int frame, const PoseMotion& motion,
                             const CartesianMotionOptions& options)
    : model_(model),
      work_(model),
      closure_(model),
      frame_(frame),
      motion_(motion),
      options_(options),
      rows_(held_rows(options.position_only, options.held)) {
  if (closure_.rows() > 0)
    model.require_rigid("a Cartesian motion through loops");
  else if (model.coordinates() != model.speeds())
    throw InputError("a Cartesian motion of a robot with spherical or free joints",
                     "joints whose coordinates are angles and lengths");
}

void FrameFollower::fail(double t, const std::string& reason) const {
  throw ComputationError(
      fmt::format("frame '{}' cannot be carried along its motion beyond {:.9g} s: {}",
                  model_.frames()[static_cast<std::size_t>(frame_)].name, t, reason),
      t);
}

/// Without the coordinates that are free.
Vector3<double> FrameFollower::held(Vector3<double> x) const {
  for (int k = 0; k < 3; ++k)
    if (!options_.held[static_cast<std::size_t>(k)]) x(k) = 0;
  return x;
}

PoseMotionValue FrameFollower::wanted(double t) const {
  const double inset = 1e-12 * (end_ - begin_);
  return motion_.at(std::clamp(t, begin_ + inset, end_ - inset));
}

InverseKinematicsResult FrameFollower::reach(double t, const Eigen::VectorXd& near,
                                             int restarts) const {
  const Pose<double> X = motion_.at(t).pose;
  InverseKinematicsTarget target{frame_, X.position, std::nullopt, options_.held};
  if (!options_.position_only) target.rotation = X.rotation;
  InverseKinematicsOptions how;
  how.start = near;
  how.restarts = restarts;
  how.tolerance = std::max(1e-12, 0.01 * options_.tolerance);
  return inverse_kinematics(model_, target, how);
}

/// The steps have become too short: says what is ahead.
void FrameFollower::give_up(const Node& last, const std::string& trouble) {
  const double ahead = std::min(end_, last.t + 0.02 * (end_ - begin_));
  const InverseKinematicsResult found = reach(ahead, last.q, 50);
  if (found.solutions.empty()) fail(last.t, fmt::format("{} at {:.6g} s", found.reason, ahead));
  Eigen::Index fastest = 0;
  const double most = last.v.cwiseAbs().maxCoeff(&fastest);
  fail(last.t, fmt::format("{}; '{}' moves at {:.4g} there", trouble,
                           model_.speed_names()[static_cast<std::size_t>(fastest)], most));
}

Eigen::VectorXd FrameFollower::solved(double t, const Eigen::VectorXd& near, bool anywhere) {
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
    const double position = held(Y.position - X.position).norm();
    const double rotation = options_.position_only ? 0 : (Y.rotation - X.rotation).norm();
    closure_.update(work_, turned);
    const double open = closure_.rows() > 0 ? closure_.largest_gap(work_) : 0;
    if (position + rotation + open > 1e-9) turned(k) = q(k);
  }
  return turned;
}

int FrameFollower::directions(const Eigen::VectorXd& q) {
  closure_.update(work_, q);
  Eigen::MatrixXd J = jacobian(model_, work_, q, {frame_})(rows_, Eigen::all);
  for (std::size_t k = 0; k < rows_.size(); ++k)
    if (rows_[k] < 3) J.row(static_cast<Eigen::Index>(k)) *= model_.length_scale();
  if (closure_.rows() > 0)
    J *= closure_.column_scale().asDiagonal() *
         rank_by_svd(closure_.scaled_jacobian(), loop_rank_tolerance_of(model_)).null_space;
  return rank_by_svd(J, 1e-7).rank;
}

std::string FrameFollower::missed(const char* what, double by, const Eigen::VectorXd& q) {
  const int here = directions(q);
  // A posture is singular where its neighbours move the frame in more directions.
  int around = here;
  constexpr double nearby = 0.03;  // radians, or lengths of the robot
  const Eigen::VectorXd scale = closure_.column_scale();
  for (int k = 0; k < 3; ++k) {
    Eigen::VectorXd way(model_.speeds());
    for (Eigen::Index i = 0; i < way.size(); ++i)
      way(i) = nearby * std::sin(1.0 + 2.7 * static_cast<double>(i) + k) * scale(i);
    Eigen::VectorXd beside = model_.integrate(q, way);
    if (closure_.rows() > 0) {
      AssemblyOptions options;
      options.start = beside;
      options.restarts = 0;
      options.limits = options.home = false;
      const AssemblyResult found = assemble(model_, options);
      if (found.solutions.empty()) continue;
      beside = found.solutions[0].q;
    }
    around = std::max(around, directions(beside));
  }
  if (around > here)
    return fmt::format(
        "a singular posture: the joints move the frame in {} directions here and in {} beside it, "
        "and the wanted {} is missed by {:.3g}",
        here, around, what, by);
  if (here == std::ssize(rows_)) return fmt::format("the wanted {} is missed by {:.3g}", what, by);
  return fmt::format(
      "the joints move the frame in {} of the {} prescribed directions, and the wanted {} leaves "
      "them. Prescribe fewer (position_only, free)",
      here, rows_.size(), what);
}

Eigen::VectorXd FrameFollower::rates(double t, const Eigen::VectorXd& q) {
  return joint_rates(model_, work_, q, frame_, wanted(t).twist.vector(), options_.position_only,
                     options_.held)
      .value;
}

/// Rates and accelerations at solved coordinates; fails in singular postures.
FrameFollower::Node FrameFollower::node(double t, const Eigen::VectorXd& q) {
  const PoseMotionValue wish = wanted(t);
  const bool free = options_.position_only;
  const JointRates v =
      joint_rates(model_, work_, q, frame_, wish.twist.vector(), free, options_.held);
  const auto size = [&](const Twist<double>& x) { return x.vector()(rows_).norm(); };
  if (v.residual > 1e-9 * size(wish.twist) + 1e-13) fail(t, missed("velocity", v.residual, q));
  for (Eigen::Index k = 0; k < v.value.size(); ++k) {
    const double limit = options_.within_velocity_limits
                             ? std::min(options_.rate_limit, model_.velocity_limit()(k))
                             : options_.rate_limit;
    if (std::abs(v.value(k)) > limit)
      fail(t, fmt::format("'{}' would move at {:.4g}, above {:.4g}{}",
                          model_.speed_names()[static_cast<std::size_t>(k)], v.value(k), limit,
                          limit == options_.rate_limit ? " (a singular posture)" : ""));
  }
  JointRates a = joint_accelerations(model_, work_, q, v.value, frame_, wish.acceleration.vector(),
                                     free, options_.held);
  if (a.residual > 1e-8 * (size(wish.acceleration) + size(wish.twist) * v.value.norm()) + 1e-12)
    fail(t, missed("acceleration", a.residual, q));
  if (v.rank < model_.speeds()) {
    // The part that moves the frame is right; the rest must be the rate of the minimum-norm rates,
    // by differences along the motion.
    const double h = 1e-5 * (end_ - begin_), low = std::max(begin_, t - h),
                 high = std::min(end_, t + h);
    const Eigen::VectorXd change = (rates(high, model_.integrate(q, (high - t) * v.value)) -
                                    rates(low, model_.integrate(q, (low - t) * v.value))) /
                                   (high - low);
    a.value += null_part(q, change);
  }
  return {t, q, v.value, a.value};
}

/// What of a change of the rates moves neither the frame nor a loop.
Eigen::VectorXd FrameFollower::null_part(const Eigen::VectorXd& q, const Eigen::VectorXd& change) {
  closure_.update(work_, q);
  Eigen::MatrixXd rows(std::ssize(rows_) + closure_.rows(), model_.speeds());
  rows.topRows(std::ssize(rows_)) = jacobian(model_, work_, q, {frame_})(rows_, Eigen::all);
  if (closure_.rows() > 0) rows.bottomRows(closure_.rows()) = closure_.jacobian();
  dense::LeastNorm solver;
  if (closure_.rows() > 0) solver.set_threshold(loop_rank_tolerance);
  solver.compute(rows);
  return change - solver.solve(rows * change);
}

/// q after h, by one Runge-Kutta step of the rates.
Eigen::VectorXd FrameFollower::predicted(const Node& from, double h) {
  const auto moved = [&](double time, const Eigen::VectorXd& v) {
    return model_.integrate(from.q, time * v);
  };
  const Eigen::VectorXd k2 = rates(from.t + h / 2, moved(h / 2, from.v));
  const Eigen::VectorXd k3 = rates(from.t + h / 2, moved(h / 2, k2));
  const Eigen::VectorXd k4 = rates(from.t + h, moved(h, k3));
  return moved(h / 6, from.v + 2 * k2 + 2 * k3 + k4);
}

/// Coordinates, rates and accelerations at a share of the time between two nodes, with the driven
/// joints on their quintic pieces. False: the loops do not close there.
bool FrameFollower::complete(const Node& a, const Node& b, double part, Node& between) {
  const double h = b.t - a.t, x = part * h;
  const auto m = static_cast<Eigen::Index>(driven_.size());
  Eigen::VectorXd q(m), v(m), c(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const int k = driven_[static_cast<std::size_t>(i)],
              j = coordinates_[static_cast<std::size_t>(i)];
    const auto p = quintic_hermite({a.q(j), a.v(k), a.a(k), 0}, {b.q(j), b.v(k), b.a(k), 0}, h);
    q(i) = p(0) + x * (p(1) + x * (p(2) + x * (p(3) + x * (p(4) + x * p(5)))));
    v(i) = p(1) + x * (2 * p(2) + x * (3 * p(3) + x * (4 * p(4) + x * 5 * p(5))));
    c(i) = 2 * p(2) + x * (6 * p(3) + x * (12 * p(4) + x * 20 * p(5)));
  }
  between.t = a.t + x;
  if (closure_.rows() == 0) {
    between.q = q, between.v = v, between.a = c;
    return true;
  }
  AssemblyOptions options;
  options.start = model_.integrate(a.q, part * model_.difference(a.q, b.q));
  for (Eigen::Index i = 0; i < m; ++i)
    options.start(coordinates_[static_cast<std::size_t>(i)]) = q(i);
  options.held = coordinates_;
  options.restarts = 0;
  options.limits = false;
  options.tolerance = std::max(1e-12, 0.01 * options_.tolerance);
  const AssemblyResult found = assemble(model_, options);
  if (found.solutions.empty()) return false;
  between.q = found.solutions[0].q;
  closure_.update(work_, between.q);
  const dense::LeastNorm solver(driving_rows(), loop_rank_tolerance);
  Eigen::VectorXd right(closure_.rows() + m);
  right << Eigen::VectorXd::Zero(closure_.rows()), v;
  between.v = solver.solve(right);
  closure_.update_rates(work_, between.q, between.v);
  right << closure_.bias(), c;
  between.a = solver.solve(right);
  return true;
}

/// How far the frame of the joined motion is from where it should be, at three times between.
FrameFollower::FrameError FrameFollower::error_between(const Node& a, const Node& b) {
  FrameError worst{0, 0};
  Node between;
  for (const double part : {0.21, 0.5, 0.79}) {
    if (!complete(a, b, part, between)) return {INFINITY, INFINITY};
    update_motions(model_, work_, between.q, between.v, between.a);
    const PoseMotionValue wish = wanted(between.t);
    const Pose<double> X = frame_pose(model_, work_, frame_);
    const Twist<double> A = frame_acceleration(model_, work_, frame_);
    double pose = held(X.position - wish.pose.position).norm();
    double acceleration = held(A.linear - wish.acceleration.linear).norm();
    if (!options_.position_only) {
      pose += log_rotation(X.rotation * wish.pose.rotation.transpose()).norm();
      acceleration += (A.angular - wish.acceleration.angular).norm();
    }
    worst.pose = std::max(worst.pose, pose);
    worst.acceleration = std::max(worst.acceleration, acceleration);
  }
  return worst;
}

// ---- which joints carry the motion
// -----------------------------------------------------------------

std::string FrameFollower::driven_names() const {
  std::string text;
  for (const int k : driven_)
    text += (text.empty() ? "'" : ", '") + model_.speed_names()[static_cast<std::size_t>(k)] + "'";
  return text;
}

/// Of a tree all; with loops those that were asked for, the drives of a platform, or what pivoting
/// finds, slides and hinges rather than balls.
void FrameFollower::choose_driven(const Eigen::VectorXd& q) {
  driven_ = options_.driven;
  coordinates_.clear();
  const bool loops = closure_.rows() > 0;
  if (!loops) {
    driven_.resize(static_cast<std::size_t>(model_.speeds()));
    std::iota(driven_.begin(), driven_.end(), 0);
    coordinates_ = driven_;
    return;
  }
  if (driven_.empty()) {
    const PlatformData* platform = model_.platform();
    closure_.update(work_, q);
    driven_ =
        platform ? drive_speeds(model_, Platform(*platform)) : split_speeds(closure_).independent;
    if (!can_carry(q)) driven_ = platform_drives();
  }
  for (const int k : driven_)
    for (const Joint& joint : model_.joints()) {
      if (k < joint.v || k >= joint.v + joint.speeds) continue;
      if (model_.coordinate_of_speed()[k] < 0)
        throw InputError(fmt::format("joint '{}' is a {} joint and would carry the path",
                                     joint.name, name_of(joint.type)),
                         "drives: motion for joints whose coordinates are angles and lengths");
      coordinates_.push_back(model_.coordinate_of_speed()[k]);
    }
  require_determined(q);
}

/// Whether the driven joints are angles and lengths that determine the frame.
bool FrameFollower::can_carry(const Eigen::VectorXd& q) {
  for (const int k : driven_)
    if (model_.coordinate_of_speed()[k] < 0) return false;
  return undetermined(q) == Undetermined::no;
}

/// The drives that `ulna platform` takes for the body of the frame; those there are already where
/// it finds none.
std::vector<int> FrameFollower::platform_drives() const {
  try {
    ParallelRobotOptions options;
    options.body = model_.frames()[static_cast<std::size_t>(frame_)].body;
    return ParallelRobot(model_, options).drives();
  } catch (const InputError&) {
    return driven_;
  }
}

Eigen::MatrixXd FrameFollower::driving_rows() {
  const auto m = static_cast<Eigen::Index>(driven_.size());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(closure_.rows() + m, model_.speeds());
  rows.topRows(closure_.rows()) = closure_.jacobian();
  for (Eigen::Index i = 0; i < m; ++i)
    rows(closure_.rows() + i, driven_[static_cast<std::size_t>(i)]) = 1;
  return rows;
}

/// The driven joints are no more than the loops leave free, and the frame goes where they say.
FrameFollower::Undetermined FrameFollower::undetermined(const Eigen::VectorXd& q) {
  closure_.update(work_, q);
  const Eigen::MatrixXd rows = driving_rows();
  const dense::LeastNorm loops(closure_.jacobian(), loop_rank_tolerance),
      solver(rows, loop_rank_tolerance);
  if (solver.rank() < loops.rank() + std::ssize(driven_)) return Undetermined::joints;
  const Eigen::MatrixXd J = jacobian(model_, work_, q, {frame_})(rows_, Eigen::all);
  const double free = (J - J * solver.solve(rows)).norm();
  return free > 1e-6 * J.norm() ? Undetermined::frame : Undetermined::no;
}

void FrameFollower::require_determined(const Eigen::VectorXd& q) {
  const Undetermined what = undetermined(q);
  if (what == Undetermined::joints)
    throw InputError(
        fmt::format("the loops of robot '{}' do not let {} move by themselves", model_.name(),
                    driven_names()),
        fmt::format(
            "at most {} independent joints to carry a path",
            model_.speeds() - dense::LeastNorm(closure_.jacobian(), loop_rank_tolerance).rank()),
        "name them with drives: {JOINT: motion}");
  if (what == Undetermined::frame)
    throw InputError(fmt::format("{} do not determine where frame '{}' is", driven_names(),
                                 model_.frames()[static_cast<std::size_t>(frame_)].name),
                     "joints that do, as many as the frame has freedoms",
                     "name them with drives: {JOINT: motion}");
}

std::vector<FollowedNode> FrameFollower::follow(double begin, double end,
                                                const Eigen::VectorXd& start) {
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
    choose_driven(q);
  }
  std::vector<Node> nodes{node(begin, q)};
  double h = options_.first_step * (end - begin);
  const double smallest = options_.smallest_step * (end - begin);
  // A kink of the wanted acceleration spoils it by jump * step, in the step that holds it only.
  const double short_enough = 1e-3 * (end - begin);
  while (nodes.back().t < end) {
    interruption_point();
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
    if (model_.difference(guess, next).norm() >
        0.05 * model_.difference(last.q, next).norm() + 1e-6) {
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

}  // namespace ulna
