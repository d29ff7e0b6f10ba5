#pragma once
// The poses of a platform for given drives as the common points of quadrics: in Study's coordinates
// x = (e, g) of its displacement, a line of length l from a (base) to b (platform) is
//
//   x' Q x + s e'e = 0,   s = |a|^2 + |b|^2 - l^2         docs/theory/platforms.md, eq. 24-26
//
// with Q from a and b alone, and spatial platforms have Study's quadric e'g = 0 besides. A point of
// the platform that stays in a plane is a quadric of the same form (eq. 25a). Platforms
// that move in a plane or only shift use four of the eight coordinates. The coordinates are
// homogeneous: as many equations as unknowns but one.

#include <array>
#include <complex>
#include <random>
#include <vector>

#include "ulna/kinematics/platform_kinematics.hpp"

namespace ulna {

using Complex = std::complex<double>;
constexpr int most_unknowns = 8;
using ComplexVector = Eigen::Matrix<Complex, Eigen::Dynamic, 1, 0, most_unknowns, 1>;
using ComplexMatrix =
    Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, 0, most_unknowns, most_unknowns>;

/// One line from the base to the platform, over the length scale, in the axes of the equations.
struct ScaledLine {
  Vector3<double> a, b;
  bool plane = false;  ///< the point b stays in a plane across a instead
};

/// What holds one point of a platform, in metres: a distance from a point, or a plane.
struct PointConstraint {
  Vector3<double> from;      ///< in the world: a point, or the normal of the plane
  Vector3<double> platform;  ///< the point that is held, in the platform's frame
  double value;              ///< length; plane: from . point of the world, for all of its points
  bool plane = false;
};

/// The matrix Q of a plane with the normal n = line.a, eq. 25a.
template <class S>
std::array<std::array<S, 8>, 8> plane_quadric(const ScaledLine& line) {
  std::array<S, 3> n, b;
  for (int k = 0; k < 3; ++k) {
    n[k] = S(line.a(k));
    b[k] = S(line.b(k));
  }
  std::array<std::array<S, 8>, 8> Q;
  for (auto& row : Q) row.fill(S(0.0));
  const auto set = [&](int i, int j, const S& value) { Q[i][j] = Q[j][i] = value; };
  const S dot = n[0] * b[0] + n[1] * b[1] + n[2] * b[2];
  set(0, 0, dot);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    set(1 + i, 1 + i, S(2.0) * (n[i] * b[i]) - dot);
    set(1 + i, 1 + j, n[i] * b[j] + b[i] * n[j]);
    set(0, 1 + i, b[j] * n[k] - b[k] * n[j]);
    set(0, 5 + i, n[i]);
    set(1 + i, 4, S(-1.0) * n[i]);
    set(1 + i, 5 + j, n[k]);
    set(1 + j, 5 + i, S(-1.0) * n[k]);
  }
  return Q;
}

/// The matrix Q of a line, eq. 25; S: double, or intervals that contain the exact one.
template <class S>
std::array<std::array<S, 8>, 8> line_quadric(const ScaledLine& line) {
  if (line.plane) return plane_quadric<S>(line);
  std::array<S, 3> a, b;
  for (int k = 0; k < 3; ++k) {
    a[k] = S(line.a(k));
    b[k] = S(line.b(k));
  }
  std::array<std::array<S, 8>, 8> Q;
  for (auto& row : Q) row.fill(S(0.0));
  const auto set = [&](int i, int j, const S& value) { Q[i][j] = Q[j][i] = value; };
  const S two(2.0), dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  set(0, 0, S(-2.0) * dot);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    set(1 + i, 1 + i, two * dot - S(4.0) * (a[i] * b[i]));
    set(1 + i, 1 + j, S(-2.0) * (a[i] * b[j] + b[i] * a[j]));
    set(0, 1 + i, S(-2.0) * (b[j] * a[k] - b[k] * a[j]));
    set(0, 5 + i, two * (b[i] - a[i]));
    set(1 + i, 4, S(-2.0) * (b[i] - a[i]));
    set(1 + i, 5 + j, S(-2.0) * (a[k] + b[k]));
    set(1 + j, 5 + i, two * (a[k] + b[k]));
    set(5 + i, 5 + i, S(4.0));
  }
  set(4, 4, S(4.0));
  return Q;
}

class LineQuadrics {
 public:
  /// For a platform with as many legs as freedoms; InputError for others.
  LineQuadrics(const Platform& platform, const std::vector<Vector3<double>>& ends);
  /// For a body with six freedoms and six constraints of its points.
  LineQuadrics(const Vector3<double>& origin, const std::vector<PointConstraint>& constraints);

  int unknowns() const { return static_cast<int>(places_.size()); }
  int equations() const { return unknowns() - 1; }
  int lines() const { return static_cast<int>(lines_.size()); }
  const std::vector<ScaledLine>& scaled_lines() const { return lines_; }
  double scale() const { return scale_; }  ///< a power of two, so that nothing is rounded
  /// The constants of the lines' equations for their lengths.
  ComplexVector constants(const std::vector<double>& lengths) const;
  /// Which of Study's eight coordinates the unknowns are.
  const std::vector<int>& places() const { return places_; }
  /// How many of the unknowns belong to e, the first ones.
  int turning() const { return turning_; }
  /// Symmetric; `equation` beyond the lines is Study's quadric.
  const Eigen::MatrixXd& Q(int equation) const { return Q_[static_cast<std::size_t>(equation)]; }

  /// The values of all equations, and their derivatives (equations x unknowns).
  void evaluate(const ComplexVector& x, const ComplexVector& s, ComplexVector& f,
                ComplexMatrix& J) const;
  /// e'e.
  Complex turning_square(const ComplexVector& x) const {
    return (x.head(turning_).transpose() * x.head(turning_))(0);
  }
  /// The constants of the lines for which a point is a solution.
  ComplexVector constants_at(const ComplexVector& x) const;
  /// A random point of Study's quadric (or of the four coordinates).
  ComplexVector random_point(std::mt19937_64& generator) const;

  /// The pose of a real solution.
  Pose<double> pose(const Eigen::VectorXd& x) const;
  /// The solution at a pose.
  Eigen::VectorXd point(const Pose<double>& pose) const;

 private:
  void add(const ScaledLine& line);
  void add_study();

  double scale_ = 1;
  int turning_ = 4;
  std::vector<int> places_;
  std::vector<ScaledLine> lines_;
  std::vector<Eigen::MatrixXd> Q_;
  Matrix3<double> axes_ = Matrix3<double>::Identity();  ///< columns: those of the equations, world
  Pose<double> home_;  ///< rotation that is counted as none, and the origin
};

}  // namespace ulna
