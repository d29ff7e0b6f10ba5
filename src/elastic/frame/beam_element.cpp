#include "ulna/elastic/parts/beam_element.hpp"

#include <array>
#include <cmath>

namespace ulna::elastic {
namespace {

// Four Gauss points on 0..1: exact to the seventh power; the integrands have the sixth.
struct GaussPoint {
  double xi, weight;
};
const std::array<GaussPoint, 4>& gauss_points() {
  static const std::array<GaussPoint, 4> points = [] {
    const double a = 2.0 / 7 * std::sqrt(6.0 / 5);
    const double inner = std::sqrt(3.0 / 7 - a), outer = std::sqrt(3.0 / 7 + a);
    const double w_inner = (18 + std::sqrt(30.0)) / 72, w_outer = (18 - std::sqrt(30.0)) / 72;
    return std::array<GaussPoint, 4>{{{(1 - outer) / 2, w_outer},
                                      {(1 - inner) / 2, w_inner},
                                      {(1 + inner) / 2, w_inner},
                                      {(1 + outer) / 2, w_outer}}};
  }();
  return points;
}

using Row4 = std::array<double, 4>;

// Bending shapes on (v1, r1, v2, r2): deflection (eq. 10), slope of the axis, rotation (eq. 11).
Row4 deflection(double x, double L, double phi) {
  const double x2 = x * x, x3 = x2 * x, d = 1 / (1 + phi);
  return {(1 - 3 * x2 + 2 * x3 + phi * (1 - x)) * d, L * (x - 2 * x2 + x3 + phi / 2 * (x - x2)) * d,
          (3 * x2 - 2 * x3 + phi * x) * d, L * (-x2 + x3 - phi / 2 * (x - x2)) * d};
}
Row4 slope(double x, double L, double phi) {
  const double x2 = x * x, d = 1 / (1 + phi);
  return {(-6 * x + 6 * x2 - phi) * d / L, (1 - 4 * x + 3 * x2 + phi / 2 * (1 - 2 * x)) * d,
          (6 * x - 6 * x2 + phi) * d / L, (-2 * x + 3 * x2 - phi / 2 * (1 - 2 * x)) * d};
}
Row4 rotation(double x, double L, double phi) {
  const double x2 = x * x, d = 1 / (1 + phi);
  return {6 * (x2 - x) * d / L, (1 - 4 * x + 3 * x2 + phi * (1 - x)) * d, 6 * (x - x2) * d / L,
          (3 * x2 - 2 * x + phi * x) * d};
}

// Where (v1, rz1, v2, rz2) and (w1, -ry1, w2, -ry2) stand among the twelve, with their signs.
constexpr int in_xy[4] = {1, 5, 7, 11}, in_xz[4] = {2, 4, 8, 10};
constexpr double sign_xz[4] = {1, -1, 1, -1};

template <class Shapes>
void put(Shapes& N, int row, const Row4& y, int row_z, const Row4& z) {
  for (int k = 0; k < 4; ++k) {
    N(row, in_xy[k]) = y[k];
    N(row_z, in_xz[k]) = sign_xz[k] * z[k];
  }
}

void add_bending(Matrix12& K, const int (&at)[4], double rotation_sign, double EI, double L,
                 double phi) {
  const double c = EI / (L * L * L * (1 + phi)), r = rotation_sign;
  const double k[4][4] = {{12, 6 * L * r, -12, 6 * L * r},
                          {6 * L * r, (4 + phi) * L * L, -6 * L * r, (2 - phi) * L * L},
                          {-12, -6 * L * r, 12, -6 * L * r},
                          {6 * L * r, (2 - phi) * L * L, -6 * L * r, (4 + phi) * L * L}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) K(at[i], at[j]) += c * k[i][j];
}

Matrix12 lumped_mass(const BeamProperties& p, double L, bool rotatory) {
  Matrix12 M = Matrix12::Zero();
  for (const int node : {0, 6}) {
    for (int k = 0; k < 3; ++k) M(node + k, node + k) = p.mass * L / 2;
    if (!rotatory) continue;
    M(node + 3, node + 3) = p.polar_inertia * L / 2;
    M(node + 4, node + 4) = p.rotatory_inertia_y * L / 2;
    M(node + 5, node + 5) = p.rotatory_inertia_z * L / 2;
  }
  return M;
}

}  // namespace

ShearRatio shear_ratio(const BeamProperties& p, double L, BeamTheory theory) {
  if (theory == BeamTheory::euler_bernoulli) return {};
  return {p.kGAy > 0 ? 12 * p.EIz / (p.kGAy * L * L) : 0,
          p.kGAz > 0 ? 12 * p.EIy / (p.kGAz * L * L) : 0};
}

Matrix12 beam_stiffness(const BeamProperties& p, double L, BeamTheory theory) {
  const ShearRatio phi = shear_ratio(p, L, theory);
  Matrix12 K = Matrix12::Zero();
  K(0, 0) = K(6, 6) = p.EA / L, K(0, 6) = K(6, 0) = -p.EA / L;
  K(3, 3) = K(9, 9) = p.GJ / L, K(3, 9) = K(9, 3) = -p.GJ / L;
  add_bending(K, in_xy, 1, p.EIz, L, phi.y);
  add_bending(K, in_xz, -1, p.EIy, L, phi.z);
  return K;
}

Matrix3x12 displacement_shapes(double xi, double L, const ShearRatio& phi) {
  Matrix3x12 N = Matrix3x12::Zero();
  N(0, 0) = 1 - xi, N(0, 6) = xi;
  put(N, 1, deflection(xi, L, phi.y), 2, deflection(xi, L, phi.z));
  return N;
}

Matrix3x12 rotation_shapes(double xi, double L, const ShearRatio& phi) {
  Matrix3x12 N = Matrix3x12::Zero();
  N(0, 3) = 1 - xi, N(0, 9) = xi;
  put(N, 2, rotation(xi, L, phi.y), 1, rotation(xi, L, phi.z));
  N.row(1) *= -1;  // ry turns z towards -x: w' = -ry
  return N;
}

Matrix12 beam_inertia_integral(const BeamProperties& p, double L, const ElementOptions& options,
                               const Matrix3<double>& B) {
  Matrix12 I = Matrix12::Zero();
  if (options.mass == MassMatrix::lumped) {
    for (const int node : {0, 6}) I.block<3, 3>(node, node) = p.mass * L / 2 * B;
    return I;
  }
  const ShearRatio phi = shear_ratio(p, L, options.theory);
  for (const GaussPoint& g : gauss_points()) {
    const Matrix3x12 N = displacement_shapes(g.xi, L, phi);
    I += N.transpose() * (p.mass * L * g.weight * B) * N;
  }
  return I;
}

Matrix12 beam_mass(const BeamProperties& p, double L, const ElementOptions& options) {
  if (options.mass == MassMatrix::lumped) return lumped_mass(p, L, options.rotatory_inertia);
  const ShearRatio phi = shear_ratio(p, L, options.theory);
  Vector3<double> slice(p.polar_inertia, 0, 0);
  if (options.rotatory_inertia)
    slice << p.polar_inertia, p.rotatory_inertia_y, p.rotatory_inertia_z;
  Matrix12 M = beam_inertia_integral(p, L, options, Matrix3<double>::Identity());
  for (const GaussPoint& g : gauss_points()) {
    const Matrix3x12 R = rotation_shapes(g.xi, L, phi);
    M += R.transpose() * (L * g.weight * slice).asDiagonal() * R;
  }
  return M;
}

Matrix12 beam_geometric_stiffness(const BeamProperties& p, double L, double start, double end,
                                  BeamTheory theory) {
  const ShearRatio phi = shear_ratio(p, L, theory);
  Matrix12 K = Matrix12::Zero();
  for (const GaussPoint& g : gauss_points()) {
    Eigen::Matrix<double, 2, 12> S = Eigen::Matrix<double, 2, 12>::Zero();
    put(S, 0, slope(g.xi, L, phi.y), 1, slope(g.xi, L, phi.z));
    K += (L * g.weight * (start + g.xi * (end - start))) * S.transpose() * S;
  }
  return K;
}

Vector12 beam_load(double L, const ShearRatio& phi, const Vector3<double>& start,
                   const Vector3<double>& end) {
  Vector12 f = Vector12::Zero();
  for (const GaussPoint& g : gauss_points())
    f += L * g.weight * displacement_shapes(g.xi, L, phi).transpose() *
         (start + g.xi * (end - start));
  return f;
}

}  // namespace ulna::elastic
