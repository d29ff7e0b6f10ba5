#include "ulna/elastic/internal/direction_cosines.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "ulna/model/model.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::elastic {
namespace {

Matrix3<double> columns(const Vec3& x, const Vec3& y, const Vec3& z) {
  Matrix3<double> R;
  R << x, y, z;
  return R;
}

// Turns y and z round together when P would lie on the negative side of y.
Matrix3<double> with_reference_side(const Vec3& x, const Vec3& y, const Vec3& z, const Vec3& v) {
  return y.dot(v) < 0 ? columns(x, -y, -z) : columns(x, y, z);
}

struct Member {
  Vec3 x, v;
};

Member member(const Vec3& A, const Vec3& B, const Vec3& P) {
  const Vec3 along = B - A, v = P - A;
  const double length = along.norm();
  if (!(length > 0)) throw InputError("a member has the length zero", "two different ends");
  if (!(along.cross(v).norm() > 1e-9 * length * v.norm()))
    throw InputError("the reference point of a member lies on its axis",
                     "a point beside the line through its ends");
  return {along / length, v};
}

// Coordinates of P in the member's axes, from lengths and the angle alone: no axes needed yet.
Vec3 local_reference(const Member& m) {
  const double along = m.v.dot(m.x);
  return {along, std::sqrt(std::max(0.0, m.v.squaredNorm() - along * along)), 0};
}

}  // namespace

Matrix3<double> member_axes(const Vec3& A, const Vec3& B, const Vec3& P) {
  const Member m = member(A, B, P);
  const Vec3 z = m.x.cross(m.v).normalized();
  return columns(m.x, z.cross(m.x), z);
}

Matrix3<double> member_axes_euler(const Vec3& A, const Vec3& B, const Vec3& P) {
  const Member m = member(A, B, P);
  const double l = m.x.x(), n = m.x.z(), h = std::hypot(l, n);
  const double my = m.x.y();
  if (h < 1e-12) {  // along global y: the first two turns are one of 90 degrees about z
    const double s = my > 0 ? 1 : -1;
    const double a = std::atan2(m.v.z(), -s * m.v.x());
    return columns({0, s, 0}, {-s * std::cos(a), 0, std::sin(a)},
                   {s * std::sin(a), 0, std::cos(a)});
  }
  const double yp = (-l * my * m.v.x() - my * n * m.v.z()) / h + h * m.v.y();
  const double zp = (-n * m.v.x() + l * m.v.z()) / h;
  const double a = std::atan2(zp, yp), c = std::cos(a), s = std::sin(a);
  return columns(m.x, {(-l * my * c - n * s) / h, h * c, (-my * n * c + l * s) / h},
                 {(l * my * s - n * c) / h, -h * s, (my * n * s + l * c) / h});
}

// A rotation carries the point of local coordinates x = (1,0,0) from the global axes to the member,
// and the one of P likewise; its axis is normal to both chords. Where a chord vanishes, that point
// is on the axis itself.
RotationAxis rotation_axis(const Vec3& A, const Vec3& B, const Vec3& P) {
  const Member m = member(A, B, P);
  const Vec3 p = local_reference(m);
  const Vec3 from[2] = {Vec3::UnitX(), p.normalized()}, to[2] = {m.x, m.v.normalized()};
  const Vec3 chord[2] = {to[0] - from[0], to[1] - from[1]};
  Vec3 k = chord[0].cross(chord[1]);
  const double size = chord[0].norm() * chord[1].norm();
  const int moving = chord[0].norm() >= chord[1].norm() ? 0 : 1;
  if (chord[moving].norm() < 1e-14) return {Vec3::UnitX(), 0};
  if (k.norm() > 1e-9 * size && size > 0) {
    k.normalize();
  } else if (chord[1 - moving].norm() < 1e-9) {
    k = from[1 - moving];
  } else {
    // Parallel chords: the axis lies in the plane that halves both, along the meeting of the plane
    // of the two points with it, or (half a turn) their mean.
    const Vec3 plane = from[0].cross(from[1]);
    k = plane.cross(to[0].cross(to[1])).norm() > 1e-9
            ? Vec3(chord[moving].cross(plane.cross(to[0].cross(to[1])).cross(chord[moving])))
            : Vec3(from[moving] + to[moving]);
    if (k.norm() < 1e-9) k = from[0].cross(from[1]);
    k.normalize();
  }
  const Vec3 a = from[moving] - k * k.dot(from[moving]), b = to[moving] - k * k.dot(to[moving]);
  return {k, std::atan2(k.dot(a.cross(b)), a.dot(b))};
}

Matrix3<double> member_axes_one_rotation(const Vec3& A, const Vec3& B, const Vec3& P) {
  const RotationAxis turn = rotation_axis(A, B, P);
  return Eigen::AngleAxisd(turn.angle, turn.axis).toRotationMatrix();
}

Matrix3<double> member_axes_orthogonality(const Vec3& A, const Vec3& B, const Vec3& P) {
  const Member m = member(A, B, P);
  // Two equations for the ratios of z: solve for the two components whose minor is largest.
  double best = 0;
  Vec3 z;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    Eigen::Matrix2d A2;
    A2 << m.x(i), m.x(j), m.v(i), m.v(j);
    if (std::abs(A2.determinant()) <= best) continue;
    best = std::abs(A2.determinant());
    const Eigen::Vector2d rest = A2.inverse() * Eigen::Vector2d(-m.x(k), -m.v(k));
    z(k) = 1, z(i) = rest(0), z(j) = rest(1);
  }
  z.normalize();
  return with_reference_side(m.x, z.cross(m.x), z, m.v);
}

Matrix3<double> member_axes_angle(const Vec3& A, const Vec3& B, const Vec3& P) {
  const Member m = member(A, B, P);
  const Vec3 unit = m.v.normalized();
  const double c = m.x.dot(unit), s = std::sqrt(std::max(0.0, 1 - c * c));
  // y = a x + b v with y.x = 0 and y.v = s: two equations in a and b.
  Eigen::Matrix2d A2;
  A2 << 1, c, c, 1;
  const Eigen::Vector2d ab = A2.inverse() * Eigen::Vector2d(0, s);
  const Vec3 y = (ab(0) * m.x + ab(1) * unit).normalized();
  return with_reference_side(m.x, y, m.x.cross(y), m.v);
}

Matrix3<double> member_axes_plane(const Vec3& A, const Vec3& B, const Vec3& P) {
  const Member m = member(A, B, P);
  // The plane a x + b y + c z = d through the three points: minors of |r 1; A 1; B 1; P 1|.
  const auto minor = [&](int i, int j) {
    Matrix3<double> D;
    D << A(i), A(j), 1, B(i), B(j), 1, P(i), P(j), 1;
    return D.determinant();
  };
  const Vec3 z = Vec3(minor(1, 2), -minor(0, 2), minor(0, 1)).normalized();
  return with_reference_side(m.x, z.cross(m.x), z, m.v);
}

namespace {

struct MemberAxesMethod {
  const char* name;
  Matrix3<double> (*axes)(const Vec3&, const Vec3&, const Vec3&);
};
constexpr MemberAxesMethod axes_methods[] = {{"cross-product", &member_axes},
                                             {"euler-angles", &member_axes_euler},
                                             {"one-rotation", &member_axes_one_rotation},
                                             {"orthogonality", &member_axes_orthogonality},
                                             {"angle", &member_axes_angle},
                                             {"plane", &member_axes_plane}};

}  // namespace

std::vector<std::string> member_axes_methods() {
  std::vector<std::string> names;
  for (const MemberAxesMethod& method : axes_methods) names.emplace_back(method.name);
  return names;
}

Matrix3<double> member_axes(const std::string& method, const Vec3& A, const Vec3& B,
                            const Vec3& P) {
  for (const MemberAxesMethod& known : axes_methods)
    if (method == known.name) return known.axes(A, B, P);
  throw InputError(Problem{{},
                           "method",
                           "unknown way to direction cosines '" + method + "'",
                           "cross-product, euler-angles, one-rotation, orthogonality, angle, plane",
                           nearest_name_hint(method, member_axes_methods())});
}

}  // namespace ulna::elastic
