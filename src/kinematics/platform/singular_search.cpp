#include "platform/singular_search.hpp"

#include <algorithm>
#include <cmath>
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

/// eq. 36; false where the search leaves the workspace or does not end.
bool step_to_zero(const HoldingAt& holding, const HoldingSlope& slope_of, double radius,
                  Eigen::VectorXd& x) {
  constexpr int most = 100;
  const double longest = 0.2 * radius;
  for (int k = 0; k < most; ++k) {
    interruption_point();
    const double f = holding(x);
    if (!std::isfinite(f)) return false;
    const Eigen::VectorXd slope =
        slope_of ? slope_of() : slope_by_differences(holding, x, 1e-6 * radius);
    if (!(slope.norm() > 0) || !slope.allFinite()) return false;
    const Eigen::VectorXd n = slope.normalized();
    const Eigen::VectorXd next = n * (n.dot(x) - f / slope.norm());
    Eigen::VectorXd step = next - x;
    const double size = step.norm();
    if (size > longest) step *= longest / size;
    x += step;
    if (size < 1e-9 * radius) return true;
  }
  return false;
}

}  // namespace

std::vector<Eigen::VectorXd> nearest_zeros(const HoldingAt& f,
                                           const std::vector<Eigen::VectorXd>& starts,
                                           double radius, const HoldingSlope& slope) {
  std::vector<Eigen::VectorXd> found;
  for (Eigen::VectorXd x : starts) {
    if (!step_to_zero(f, slope, radius, x)) continue;
    if (std::ranges::none_of(found, [&](const Eigen::VectorXd& other) {
          return (other - x).norm() < 1e-4 * radius;
        }))
      found.push_back(x);
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
