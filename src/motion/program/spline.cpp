#include "ulna/motion/spline.hpp"

#include <fmt/format.h>

#include <Eigen/SparseLU>
#include <cmath>

#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using Eigen::Index;
using Row = Eigen::RowVectorXd;

/// The derivatives of a Hermite piece of degree 3 or 5 at its begin and end, as linear functions of
/// the data at its two points: rows by order, columns (q0, v0, a0, q1, v1, a1) or without the a.
/// Times scaled by h, so that entries are plain numbers.
struct Piece {
  Eigen::MatrixXd at_begin, at_end;
};

Piece unit_piece(int unknowns) {
  const int half = unknowns + 1, degree = 2 * half - 1;
  Piece piece{Eigen::MatrixXd(degree + 1, 2 * half), Eigen::MatrixXd(degree + 1, 2 * half)};
  for (int k = 0; k < 2 * half; ++k) {
    MotionValue data[2];
    double MotionValue::*const order[3] = {&MotionValue::value, &MotionValue::rate,
                                           &MotionValue::acceleration};
    data[k / half].*order[k % half] = 1;
    Eigen::VectorXd c(degree + 1);
    if (unknowns == 1)
      c = cubic_hermite(data[0], data[1], 1);
    else
      c = quintic_hermite(data[0], data[1], 1);
    double factorial = 1;
    for (int i = 0; i <= degree; ++i) {
      if (i > 0) factorial *= i;
      piece.at_begin(i, k) = factorial * c(i);
      double sum = 0, falling = factorial;  // p!/(p-i)!
      for (int p = i; p <= degree; ++p) {
        sum += falling * c(p);
        falling *= (p + 1.0) / (p + 1 - i);
      }
      piece.at_end(i, k) = sum;
    }
  }
  return piece;
}

/// The system for the unknown derivatives at the points: `unknowns` per point (rate; and
/// acceleration for the quintic).
class SplineSystem {
 public:
  SplineSystem(const std::vector<double>& times, const std::vector<double>& values, int unknowns)
      : times_(times),
        values_(values),
        unknowns_(unknowns),
        points_(std::ssize(times)),
        piece_(unit_piece(unknowns)),
        right_(Eigen::VectorXd::Zero(points_ * unknowns)) {}

  double h(Index piece) const { return times_[piece + 1] - times_[piece]; }

  /// Adds sign * (derivative of this order at the begin or end of a piece) to the current row,
  /// times the unit^order that makes it a plain number.
  void add(Index piece, bool end, int order, double sign, double unit) {
    const Eigen::MatrixXd& rows = end ? piece_.at_end : piece_.at_begin;
    const int half = unknowns_ + 1;
    const double step = h(piece);
    for (int k = 0; k < 2 * half; ++k) {
      const Index point = piece + k / half;
      const int derivative = k % half;
      const double entry =
          sign * rows(order, k) * std::pow(unit / step, order) * std::pow(step, derivative);
      if (derivative == 0)
        right_(row_) -= entry * values_[point];
      else
        entries_.emplace_back(row_, point * unknowns_ + derivative - 1, entry);
    }
  }
  void next_row() { ++row_; }
  void jump(Index left, Index right, int order) {
    const double unit = std::min(h(left), h(right));
    add(left, true, order, 1, unit);
    add(right, false, order, -1, unit);
    next_row();
  }
  void zero(Index piece, bool end, int order) {
    add(piece, end, order, 1, h(piece));
    next_row();
  }
  void give(Index point, int derivative, double value) {
    entries_.emplace_back(row_, point * unknowns_ + derivative - 1, 1.0);
    right_(row_) += value;
    next_row();
  }
  void equal(Index point, Index other, int derivative) {
    entries_.emplace_back(row_, point * unknowns_ + derivative - 1, 1.0);
    entries_.emplace_back(row_, other * unknowns_ + derivative - 1, -1.0);
    next_row();
  }

  PiecewisePolynomial solve() {
    Eigen::SparseMatrix<double> A(right_.size(), right_.size());
    A.setFromTriplets(entries_.begin(), entries_.end());
    Eigen::SparseLU<Eigen::SparseMatrix<double>> solver(A);
    if (solver.info() != Eigen::Success)
      throw ComputationError("the equations of the spline are singular");
    const Eigen::VectorXd x = solver.solve(right_);
    const auto at = [&](Index k) {
      MotionValue y{values_[k], x(k * unknowns_), 0, 0};
      if (unknowns_ == 2) y.acceleration = x(k * unknowns_ + 1);
      return y;
    };
    Eigen::MatrixXd coefficients(2 * (unknowns_ + 1), points_ - 1);
    for (Index k = 0; k + 1 < points_; ++k) {
      if (unknowns_ == 1)
        coefficients.col(k) = cubic_hermite(at(k), at(k + 1), h(k));
      else
        coefficients.col(k) = quintic_hermite(at(k), at(k + 1), h(k));
    }
    return {times_, coefficients};
  }

 private:
  const std::vector<double>& times_;
  const std::vector<double>& values_;
  const int unknowns_;
  const Index points_;
  const Piece piece_;
  Eigen::VectorXd right_;
  std::vector<Eigen::Triplet<double>> entries_;
  Index row_ = 0;
};

void check_points(const std::vector<double>& times, const std::vector<double>& values,
                  SplineEnds ends, int unknowns) {
  std::size_t least = 2;
  if (ends == SplineEnds::not_a_knot) least = unknowns == 1 ? 4 : 6;
  if (ends == SplineEnds::periodic || (ends == SplineEnds::natural && unknowns == 2)) least = 3;
  check_times(times, least);
  if (values.size() != times.size())
    throw InputError(fmt::format("{} values at {} times", values.size(), times.size()),
                     "one value at each time");
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      throw InputError(fmt::format("value {} is {}", k + 1, values[k]), "a finite number");
  if (ends == SplineEnds::periodic && values.front() != values.back())
    throw InputError(fmt::format("a periodic spline from {} to {}", values.front(), values.back()),
                     "equal values at both ends");
}

PiecewisePolynomial spline(const std::vector<double>& times, const std::vector<double>& values,
                           SplineEnds ends, const SplineClamps& clamps, int unknowns) {
  check_points(times, values, ends, unknowns);
  SplineSystem system(times, values, unknowns);
  const Index last = std::ssize(times) - 1, last_piece = last - 1;
  // Continuous derivatives at the inner points: the second; or the third and fourth.
  for (Index k = 1; k < last; ++k)
    for (int order = unknowns + 1; order <= 2 * unknowns; ++order) system.jump(k - 1, k, order);
  for (int k = 0; k < unknowns; ++k) {
    switch (ends) {
      case SplineEnds::natural:
        system.zero(0, false, unknowns + 1 + k);
        system.zero(last_piece, true, unknowns + 1 + k);
        break;
      case SplineEnds::clamped:
        system.give(0, k + 1, k == 0 ? clamps.begin_rate : clamps.begin_acceleration);
        system.give(last, k + 1, k == 0 ? clamps.end_rate : clamps.end_acceleration);
        break;
      case SplineEnds::periodic:
        system.equal(0, last, k + 1);
        system.jump(last_piece, 0, unknowns + 1 + k);
        break;
      case SplineEnds::not_a_knot:
        system.jump(k, k + 1, 2 * unknowns + 1);
        system.jump(last_piece - k - 1, last_piece - k, 2 * unknowns + 1);
        break;
    }
  }
  return system.solve();
}

}  // namespace

SplineEnds spline_ends_named(const std::string& name) {
  if (name == "natural") return SplineEnds::natural;
  if (name == "clamped") return SplineEnds::clamped;
  if (name == "periodic") return SplineEnds::periodic;
  if (name == "not-a-knot") return SplineEnds::not_a_knot;
  throw InputError(fmt::format("there are no end conditions '{}'", name),
                   "natural, clamped, periodic or not-a-knot",
                   nearest_name_hint(name, {"natural", "clamped", "periodic", "not-a-knot"}));
}

PiecewisePolynomial cubic_spline(const std::vector<double>& times,
                                 const std::vector<double>& values, SplineEnds ends,
                                 const SplineClamps& clamps) {
  return spline(times, values, ends, clamps, 1);
}

PiecewisePolynomial quintic_spline(const std::vector<double>& times,
                                   const std::vector<double>& values, SplineEnds ends,
                                   const SplineClamps& clamps) {
  return spline(times, values, ends, clamps, 2);
}

}  // namespace ulna
