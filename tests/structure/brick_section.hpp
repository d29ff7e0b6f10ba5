#pragma once
// The section that a B32R beam of CalculiX has. The program makes one brick of twenty nodes of each
// beam element, so that across the section displacements are those of the eight-node plane element,
// and it integrates at few points: 2 x 2 in rectangles, 3 x 3 in (four parabolas for) circles, 8 on
// the middle circle of pipes, Simpson's along the middle lines of boxes. Area, moments, torsion
// constant and shear coefficients follow from these, the last two with the warping that eight nodes
// allow: 18 % too much torsion for a rectangle of 3:2 and 33 % for a thin square box, whose walls
// are really free to bend against each other; k = 1 for rectangles; I by the middle lines for
// boxes.

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <vector>

#include "ulna/model/parts/beam.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna::test {

class BrickSection {
 public:
  explicit BrickSection(const Section& s) {
    const double h = s.height / 2, w = s.width / 2;
    switch (s.shape) {
      case Section::Shape::rectangle:
        corners(h, w);
        gauss({-std::sqrt(1.0 / 3), std::sqrt(1.0 / 3)}, {1, 1});
        break;
      case Section::Shape::round:
        corners(h / std::sqrt(2), h / std::sqrt(2));
        for (int k = 4; k < 8; ++k) nodes_.row(k) *= std::sqrt(2);
        gauss({-std::sqrt(0.6), 0, std::sqrt(0.6)}, {5.0 / 9, 8.0 / 9, 5.0 / 9});
        break;
      case Section::Shape::tube: {
        corners(h, h);
        const double m = s.inner_height / s.height, r = std::sqrt((1 + m * m) / 2);
        for (int k = 0; k < 8; ++k) {
          const double angle = k * std::numbers::pi / 4;
          points_.push_back(
              {r * std::cos(angle), r * std::sin(angle), std::numbers::pi / 8 * (1 - m * m)});
        }
        break;
      }
      case Section::Shape::box: {
        corners(h, w);
        const double cover = (s.height - s.inner_height) / s.height,
                     side = (s.width - s.inner_width) / s.width;  // of the half size
        const double y = 1 - cover / 2, z = 1 - side / 2;
        for (const double sign : {-1.0, 1.0})
          for (int k = 0; k < 5; ++k) {
            const double at = (k - 2) / 2.0, simpson = (k % 2 ? 4 : k == 2 ? 2 : 1) / 12.0;
            points_.push_back({at * y, sign * z, simpson * 2 * y * side});
            points_.push_back({sign * y, at * z, simpson * 2 * z * cover});
          }
        break;
      }
      default:
        break;
    }
  }

  /// The section by numbers.
  Section numbers() const {
    using Eigen::MatrixXd;
    double A = 0, Iy = 0, Iz = 0;
    MatrixXd K = MatrixXd::Zero(8, 8), f = MatrixXd::Zero(8, 3), S = MatrixXd::Zero(3, 3);
    MatrixXd rigid = MatrixXd::Zero(3, 8);
    for (const Point& p : points_) {
      const Eigen::Matrix<double, 2, 8> d = slopes(p.a, p.b);
      const Eigen::Matrix2d jacobian = d * nodes_;
      const double dA = p.weight * jacobian.determinant();
      const Eigen::Matrix<double, 2, 8> gradient = jacobian.inverse() * d;
      const Eigen::RowVector2d at = shape(p.a, p.b) * nodes_;
      A += dA, Iy += dA * at(1) * at(1), Iz += dA * at(0) * at(0);
      // Shear strains of a unit shear along y, along z, and of a unit twist.
      Eigen::Matrix<double, 2, 3> strain;
      strain << 1, 0, -at(1), 0, 1, at(0);
      K += dA * gradient.transpose() * gradient;
      f += dA * gradient.transpose() * strain;
      S += dA * strain.transpose() * strain;
      rigid += dA * Eigen::Vector3d(1, at(0), at(1)) * shape(p.a, p.b);
    }
    const auto least = [&](const MatrixXd& Z, int k) {  // energy left with warping in span Z
      const MatrixXd Kz = Z.transpose() * K * Z, fz = Z.transpose() * f.col(k);
      return S(k, k) - (fz.transpose() * dense::LeastNorm(Kz, 1e-10).solve(fz))(0, 0);
    };
    // Warping of shear is free of what a section does as a whole.
    const MatrixXd warping = dense::Qr(rigid.transpose()).full_Q().rightCols(5);
    Section s;
    s.shape = Section::Shape::numbers;
    s.A = A, s.Iy = Iy, s.Iz = Iz;
    s.J = least(MatrixXd::Identity(8, 8), 2);
    s.ky = least(warping, 0) / A, s.kz = least(warping, 1) / A;
    return s;
  }

 private:
  struct Point {
    double a, b, weight;
  };
  using Row8 = Eigen::Matrix<double, 1, 8>;

  void corners(double h, double w) {
    nodes_ << -h, -w, h, -w, h, w, -h, w, 0, -w, h, 0, 0, w, -h, 0;
  }
  void gauss(const std::vector<double>& at, const std::vector<double>& weight) {
    for (std::size_t i = 0; i < at.size(); ++i)
      for (std::size_t j = 0; j < at.size(); ++j)
        points_.push_back({at[i], at[j], weight[i] * weight[j]});
  }
  // The eight polynomials that are 1 at one node and 0 at the others.
  static Eigen::Matrix<double, 8, 8> basis() {
    const double at[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    Eigen::Matrix<double, 8, 8> values;
    for (int k = 0; k < 8; ++k) values.row(k) = monomials(at[k][0], at[k][1]);
    return values.inverse();
  }
  static Row8 monomials(double a, double b) {
    Row8 m;
    m << 1, a, b, a * a, a * b, b * b, a * a * b, a * b * b;
    return m;
  }
  static Row8 shape(double a, double b) { return monomials(a, b) * basis(); }
  static Eigen::Matrix<double, 2, 8> slopes(double a, double b) {
    Eigen::Matrix<double, 2, 8> d;
    d << 0, 1, 0, 2 * a, b, 0, 2 * a * b, b * b, 0, 0, 1, 0, a, 2 * b, a * a, 2 * a * b;
    return d * basis();
  }

  Eigen::Matrix<double, 8, 2> nodes_;
  std::vector<Point> points_;
};

}  // namespace ulna::test
