#include "arm/six_turns.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "ulna/numerics/dense.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

// A line with a point p on it and direction l, as 15 numbers that any displacement maps linearly:
// 1, p, l, p.p, p.l, p x l, (p.p) l - 2 (p.l) p. They are the fourteen equations of Raghavan and
// Roth (eq. 7).
using Line15 = Eigen::Matrix<double, 15, 1>;
using Map15 = Eigen::Matrix<double, 15, 15>;
using V3 = Vector3<double>;

Line15 line_numbers(const V3& p, const V3& l) {
  Line15 out;
  out << 1, p, l, p.squaredNorm(), p.dot(l), p.cross(l), p.squaredNorm() * l - 2 * p.dot(l) * p;
  return out;
}

Map15 shift_map(const V3& a) {
  Map15 M = Map15::Identity();
  M.block<3, 1>(1, 0) = a;
  M(7, 0) = a.squaredNorm();
  M.block<1, 3>(7, 1) = 2 * a.transpose();
  M.block<1, 3>(8, 4) = a.transpose();
  M.block<3, 3>(9, 4) = skew(a);
  M.block<3, 3>(12, 9) = -2 * skew(a);
  M.block<3, 1>(12, 8) = -2 * a;
  M.block<3, 3>(12, 4) = a.squaredNorm() * Matrix3<double>::Identity() - 2 * a * a.transpose();
  return M;
}

/// A turn about an axis by q: constant + cosine cos q + sine sin q.
struct TurnMap {
  Map15 part[3];
};

TurnMap turn_map(const TurnAxis& axis) {
  const V3& d = axis.direction;
  const Matrix3<double> along = d * d.transpose();
  const Matrix3<double> turn[3] = {along, Matrix3<double>::Identity() - along, skew(d)};
  const Map15 there = shift_map(axis.point), back = shift_map(V3(-axis.point));
  TurnMap map;
  for (int k = 0; k < 3; ++k) {
    Map15 M = Map15::Zero();
    if (k == 0) M(0, 0) = M(7, 7) = M(8, 8) = 1;
    for (int at : {1, 4, 9, 12}) M.block<3, 3>(at, at) = turn[k];
    map.part[k] = there * M * back;
  }
  return map;
}

using Monomials = Eigen::Matrix<double, 14, 9>;  ///< columns 3 i + j: (1, cos, sin)_i (1, ...)_j
using Square12 = Eigen::Matrix<double, 12, 12>;

/// (1, cos q, sin q) (1 + x^2) = half_tangents (x^2, x, 1) with q = shift + 2 atan x.
Matrix3<double> half_tangents(double shift) {
  const double c = std::cos(shift), s = std::sin(shift);
  Matrix3<double> turn, powers;
  turn << 1, 0, 0, 0, c, -s, 0, s, c;
  powers << 1, 0, 1, -1, 0, 1, 0, 2, 0;
  return turn * powers;
}

/// The eigenvalue problem of one loop: angles 1 and 2 are eliminated linearly, 4 and 5 by
/// multiples of the equations, 3 is the eigenvalue and 4, 5 stand in the eigenvector.
class Elimination {
 public:
  Elimination(const TurnAxis axes[6], const Pose<double>& displacement)
      : axes_(axes), displacement_(displacement) {
    const TurnMap one = turn_map(axes[0]), two = turn_map(axes[1]), three = turn_map(axes[2]),
                  four = turn_map(axes[3]), five = turn_map(axes[4]);
    const TurnAxis& six = axes[5];
    const Line15 own = line_numbers(six.point, six.direction);
    const Line15 goal =
        line_numbers(displacement * six.point, displacement.rotation * six.direction);
    Eigen::Matrix<double, 15, 9> carried, fetched;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        carried.col(3 * i + j) = four.part[i] * (five.part[j] * own);
        // Turns back: the sines change their sign.
        const double sign = (i == 2 ? -1 : 1) * (j == 2 ? -1 : 1);
        fetched.col(3 * i + j) = sign * (two.part[i] * (one.part[j] * goal));
      }
    Monomials left[3];
    for (int k = 0; k < 3; ++k) left[k] = (three.part[k] * carried).bottomRows<14>();
    left[0].col(0) -= fetched.bottomRows<14>().col(0);
    const Eigen::MatrixXd free_of_right =
        dense::svd(fetched.bottomRightCorner<14, 8>(), dense::SvdParts::full).U.rightCols<6>();
    for (int k = 0; k < 3; ++k) equations_[k] = free_of_right.transpose() * left[k];
  }

  /// Adds what the eigenvectors give for angles 3, 4, 5, with the others that follow. False where
  /// the equations do not determine the angles.
  bool solve(std::mt19937_64& generator, std::vector<SixAngles>& found) const {
    Square12 A, B, C;
    double shift[3], best = 0;
    std::uniform_real_distribution<double> any(-M_PI, M_PI);
    for (int trial = 0; trial < 4; ++trial) {
      double s[3];
      for (double& x : s) x = any(generator);
      Square12 parts[3];
      dialytic(s[1], s[2], parts);
      const double c3 = std::cos(s[0]), s3 = std::sin(s[0]);
      const Square12 cosine = c3 * parts[1] + s3 * parts[2], sine = c3 * parts[2] - s3 * parts[1];
      const Square12 leading = parts[0] - cosine;
      const double condition = dense::reciprocal_condition(leading);
      if (!(condition > best)) continue;
      best = condition;
      std::copy(s, s + 3, shift);
      A = leading;
      B = 2 * sine;
      C = parts[0] + cosine;
    }
    if (!(best > 1e-13)) return false;
    Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(24, 24);
    companion.topRightCorner<12, 12>().setIdentity();
    const dense::Lu solver(A);
    companion.bottomLeftCorner<12, 12>() = -solver.solve(C);
    companion.bottomRightCorner<12, 12>() = -solver.solve(B);
    const dense::GeneralEigen eigen = dense::eigen(companion);
    if (!eigen.ok) return false;
    for (Eigen::Index k = 0; k < 24; ++k) {
      const std::complex<double> x = eigen.values(k);
      // Half of a pair that rounding took off the real line serves for both.
      if (x.imag() < 0 || x.imag() > 0.02 * (1 + std::norm(x))) continue;
      read(2 * std::atan(x.real()), eigen.vectors.col(k).real(), shift, found);
    }
    return best > 1e-10;
  }

 private:
  /// 12 equations in x4^i x5^j, i = 3 .. 0, j = 2 .. 0, for the parts 1, cos q3, sin q3.
  void dialytic(double shift4, double shift5, Square12 parts[3]) const {
    const Matrix3<double> B4 = half_tangents(shift4), B5 = half_tangents(shift5);
    Eigen::Matrix<double, 9, 9> powers;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) powers.block<3, 3>(3 * i, 3 * j) = B4(i, j) * B5;
    for (int k = 0; k < 3; ++k) {
      const Eigen::Matrix<double, 6, 9> P = equations_[k] * powers;
      parts[k].setZero();
      parts[k].topRightCorner<6, 9>() = P;
      parts[k].bottomLeftCorner<6, 9>() = P;
    }
  }

  void read(double x3, const Eigen::VectorXd& v, const double shift[3],
            std::vector<SixAngles>& found) const {
    int i4 = 0, j4 = 0, i5 = 0, j5 = 0;
    double most4 = -1, most5 = -1;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) {
        const double here = v(3 * i + j);
        if (const double size = i < 3 ? std::hypot(here, v(3 * i + j + 3)) : -1; size > most4) {
          most4 = size;
          i4 = i;
          j4 = j;
        }
        if (const double size = j < 2 ? std::hypot(here, v(3 * i + j + 1)) : -1; size > most5) {
          most5 = size;
          i5 = i;
          j5 = j;
        }
      }
    SixAngles q{};
    q[2] = shift[0] + x3;
    q[3] = shift[1] + 2 * std::atan2(v(3 * i4 + j4), v(3 * i4 + j4 + 3));
    q[4] = shift[2] + 2 * std::atan2(v(3 * i5 + j5), v(3 * i5 + j5 + 1));
    add_others(q, found);
  }

  /// Angles 2, 1 and 6 from the others: what a turn about axis 1 leaves alone is linear in the
  /// cosine and sine of angle 2.
  void add_others(SixAngles q, std::vector<SixAngles>& found) const {
    const TurnAxis& one = axes_[0];
    const TurnAxis& six = axes_[5];
    const Pose<double> X = turned_in_order(axes_ + 2, q.data() + 2, 3);
    const Line15 carried = line_numbers(X * six.point, X.rotation * six.direction);
    const Line15 goal =
        line_numbers(displacement_ * six.point, displacement_.rotation * six.direction);
    const Map15 to_axis = shift_map(V3(-one.point));
    const TurnMap two = turn_map(axes_[1]);
    const auto invariants = [&](const Line15& at) {
      Eigen::Matrix<double, 6, 1> out;
      const V3& d = one.direction;
      out << d.dot(at.segment<3>(1)), d.dot(at.segment<3>(4)), at(7), at(8),
          d.dot(at.segment<3>(9)), d.dot(at.segment<3>(12));
      return out;
    };
    Eigen::Matrix<double, 6, 2> linear;
    linear << invariants(to_axis * two.part[1] * carried),
        invariants(to_axis * two.part[2] * carried);
    const Eigen::Matrix<double, 6, 1> right =
        invariants(to_axis * goal) - invariants(to_axis * two.part[0] * carried);
    const dense::Svd parts = dense::svd(linear, dense::SvdParts::thin);
    if (!(parts.values(0) > 1e-9)) return;
    if (parts.values(1) > 1e-4 * parts.values(0)) {
      const Eigen::VectorXd cs = parts.solve(right, 1e-6);
      q[1] = std::atan2(cs(1), cs(0));
      add_first_and_last(q, found);
      return;
    }
    // One equation: two angles.
    const double along = std::clamp(parts.U.col(0).dot(right) / parts.values(0), -1.0, 1.0);
    const double middle = std::atan2(parts.V(1, 0), parts.V(0, 0));
    for (const double sense : {1.0, -1.0}) {
      q[1] = middle + sense * std::acos(along);
      add_first_and_last(q, found);
    }
  }

  void add_first_and_last(SixAngles q, std::vector<SixAngles>& found) const {
    const TurnAxis &one = axes_[0], &six = axes_[5];
    const Pose<double> X = turned_in_order(axes_ + 1, q.data() + 1, 4);
    double cosine = 0, sine = 0;
    const auto compare = [&](V3 from, V3 to) {
      from -= from.dot(one.direction) * one.direction;
      to -= to.dot(one.direction) * one.direction;
      cosine += from.dot(to);
      sine += one.direction.dot(from.cross(to));
    };
    compare(X * six.point - one.point, displacement_ * six.point - one.point);
    compare(X.rotation * six.direction, displacement_.rotation * six.direction);
    q[0] = std::atan2(sine, cosine);
    const Pose<double> Y = turned_in_order(axes_, q.data(), 5);
    const V3 across = six.direction.unitOrthogonal();
    q[5] = angle_from_to({six.direction, V3::Zero()}, across,
                         Y.rotation.transpose() * (displacement_.rotation * across));
    found.push_back(q);
  }

  const TurnAxis* axes_;
  const Pose<double>& displacement_;
  Eigen::Matrix<double, 6, 9> equations_[3];
};

/// The axes moved a little at random: where eigenvalues coincide or the equations depend on each
/// other, the neighbours do not, and Newton's method comes back.
std::array<TurnAxis, 6> near_by(const std::array<TurnAxis, 6>& axes, double much,
                                std::mt19937_64& generator) {
  std::normal_distribution<double> normal(0, much);
  std::array<TurnAxis, 6> out = axes;
  for (TurnAxis& axis : out) {
    axis.direction += V3(normal(generator), normal(generator), normal(generator));
    axis.direction.normalize();
    axis.point += V3(normal(generator), normal(generator), normal(generator));
  }
  return out;
}

}  // namespace

Pose<double> turned_in_order(const TurnAxis* axes, const double* angles, int count) {
  Pose<double> X;
  for (int k = 0; k < count; ++k) {
    const Matrix3<double> R = rotation_about<double>(axes[k].direction, angles[k]);
    X = X * Pose<double>{R, axes[k].point - R * axes[k].point};
  }
  return X;
}

double polish_six_turns(const TurnAxis axes[6], const Pose<double>& displacement, double size,
                        SixAngles& q) {
  double left = INFINITY;
  for (int step = 0; step < 12; ++step) {
    Eigen::Matrix<double, 6, 6> J;
    Pose<double> X;
    for (int k = 0; k < 6; ++k) {
      const V3 d = X.rotation * axes[k].direction;
      J.col(k) << d, (X * axes[k].point).cross(d) / size;
      X = X * turned_in_order(axes + k, &q[k], 1);
    }
    const Pose<double> rest = displacement * X.inverse();
    Vector6<double> r;
    r << log_rotation(rest.rotation), rest.position / size;
    const double now = r.norm();
    if (now < 1e-15 || (step > 3 && now > 0.9 * left && now < 1e-11)) return now;
    left = now;
    // The displacement left as a twist, to first order in the turn.
    r.tail<3>() -= 0.5 * r.head<3>().cross(r.tail<3>());
    dense::LeastNorm solver(J, 1e-12);
    Vector6<double> dq = solver.solve(r);
    const double longest = dq.cwiseAbs().maxCoeff();
    if (longest > 0.5) dq *= 0.5 / longest;
    for (int k = 0; k < 6; ++k) q[k] += dq(k);
  }
  return left;
}

void keep_new_posture(const SixAngles& angles, std::vector<SixAngles>& all) {
  SixAngles q;
  for (int k = 0; k < 6; ++k) q[k] = std::remainder(angles[k], 2 * M_PI);
  for (const SixAngles& other : all) {
    double most = 0;
    for (int k = 0; k < 6; ++k)
      most = std::max(most, std::abs(std::remainder(q[k] - other[k], 2 * M_PI)));
    if (most < 1e-5) return;
  }
  all.push_back(q);
}

SixAngles LoopFrom::in_order(const SixAngles& found) const {
  SixAngles out;
  for (int k = 0; k < 6; ++k) out[(first + k) % 6] = found[k];
  return out;
}

LoopFrom loop_from(const TurnAxis axes[6], const Pose<double>& displacement, int first) {
  // E1 ... E6 = D is also Ek ... E6 (D^-1 E1 D) ... = D: the first joints, seen from the end.
  const Pose<double> back = displacement.inverse();
  LoopFrom loop;
  loop.first = first;
  for (int k = 0; k < 6; ++k) {
    const TurnAxis& axis = axes[(first + k) % 6];
    loop.axes[k] =
        first + k < 6 ? axis : TurnAxis{back.rotation * axis.direction, back * axis.point};
  }
  return loop;
}

std::vector<SixAngles> six_turns(const TurnAxis axes[6], const Pose<double>& displacement,
                                 double size) {
  // Lengths in parts of the arm's size, about the first axis.
  TurnAxis scaled[6];
  const V3 origin = axes[0].point;
  for (int k = 0; k < 6; ++k) scaled[k] = {axes[k].direction, (axes[k].point - origin) / size};
  Pose<double> D = displacement;
  D.position = (displacement * origin - origin) / size;
  std::mt19937_64 generator(7);
  std::vector<SixAngles> all;
  int without_news = 0;
  for (int first = 0; first < 6 && without_news < 2; ++first) {
    const LoopFrom loop = loop_from(scaled, D, first);
    std::vector<SixAngles> found;
    const bool plain = Elimination(loop.axes.data(), D).solve(generator, found);
    if (!plain) {
      const std::array<TurnAxis, 6> moved = near_by(loop.axes, 1e-5, generator);
      Elimination(moved.data(), D).solve(generator, found);
    }
    const std::size_t before = all.size();
    for (SixAngles& q : found)
      if (polish_six_turns(loop.axes.data(), D, 1, q) < 1e-9)
        keep_new_posture(loop.in_order(q), all);
    without_news = all.size() == before ? without_news + 1 : 0;
  }
  return all;
}

}  // namespace ulna
