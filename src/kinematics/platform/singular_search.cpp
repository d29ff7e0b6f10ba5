#include "platform/singular_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "platform/pose_displacement.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

Eigen::VectorXd slope_by_differences(const HoldingAt& holding, const Eigen::VectorXd& x,
                                     double tiny) {
  Eigen::VectorXd slope(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const Eigen::VectorXd e = tiny * Eigen::VectorXd::Unit(x.size(), i);
    slope(i) = (holding(x + e) - holding(x - e)) / (2 * tiny);
  }
  return slope;
}

/// eq. 36. Steps are halved until they come nearer: by the distance and twice what is left to the
/// singular pose, as the slope says. Where that ends at the edge of the workspace, x is the last
/// singular pose on the way; false where there was none.
bool step_to_zero(const HoldingAt& holding, const HoldingSlope& slope_of, double radius,
                  Eigen::VectorXd& x) {
  constexpr int most = 100;
  const double longest = 0.2 * radius, shortest = 1e-9 * radius, close = 1e-6 * radius;
  std::optional<Eigen::VectorXd> last;
  const auto give_up = [&] {
    if (last) x = *last;
    return last.has_value();
  };
  double f = holding(x);
  for (int k = 0; k < most; ++k) {
    interruption_point();
    if (!std::isfinite(f)) return give_up();
    const Eigen::VectorXd slope =
        slope_of ? slope_of() : slope_by_differences(holding, x, 1e-6 * radius);
    const double steep = slope.norm();
    if (!(steep > 0) || !slope.allFinite()) return give_up();
    if (std::abs(f) / steep < close) last = x;
    const Eigen::VectorXd n = slope / steep;
    Eigen::VectorXd step = n * (n.dot(x) - f / steep) - x;
    const double size = step.norm();
    if (size < shortest) return true;
    if (size > longest) step *= longest / size;
    const double before = x.norm() + 2 * std::abs(f) / steep;
    double there = holding(x + step);
    while (!((x + step).norm() + 2 * std::abs(there) / steep < before)) {
      step *= 0.5;
      if (step.norm() < shortest) return give_up();
      there = holding(x + step);
    }
    x += step;
    f = there;
  }
  return give_up();
}

/// Directions of straight ways: small whole numbers along the coordinates.
std::vector<Eigen::VectorXd> ways_out(int freedoms, bool many) {
  const int most = freedoms > 3 ? 1 : many ? 3 : 1;               // of each number
  const int together = freedoms > 3 ? (many ? 2 : 1) : freedoms;  // that are not zero
  std::vector<Eigen::VectorXd> ways;
  Eigen::VectorXd way = Eigen::VectorXd::Constant(freedoms, -most);
  for (bool more = true; more;) {
    int divisor = 0;
    for (const double x : way) divisor = std::gcd(divisor, static_cast<int>(x));
    if (divisor == 1 && (way.array() != 0).count() <= together) ways.push_back(way.normalized());
    more = false;
    for (double& x : way) {
      more = x < most;
      x = more ? x + 1 : -most;
      if (more) break;
    }
  }
  return ways;
}

/// Where f changes its sign on the straight ways from the pose.
class StraightWays {
 public:
  StraightWays(const HoldingAt& f, int freedoms, double step)
      : f_(f), freedoms_(freedoms), step_(step), here_(f(Eigen::VectorXd::Zero(freedoms))) {}

  /// The way to the first change of sign, infinite where there is none within reach.
  double crossing(const Eigen::VectorXd& way, double reach) const {
    interruption_point();
    double from = 0, to = 0;
    for (double there = here_; std::signbit(there) == std::signbit(here_);) {
      if (to >= reach) return INFINITY;
      from = to;
      to += step_;
      there = f_(to * way);
      if (!std::isfinite(there)) return INFINITY;
    }
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (from + to), there = f_(middle * way);
      if (!std::isfinite(there)) return INFINITY;
      (std::signbit(there) == std::signbit(here_) ? from : to) = middle;
    }
    return to < reach ? to : INFINITY;
  }

  /// Points at changes of sign, each nearer than those before.
  std::vector<Eigen::VectorXd> points(bool many, double reach) const {
    std::vector<Eigen::VectorXd> points;
    if (!std::isfinite(here_) || here_ == 0) return points;
    for (const Eigen::VectorXd& way : ways_out(freedoms_, many))
      if (const double to = crossing(way, reach); to < reach) {
        points.push_back(to * way);
        reach = to;
      }
    return points;
  }

  /// From a point to nearer ones on ways beside it: along the edge of the workspace, too, where
  /// slopes lead nowhere.
  Eigen::VectorXd nearest_beside(Eigen::VectorXd point) const {
    for (double turn = 0.2; turn > 1e-5;) {
      bool nearer = false;
      for (int k = 0; k < 2 * freedoms_; ++k) {
        const Eigen::VectorXd way =
            (point.normalized() + (k % 2 ? -turn : turn) * Eigen::VectorXd::Unit(freedoms_, k / 2))
                .normalized();
        const double to = crossing(way, point.norm());
        if (!(to < (1 - 1e-9) * point.norm())) continue;
        point = to * way;
        nearer = true;
      }
      if (!nearer) turn *= 0.5;
    }
    return point;
  }

 private:
  const HoldingAt& f_;
  int freedoms_;
  double step_, here_;
};

}  // namespace

std::vector<Eigen::VectorXd> nearest_zeros(const HoldingAt& f,
                                           const std::vector<Eigen::VectorXd>& starts,
                                           double radius, const HoldingSlope& slope,
                                           const StraightSearch& straight) {
  std::vector<Eigen::VectorXd> found;
  const auto add = [&](const Eigen::VectorXd& x) {
    if (std::ranges::none_of(found, [&](const Eigen::VectorXd& other) {
          return (other - x).norm() < 1e-4 * radius;
        }))
      found.push_back(x);
  };
  for (Eigen::VectorXd x : starts)
    if (step_to_zero(f, slope, radius, x)) add(x);
  if (straight.step > 0 && !starts.empty() && (straight.many || found.empty())) {
    double reach = straight.reach;
    for (const Eigen::VectorXd& x : found) reach = std::min(reach, x.norm());
    const StraightWays ways(f, static_cast<int>(starts[0].size()), straight.step);
    const std::vector<Eigen::VectorXd> points = ways.points(straight.many, reach);
    if (!points.empty()) {
      const Eigen::VectorXd point =
          straight.many ? ways.nearest_beside(points.back()) : points.back();
      Eigen::VectorXd x = point;
      add(step_to_zero(f, slope, radius, x) && x.norm() <= point.norm() ? x : point);
    }
  }
  std::ranges::sort(found, {}, [](const Eigen::VectorXd& x) { return x.norm(); });
  return found;
}

std::vector<Eigen::VectorXd> starts_around(int freedoms, double radius) {
  std::vector<Eigen::VectorXd> starts{Eigen::VectorXd::Zero(freedoms)};
  for (int k = 0; k < freedoms; ++k)
    for (const double sense : {-0.4, 0.4})
      starts.push_back(sense * radius * Eigen::VectorXd::Unit(freedoms, k));
  return starts;
}

std::vector<NearestSingularity> nearest_along(const std::vector<Pose<double>>& path, double radius,
                                              const SingularSearch& search) {
  constexpr std::size_t most_followed = 4;
  const double far = 0.1 * radius;
  const auto apart = [&](const Pose<double>& a, const Pose<double>& b) {
    return pose_displacement(a, b, radius).norm();
  };
  std::vector<NearestSingularity> nearest, known;
  std::optional<Pose<double>> searched;  // where points all around were the starts
  for (std::size_t k = 0; k < path.size(); ++k) {
    const bool all_around = !searched || apart(*searched, path[k]) > far;
    if (all_around) searched = path[k];
    known = search(k, all_around, known);
    if (known.size() > most_followed) known.resize(most_followed);
    nearest.push_back(known.empty() ? NearestSingularity{} : known[0]);
  }
  // What was found later is followed back to where it came near.
  for (std::size_t k = nearest.size(); k-- > 1;) {
    if (!nearest[k].found) continue;
    NearestSingularity& before = nearest[k - 1];
    if (before.found && apart(before.pose, nearest[k].pose) < far) continue;
    const std::vector<NearestSingularity> found = search(k - 1, false, {nearest[k]});
    if (!found.empty() && !(found[0].distance >= before.distance)) before = found[0];
  }
  return nearest;
}

std::vector<LocusPiece> loci_of_zero(const WorkspaceSlice& slice, const Eigen::MatrixXd& f,
                                     const HoldingInCell& between) {
  const int columns = slice.ranges[0].count, rows = slice.ranges[1].count;
  // Where the sign changes along a side of a cell, by bisection.
  using Point = std::array<double, 2>;
  const auto point = [&](const int* at) {
    return Point{slice.value(0, at[0]), slice.value(1, at[1])};
  };
  const auto crossing = [&](const int* from, const int* to, double at_a) {
    Point a = point(from), b = point(to);
    for (int k = 0; k < 40; ++k) {
      const Point middle{0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
      const double there = between(middle, from[0], from[1]);
      if (!std::isfinite(there)) break;
      (std::signbit(there) == std::signbit(at_a) ? a : b) = middle;
    }
    return Point{0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
  };
  std::vector<LocusPiece> pieces;
  for (int j = 0; j + 1 < rows; ++j)
    for (int i = 0; i + 1 < columns; ++i) {
      const int around[4][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}};
      std::vector<Point> points;
      for (int side = 0; side < 4; ++side) {
        const int* a = around[side];
        const int* b = around[(side + 1) % 4];
        const double fa = f(a[0], a[1]), fb = f(b[0], b[1]);
        if (!std::isfinite(fa) || !std::isfinite(fb) || std::signbit(fa) == std::signbit(fb))
          continue;
        points.push_back(crossing(a, b, fa));
      }
      for (std::size_t k = 0; k + 1 < points.size(); k += 2)
        pieces.push_back({points[k], points[k + 1]});
    }
  return pieces;
}

}  // namespace ulna
