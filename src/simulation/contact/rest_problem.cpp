#include "ulna/simulation/internal/rest_problem.hpp"

#include <cmath>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/least_squares.hpp"

namespace ulna {
namespace {

/// Of what answers most: below this only rounding answers.
constexpr double nothing = 1e-11;

/// Of what would answer without loops. With a speed of the joint by speeds of the others of e, the
/// answer is e^2, and e is 1e-7 or so where a dead point is found.
constexpr double dead_point = 1e-13;

}  // namespace

/// With D = B'B and a0 = B'b: the least of |B r + b| within the bounds.
RestProblem::Answer RestProblem::solve() const {
  const Eigen::Index n = a0.size();
  const dense::SymmetricEigen parts = dense::eigen_symmetric(D);
  const Eigen::VectorXd& values = parts.values;
  const double least = nothing * std::max(values.cwiseAbs().maxCoeff(), 1e-300);
  Eigen::Index kept = 0;
  for (const double value : values) kept += value > least;
  const Eigen::MatrixXd V = parts.vectors.rightCols(kept);
  const Eigen::VectorXd root = values.tail(kept).cwiseSqrt();
  const Eigen::MatrixXd B = root.asDiagonal() * V.transpose();
  const Eigen::VectorXd b = root.cwiseInverse().asDiagonal() * (V.transpose() * a0);

  LeastSquaresProblem problem;
  problem.lower = lower;
  problem.upper = upper;
  problem.evaluate = [&](const Eigen::VectorXd& r, Eigen::VectorXd& left, Eigen::MatrixXd* J) {
    left = B * r + b;
    if (J) *J = B;
  };
  LeastSquaresOptions options;
  options.initial_damping = 1e-9;
  options.residual_tolerance = 1e-13 * b.norm();
  Answer answer;
  answer.r = Eigen::VectorXd::Zero(n);
  if (kept > 0 && b.norm() > 0)
    answer.r = solve_least_squares(problem, Eigen::VectorXd::Zero(n), options).x;
  answer.holds.resize(static_cast<std::size_t>(n));
  std::vector<Eigen::Index> held;
  for (Eigen::Index i = 0; i < n; ++i) {
    answer.holds[i] = answer.r(i) > lower(i) && answer.r(i) < upper(i);
    if (answer.holds[i]) held.push_back(i);
  }
  // The last digits, now that it is known who holds.
  if (!held.empty()) {
    const Eigen::VectorXd moves = (a0 + D * answer.r)(held);
    const Eigen::MatrixXd part = D(held, held);
    answer.r(held) -= dense::LeastNorm(part).solve(moves);
    answer.r = answer.r.cwiseMax(lower).cwiseMin(upper);
  }
  answer.a = a0 + D * answer.r;
  leave_few(answer);
  return answer;
}

/// While those that hold depend on each other, their efforts change against each other, without any
/// effect, until one is at its bound: the weaker, where there is a choice.
void RestProblem::leave_few(Answer& answer) const {
  for (Eigen::Index i = 0; i < a0.size(); ++i)
    if (!(D(i, i) * inertia(i) > dead_point)) answer.holds[i] = 0;
  for (;;) {
    std::vector<Eigen::Index> held;
    for (Eigen::Index i = 0; i < a0.size(); ++i)
      if (answer.holds[i]) held.push_back(i);
    if (held.size() < 2) return;
    const Eigen::MatrixXd part = D(held, held);
    const Eigen::VectorXd scale = part.diagonal().cwiseSqrt().cwiseInverse();
    const dense::SymmetricEigen parts =
        dense::eigen_symmetric(scale.asDiagonal() * part * scale.asDiagonal());
    if (parts.values(0) > nothing) return;
    const Eigen::VectorXd way = scale.cwiseProduct(parts.vectors.col(0));
    // How far to both sides, and who stops it there.
    double far[2] = {INFINITY, INFINITY};
    Eigen::Index who[2] = {-1, -1};
    for (int side = 0; side < 2; ++side)
      for (Eigen::Index k = 0; k < way.size(); ++k) {
        const double step = side == 0 ? way(k) : -way(k);
        if (std::abs(way(k)) < 1e-9 * way.cwiseAbs().maxCoeff()) continue;
        const double bound = step > 0 ? upper(held[k]) : lower(held[k]);
        const double room = (bound - answer.r(held[k])) / step;
        if (room < far[side]) far[side] = room, who[side] = k;
      }
    if (who[0] < 0 && who[1] < 0) return;
    const auto strength = [&](int side) -> double {
      if (who[side] < 0) return INFINITY;
      const Eigen::Index i = held[who[side]];
      return (upper(i) - lower(i)) / scale(who[side]);
    };
    const int side = strength(1) < strength(0) ? 1 : 0;
    const double sign = side == 0 ? 1 : -1;
    for (Eigen::Index k = 0; k < way.size(); ++k) answer.r(held[k]) += sign * far[side] * way(k);
    const Eigen::Index stops = held[who[side]];
    answer.r(stops) = sign * way(who[side]) > 0 ? upper(stops) : lower(stops);
    answer.holds[stops] = 0;
  }
}

}  // namespace ulna
