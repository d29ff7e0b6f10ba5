#include <Eigen/Geometry>
#include <cmath>

#include "freeze/freezer.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {
namespace {

// Entries of rotations within 8 ulp of 0 and +-1 are what products of exact quarter turns leave;
// they would cost operations and carry no information.
constexpr double eight_ulp = 8 * 2.220446049250313e-16;
// Below this sine the common normal of two axes is too far away to be worth finding: offsets would
// be magnified by more than twenty.
constexpr double least_sine = 0.05;

double cleaned(double x) {
  if (std::abs(x) < eight_ulp) return 0;
  if (std::abs(std::abs(x) - 1) < eight_ulp) return std::copysign(1.0, x);
  return x;
}

/// A length that is rounding of a larger one is zero.
double cleaned_length(double x, double size) { return std::abs(x) <= eight_ulp * size ? 0 : x; }

/// Angles within 8 ulp of a quarter turn become it exactly; the full turns are taken out.
double cleaned_angle(double angle) {
  angle = std::remainder(angle, 2 * M_PI);
  const double quarters = std::round(angle / M_PI_2);
  if (std::abs(angle - quarters * M_PI_2) < 2 * eight_ulp) return quarters * M_PI_2;
  return angle;
}

/// Where a child's axis lies, seen from the parent's frame E: Rz(phi) brings x onto the common
/// normal, Rx(alpha) then z onto the child's axis. `foot` is the height of the normal on the
/// parent's z.
struct AxisPair {
  double cos_phi = 1, sin_phi = 0, cos_alpha = 1, sin_alpha = 0, foot = 0;
  Matrix3<double> rotation() const {
    Matrix3<double> Rz, Rx;
    Rz << cos_phi, -sin_phi, 0, sin_phi, cos_phi, 0, 0, 0, 1;
    Rx << 1, 0, 0, 0, cos_alpha, -sin_alpha, 0, sin_alpha, cos_alpha;
    return Rz * Rx;
  }
};

AxisPair axis_pair(const Vector3<double>& axis, const Vector3<double>& point) {
  AxisPair pair;
  const double sine = std::hypot(axis.x(), axis.y());
  if (sine < eight_ulp) {
    // Parallel: x points at the child's origin, which stays where the file put it.
    pair.cos_alpha = axis.z() > 0 ? 1 : -1;
    const double distance = std::hypot(point.x(), point.y());
    if (distance > eight_ulp * point.norm()) {
      const double sign = point.x() < -eight_ulp * distance ? -1 : 1;  // turn as little as possible
      pair.cos_phi = cleaned(sign * point.x() / distance);
      pair.sin_phi = cleaned(sign * point.y() / distance);
    }
    return pair;
  }
  // axis = Rz(phi) (0, -sin alpha, cos alpha); of the two solutions the smaller turn is taken.
  const double sign = axis.y() > eight_ulp ? -1 : 1;
  pair.cos_phi = cleaned(-sign * axis.y() / sine);
  pair.sin_phi = cleaned(sign * axis.x() / sine);
  pair.sin_alpha = cleaned(sign * sine);
  pair.cos_alpha = cleaned(axis.z());
  if (sine > least_sine) {
    const double along_y = -pair.sin_phi * point.x() + pair.cos_phi * point.y();
    pair.foot = point.z() + along_y / pair.sin_alpha * pair.cos_alpha;
    pair.foot = cleaned_length(pair.foot, point.norm());
  }
  return pair;
}

Pose<double> turn_and_shift(double cosine, double sine, double shift) {
  Pose<double> X;
  X.rotation << cosine, -sine, 0, sine, cosine, 0, 0, 0, 1;
  X.position << 0, 0, shift;
  return X;
}

/// The child that decides a node's x axis: the one with most nodes behind it.
std::vector<int> principal_children(const std::vector<Elementary>& elementary) {
  const int n = static_cast<int>(elementary.size());
  std::vector<int> size(n, 1), principal(n, -1);
  for (int i = n - 1; i > 0; --i) size[elementary[i].parent] += size[i];
  for (int i = 1; i < n; ++i) {
    if (elementary[i].kind != NodeKind::screw) continue;
    int& best = principal[elementary[i].parent];
    if (best < 0 || size[i] > size[best]) best = i;
  }
  return principal;
}

/// How a node's frame N stands in its elementary frame E: turned about z and shifted along it. Both
/// commute with the joint's own motion.
struct Turn {
  double cosine = 1, sine = 0, shift = 0;
};

void place_screw(TreeNode& node, Vector3<double>& position, const Elementary& e, AxisPair pair,
                 const Turn& parent, const Turn& own) {
  if (pair.sin_alpha == 0) {
    // Any phi serves parallel axes: the parent's own costs nothing.
    pair.cos_phi = parent.cosine;
    pair.sin_phi = parent.sine;
  }
  node.cos_phi = cleaned(pair.cos_phi * parent.cosine + pair.sin_phi * parent.sine);
  node.sin_phi = cleaned(pair.sin_phi * parent.cosine - pair.cos_phi * parent.sine);
  node.cos_alpha = pair.cos_alpha;
  node.sin_alpha = pair.sin_alpha;
  const Matrix3<double> R = pair.rotation();
  // What is left after Rz(phi) Rx(alpha) is a turn about z: it joins the joint's own angle.
  const Matrix3<double> rest = R.transpose() * e.X_PE.rotation;
  node.offset = cleaned_angle(std::atan2(rest(1, 0), rest(0, 0)) +
                              std::atan2(own.sine, own.cosine) + e.angle);
  const Vector3<double> from_parent = e.X_PE.position - Vector3<double>(0, 0, parent.shift);
  position = R.transpose() * from_parent + Vector3<double>(0, 0, own.shift + e.shift);
  const double size = e.X_PE.position.norm() + std::abs(parent.shift) + std::abs(own.shift);
  for (double& x : position) x = cleaned_length(x, size);
  node.turned = node.sin_phi != 0 || node.cos_phi != 1 || position.y() != 0;
}

/// The constant pose of a block's frame in its parent's N.
void place_block(TreeNode& node, Vector3<double>& position, const Elementary& e,
                 const Pose<double>& X_EN_parent) {
  const Pose<double> X = X_EN_parent.inverse() * e.X_PE;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) node.rotation[3 * r + c] = cleaned(X.rotation(r, c));
  position = X.position;
}

}  // namespace

NormalForm normal_form(const std::vector<Elementary>& elementary) {
  const int n = static_cast<int>(elementary.size());
  NormalForm form;
  form.X_EN.resize(n);
  form.nodes.resize(n);
  form.positions.assign(n, Vector3<double>::Zero());
  std::vector<Turn> turns(n);
  const std::vector<int> principal = principal_children(elementary);

  for (int i = 1; i < n; ++i) {
    if (elementary[i].kind != NodeKind::screw || principal[i] < 0) continue;
    const Pose<double>& X = elementary[principal[i]].X_PE;
    const AxisPair pair = axis_pair(X.rotation.col(2), X.position);
    turns[i] = {pair.cos_phi, pair.sin_phi, pair.foot};
    form.X_EN[i] = turn_and_shift(pair.cos_phi, pair.sin_phi, pair.foot);
  }

  for (int i = 1; i < n; ++i) {
    const Elementary& e = elementary[i];
    TreeNode& node = form.nodes[i];
    node.parent = e.parent;
    node.kind = e.kind;
    node.q = e.q;
    node.v = e.v;
    node.sigma = e.sigma;
    node.h = e.h;
    node.modal = e.modal;
    node.station = e.station;
    if (e.kind == NodeKind::screw)
      place_screw(node, form.positions[i], e, axis_pair(e.X_PE.rotation.col(2), e.X_PE.position),
                  turns[e.parent], turns[i]);
    else
      place_block(node, form.positions[i], e, form.X_EN[e.parent]);
  }
  return form;
}

}  // namespace ulna
