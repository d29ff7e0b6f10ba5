#include "platform/line_quadrics.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna {

LineQuadrics::LineQuadrics(const Platform& platform, const std::vector<Vector3<double>>& ends) {
  if (platform.legs() != platform.dof())
    throw InputError(fmt::format("platform '{}' has {} legs for {} degrees of freedom",
                                 platform.data().name, platform.legs(), platform.dof()),
                     "as many legs as degrees of freedom");
  home_.position = platform.data().home.position;
  switch (platform.freedom()) {
    case PlatformFreedom::spatial:
      places_ = {0, 1, 2, 3, 4, 5, 6, 7};
      break;
    case PlatformFreedom::planar:  // turns about the third axis, shifts along the others
      places_ = {0, 3, 5, 6};
      turning_ = 2;
      axes_ << platform.leg(0).x, platform.leg(0).y, platform.leg(0).a;
      home_.rotation = platform.data().home.rotation;
      break;
    case PlatformFreedom::translation:
      places_ = {0, 5, 6, 7};
      turning_ = 1;
      home_.rotation = platform.data().home.rotation;
      break;
  }
  double size = 0;
  for (int k = 0; k < platform.legs(); ++k)
    size = std::max({size, (ends[k] - home_.position).norm(), platform.leg(k).platform.norm()});
  scale_ = size > 0 ? std::exp2(std::round(std::log2(size))) : 1;
  for (int k = 0; k < platform.legs(); ++k) {
    ScaledLine line;
    line.a = axes_.transpose() * (ends[k] - home_.position) / scale_;
    line.b = axes_.transpose() * home_.rotation * platform.leg(k).platform / scale_;
    add(line);
  }
  if (platform.freedom() == PlatformFreedom::spatial) add_study();
}

LineQuadrics::LineQuadrics(const Vector3<double>& origin,
                           const std::vector<PointConstraint>& constraints) {
  if (constraints.size() != 6)
    throw InputError(fmt::format("{} constraints of a platform", constraints.size()), "6");
  home_.position = origin;
  places_ = {0, 1, 2, 3, 4, 5, 6, 7};
  double size = 0;
  for (const PointConstraint& c : constraints) {
    size = std::max(size, c.platform.norm());
    if (!c.plane) size = std::max(size, (c.from - origin).norm());
  }
  scale_ = size > 0 ? std::exp2(std::round(std::log2(size))) : 1;
  for (const PointConstraint& c : constraints)
    add({c.plane ? c.from : Vector3<double>((c.from - origin) / scale_), c.platform / scale_,
         c.plane});
  add_study();
}

void LineQuadrics::add(const ScaledLine& line) {
  lines_.push_back(line);
  const auto all = line_quadric<double>(line);
  Eigen::MatrixXd Q(unknowns(), unknowns());
  for (int i = 0; i < unknowns(); ++i)
    for (int j = 0; j < unknowns(); ++j) Q(i, j) = all[places_[i]][places_[j]];
  Q_.push_back(Q);
}

void LineQuadrics::add_study() {
  Eigen::MatrixXd study = Eigen::MatrixXd::Zero(8, 8);
  for (int k = 0; k < 4; ++k) study(k, k + 4) = study(k + 4, k) = 0.5;
  Q_.push_back(study);
}

ComplexVector LineQuadrics::constants(const std::vector<double>& lengths) const {
  ComplexVector s(lines());
  for (int k = 0; k < lines(); ++k) {
    const ScaledLine& at = lines_[static_cast<std::size_t>(k)];
    const double length = lengths[static_cast<std::size_t>(k)] / scale_;
    if (at.plane) {
      s(k) = -length;
      continue;
    }
    s(k) = at.a.squaredNorm() + at.b.squaredNorm() - length * length;
  }
  return s;
}

void LineQuadrics::evaluate(const ComplexVector& x, const ComplexVector& s, ComplexVector& f,
                            ComplexMatrix& J) const {
  const int n = unknowns();
  const Complex square = turning_square(x);
  for (int k = 0; k < equations(); ++k) {
    const Eigen::MatrixXd& Q = Q_[static_cast<std::size_t>(k)];
    Complex sum = 0;
    for (int i = 0; i < n; ++i) {
      double re = 0, im = 0;
      for (int j = 0; j < n; ++j) {
        re += Q(j, i) * x(j).real();
        im += Q(j, i) * x(j).imag();
      }
      J(k, i) = {2 * re, 2 * im};
      sum += Complex(re, im) * x(i);
    }
    if (k < lines()) {
      sum += s(k) * square;
      for (int i = 0; i < turning_; ++i) J(k, i) += 2.0 * s(k) * x(i);
    }
    f(k) = sum;
  }
}

ComplexVector LineQuadrics::constants_at(const ComplexVector& x) const {
  ComplexVector s = ComplexVector::Zero(lines()), f(equations());
  ComplexMatrix J(equations(), unknowns());
  evaluate(x, s, f, J);
  return -f.head(lines()) / turning_square(x);
}

ComplexVector LineQuadrics::random_point(std::mt19937_64& generator) const {
  std::normal_distribution<double> normal;
  ComplexVector x(unknowns());
  for (int k = 0; k < unknowns(); ++k) x(k) = Complex(normal(generator), normal(generator));
  if (equations() > lines()) {  // g across e
    const Complex off = (x.head(4).transpose() * x.tail(4))(0) / turning_square(x);
    x.tail(4) -= off * x.head(4);
  }
  return x / x.norm();
}

Pose<double> LineQuadrics::pose(const Eigen::VectorXd& x) const {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(8);
  for (int k = 0; k < unknowns(); ++k) all(places_[k]) = x(k);
  const Eigen::Quaterniond e(all(0), all(1), all(2), all(3)), g(all(4), all(5), all(6), all(7));
  const double square = e.squaredNorm();
  const Vector3<double> t = 2 / square * (g * e.conjugate()).vec();
  const Matrix3<double> turn = e.normalized().toRotationMatrix();
  return {axes_ * turn * axes_.transpose() * home_.rotation, home_.position + axes_ * (scale_ * t)};
}

Eigen::VectorXd LineQuadrics::point(const Pose<double>& pose) const {
  const Matrix3<double> turn =
      axes_.transpose() * pose.rotation * home_.rotation.transpose() * axes_;
  const Vector3<double> t = axes_.transpose() * (pose.position - home_.position) / scale_;
  const Eigen::Quaterniond e(turn), shift(0, t.x(), t.y(), t.z()), g = shift * e;
  const double all[8] = {e.w(), e.x(), e.y(), e.z(), g.w() / 2, g.x() / 2, g.y() / 2, g.z() / 2};
  Eigen::VectorXd x(unknowns());
  for (int k = 0; k < unknowns(); ++k) x(k) = all[places_[k]];
  return x;
}

}  // namespace ulna
