// Slices of the workspace of any parallel robot, from neighbour to neighbour.

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>

#include "platform/singular_search.hpp"
#include "ulna/kinematics/parallel_quality.hpp"
#include "ulna/kinematics/parallel_workspace.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

/// Closed postures over the grid of a slice.
class SliceWalk {
 public:
  SliceWalk(const ParallelRobot& robot, WorkspaceSlice& slice, const PlatformLimits& limits)
      : robot_(robot), slice_(slice), limits_(limits) {
    wanted_.from = slice.middle;
    wanted_.held.setZero(2, 6);
    for (int k = 0; k < 2; ++k) wanted_.held(k, column(k)) = 1;
    points_.resize(static_cast<std::size_t>(slice.ranges[0].count) * slice.ranges[1].count);
    start();
  }

  void run() {
    slice_.checks.assign(points_.size(), {PoseFault::unreachable, -1, -1, 0, INFINITY});
    visit(nearest_index(0), nearest_index(1));
    // Parts of the slice that are not connected with the middle within it.
    constexpr int parts = 8;
    for (int j = 0; j <= parts; ++j)
      for (int i = 0; i <= parts; ++i)
        visit(i * (slice_.ranges[0].count - 1) / parts, j * (slice_.ranges[1].count - 1) / parts);
    count_good(slice_);
  }

  std::vector<LocusPiece> singular() {
    Eigen::MatrixXd f(slice_.ranges[0].count, slice_.ranges[1].count);
    for (int j = 0; j < f.cols(); ++j)
      for (int i = 0; i < f.rows(); ++i) f(i, j) = at(i, j) ? at(i, j)->holding_value : double(NAN);
    return loci_of_zero(slice_, f, [&](const std::array<double, 2>& x, int i, int j) {
      if (!at(i, j)) return double(NAN);
      Point between = *at(i, j);
      return go(between, coordinates(x[0], x[1])) ? between.holding_value : double(NAN);
    });
  }

 private:
  struct Point {
    std::optional<ParallelPosture> posture;
    Eigen::Vector2d x{0, 0};  ///< its coordinates, metres
    Holding holding;
    double holding_value = 0;
    explicit Point(const ParallelRobot* robot = nullptr) : holding(robot) {}
  };

  int column(int k) const {
    const int axis = static_cast<int>(slice_.ranges[k].axis);
    return axis < 3 ? 3 + axis : axis - 3;
  }
  Eigen::Vector2d coordinates(double first, double second) const {
    Eigen::Vector2d x(first, second);
    for (int k = 0; k < 2; ++k)
      if (column(k) < 3)
        x(k) *= robot_.radius();
      else
        x(k) -= slice_.middle.position(column(k) - 3);
    return x;
  }
  std::unique_ptr<Point>& at(int i, int j) {
    return points_[static_cast<std::size_t>(j) * slice_.ranges[0].count + i];
  }

  /// The middle pose, or home where that is out of reach.
  void start() {
    middle_ = Point(&robot_);
    try {
      middle_.posture = robot_.at_pose(slice_.middle);
    } catch (const ComputationError&) {
      middle_.posture = robot_.home();
    }
    const Pose<double>& pose = middle_.posture->pose;
    Vector6<double> d;
    d << robot_.radius() *
             log_rotation(Matrix3<double>(pose.rotation * slice_.middle.rotation.transpose())),
        pose.position - slice_.middle.position;
    middle_.x = wanted_.held * d;
    middle_.holding_value = middle_.holding.next(middle_.posture->q);
  }

  int nearest_index(int axis) const {
    const SliceRange& r = slice_.ranges[axis];
    const double step = (r.upper - r.lower) / (r.count - 1);
    double here = middle_.x(axis);
    here =
        column(axis) < 3 ? here / robot_.radius() : here + slice_.middle.position(column(axis) - 3);
    const double place = std::round((here - r.lower) / step);
    return static_cast<int>(std::clamp(place, 0.0, double(r.count - 1)));
  }

  /// In parts that are short beside the platform. False where the way is barred.
  bool go(Point& point, const Eigen::Vector2d& to) {
    const double longest = 0.1 * std::max(robot_.radius(), 0.1 * robot_.model().length_scale());
    const Eigen::Vector2d from = point.x;
    const double many = std::ceil((to - from).norm() / longest);
    if (!(many < 1e4)) return false;
    const int parts = std::max(1, static_cast<int>(many));
    for (int k = 1; k <= parts; ++k) {
      wanted_.values = from + (to - from) * k / parts;
      point.posture = robot_.at_coordinates(point.posture->q, wanted_);
      if (!point.posture) return false;
      point.holding_value = point.holding.next(point.posture->q);
    }
    point.x = to;
    return true;
  }

  bool reach(int i, int j, const Point& from) {
    interruption_point();
    Point point = from;
    if (!go(point, coordinates(slice_.value(0, i), slice_.value(1, j)))) return false;
    PoseCheck check = check_joints(robot_, *point.posture, limits_);
    check.beside = point.posture->off;
    slice_.checks[static_cast<std::size_t>(j) * slice_.ranges[0].count + i] = check;
    at(i, j) = std::make_unique<Point>(std::move(point));
    return true;
  }

  /// From the middle to one point, and from there to all that neighbours lead to.
  void visit(int i, int j) {
    if (at(i, j) || !reach(i, j, middle_)) return;
    std::deque<std::array<int, 2>> front{{i, j}};
    while (!front.empty()) {
      const auto [a, b] = front.front();
      front.pop_front();
      for (const auto& [da, db] : {std::array{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const int c = a + da, d = b + db;
        if (c < 0 || d < 0 || c >= slice_.ranges[0].count || d >= slice_.ranges[1].count) continue;
        if (!at(c, d) && reach(c, d, *at(a, b))) front.push_back({c, d});
      }
    }
  }

  const ParallelRobot& robot_;
  WorkspaceSlice& slice_;
  PlatformLimits limits_;
  PoseCoordinates wanted_;
  Point middle_;
  std::vector<std::unique_ptr<Point>> points_;  ///< none where the platform cannot be
};

}  // namespace

ParallelSlice parallel_slice(const ParallelRobot& robot, const Pose<double>& middle,
                             const std::array<SliceRange, 2>& ranges,
                             const PlatformLimits& limits) {
  check_ranges(ranges);
  ParallelSlice out;
  out.slice.ranges = ranges;
  out.slice.middle = middle;
  SliceWalk walk(robot, out.slice, limits);
  walk.run();
  out.singular = walk.singular();
  return out;
}

}  // namespace ulna
