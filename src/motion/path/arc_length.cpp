#include "ulna/motion/internal/arc_length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ulna/motion/parts/piecewise_polynomial.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

struct Node {
  double t, s;
  Eigen::VectorXd q, first, second;  ///< and derivatives by s
};

class Tracer {
 public:
  Tracer(const Motion& motion, double end) : motion_(motion), end_(end) {
    const long n = motion.size();
    q_.resize(n);
    v_.resize(n);
    a_.resize(n);
  }

  /// Four points of Gauss: exact for polynomials of degree 7 in |v|.
  double length(double from, double to) {
    constexpr double x[] = {0.8611363115940526, 0.3399810435848563};
    constexpr double w[] = {0.3478548451374538, 0.6521451548625461};
    const double middle = (from + to) / 2, half = (to - from) / 2;
    double sum = 0;
    for (int k = 0; k < 2; ++k)
      sum += w[k] * (speed(middle - half * x[k]) + speed(middle + half * x[k]));
    return sum * half;
  }

  const Eigen::VectorXd& velocity(double t) {
    if (++asked_ % 256 == 0) interruption_point();
    motion_.at(t, q_, v_, a_);
    return v_;
  }
  double speed(double t) { return velocity(t).norm(); }

  /// eq. 41; of an end at rest, see from_inside.
  Node node(double t, double s) {
    motion_.at(t, q_, v_, a_);
    Node node{t, s, q_, {}, {}};
    const double inside = std::clamp(t, 1e-3 * end_, (1 - 1e-3) * end_);
    if (inside != t) motion_.at(inside, q_, v_, a_);
    const double u = v_.norm();
    node.first = v_ / u;
    node.second = (a_ - a_.dot(node.first) * node.first) / (u * u);
    return node;
  }

 private:
  const Motion& motion_;
  double end_;
  unsigned asked_ = 0;
  Eigen::VectorXd q_, v_, a_;
};

/// Points at an end that are slower than this share of the fastest, on no more than this share of
/// the way, have no derivatives by s of their own: q'' divides the errors of accelerations by the
/// square of a speed that goes to zero.
constexpr double slow = 0.05, short_way = 2e-3;

/// How many points of the grid after its first are too slow, in the order of `speeds` and of the
/// way from that end.
std::size_t slow_points(const std::vector<double>& speeds, const std::vector<double>& way) {
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  if (speeds.front() >= slow * fastest) return 0;
  std::size_t k = 1;
  while (k + 1 < speeds.size() / 4 && speeds[k] < slow * fastest && way[k] < short_way * way.back())
    ++k;
  return k;
}

/// The derivatives of an end at rest by those of the nearest nodes inside: q'' linear in s.
void from_inside(Node& end, const Node& near, const std::function<const Node*(double s)>& beyond) {
  const double way = end.s - near.s;
  end.second = near.second;
  if (const Node* far = beyond(near.s - 1.5 * way))
    end.second += (near.second - far->second) * (way / (near.s - far->s));
  end.first = near.first + way / 2 * (near.second + end.second);
}

std::vector<double> grid_of(const Motion& motion, double end, int pieces) {
  std::vector<double> joints{0}, grid{0};
  for (const double t : motion.breakpoints())
    if (t > 0 && t < end) joints.push_back(t);
  joints.push_back(end);
  joints = merged_times(std::move(joints));
  for (std::size_t k = 0; k + 1 < joints.size(); ++k)
    for (int i = 1; i <= pieces; ++i)
      grid.push_back(joints[k] + (joints[k + 1] - joints[k]) * i / pieces);
  return grid;
}

void refuse_rests(Tracer& tracer, const std::vector<double>& grid) {
  double fastest = 0;
  for (const double t : grid) fastest = std::max(fastest, tracer.speed(t));
  if (!(fastest > 0)) throw InputError("the motion does not move", "a path to run along");
  Eigen::VectorXd before;
  for (const double t : grid) {
    if (t < 1e-3 * grid.back() || t > (1 - 1e-3) * grid.back()) continue;
    const Eigen::VectorXd v = tracer.velocity(t);
    // A rest between two points shows as a motion that turns back.
    const bool turns = before.size() > 0 && v.dot(before) < 0;
    before = v;
    if (turns || v.norm() < 1e-9 * fastest)
      throw InputError(fmt::format("the motion rests at t = {:.6g} s", t),
                       "a path without a rest on its way", "plan the parts one by one");
  }
}

}  // namespace

ArcLengthPath by_arc_length(const Motion& motion, double end, int pieces) {
  if (!(end > 0) || !std::isfinite(end))
    throw InputError(fmt::format("the motion ends at {} s", end), "an end above 0");
  Tracer tracer(motion, end);
  const std::vector<double> grid = grid_of(motion, end, pieces);
  refuse_rests(tracer, grid);
  std::vector<double> way{0}, speeds;
  for (std::size_t k = 0; k + 1 < grid.size(); ++k)
    way.push_back(way.back() + tracer.length(grid[k], grid[k + 1]));
  for (const double t : grid) speeds.push_back(tracer.speed(t));
  const double total = way.back();
  const std::size_t first = slow_points(speeds, way);
  std::vector<double> speeds_back(speeds.rbegin(), speeds.rend()), way_back;
  for (std::size_t k = way.size(); k-- > 0;) way_back.push_back(total - way[k]);
  const std::size_t last = slow_points(speeds_back, way_back);
  std::vector<Node> nodes{tracer.node(0, 0)};
  for (std::size_t k = std::max<std::size_t>(first, 1); k < grid.size() - 1; ++k) {
    // Pieces shorter than rounding of the whole are left out.
    if (k + last >= grid.size() || way[k] - nodes.back().s < 1e-4 * total / pieces) continue;
    nodes.push_back(tracer.node(grid[k], way[k]));
  }
  if (nodes.size() > 1 && total - nodes.back().s < 1e-4 * total / pieces) nodes.pop_back();
  nodes.push_back(tracer.node(end, total));
  if (first > 0 && nodes.size() > 2)
    from_inside(nodes.front(), nodes[1], [&](double s) {
      const auto far = std::find_if(nodes.begin() + 1, nodes.end() - 1,
                                    [&](const Node& node) { return node.s >= s; });
      return far < nodes.end() - 1 ? &*far : nullptr;
    });
  if (last > 0 && nodes.size() > 2)
    from_inside(nodes.back(), nodes[nodes.size() - 2], [&](double s) {
      const auto far = std::find_if(nodes.rbegin() + 1, nodes.rend() - 1,
                                    [&](const Node& node) { return node.s <= s; });
      return far < nodes.rend() - 1 ? &*far : nullptr;
    });
  ArcLengthPath path;
  path.length = nodes.back().s;
  std::vector<double> at;
  for (const Node& node : nodes) at.push_back(node.s);
  for (long c = 0; c < motion.size(); ++c) {
    Eigen::MatrixXd coefficients(6, static_cast<long>(nodes.size()) - 1);
    for (std::size_t k = 0; k + 1 < nodes.size(); ++k) {
      const Node &a = nodes[k], &b = nodes[k + 1];
      coefficients.col(static_cast<long>(k)) = quintic_hermite(
          {a.q(c), a.first(c), a.second(c), 0}, {b.q(c), b.first(c), b.second(c), 0}, b.s - a.s);
    }
    path.coordinates.push_back(std::make_shared<PiecewisePolynomial>(at, coefficients));
  }
  return path;
}

}  // namespace ulna
