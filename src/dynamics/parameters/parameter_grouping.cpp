#include "ulna/dynamics/internal/parameter_grouping.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace ulna {
namespace {

using Turning = NodeFeel::Turning;

/// Directions count as parallel or perpendicular up to the rounding of a chain of rotations; what
/// is neglected then is rounding of the efforts, too.
constexpr double direction_tolerance = 1e-14;

bool parallel(const Vector3<double>& a, const Vector3<double>& z) {
  return a.cross(z).norm() <= direction_tolerance * a.norm();
}
bool perpendicular(const Vector3<double>& a, const Vector3<double>& z) {
  return std::abs(a.dot(z)) <= direction_tolerance * a.norm();
}

/// A product of exact quarter turns, exact again: the rule of the builder.
double cleaned(double x) {
  constexpr double eight_ulp = 8 * 2.220446049250313e-16;
  const double nearest = std::round(x);
  return std::abs(x - nearest) < eight_ulp ? nearest : x;
}

/// Feels; for nodes that do not turn, the directions in which they can be accelerated; for those
/// that turn about one direction, whether along it.
struct Motion {
  NodeFeel feel;
  std::vector<Vector3<double>> accelerations;
  bool along_e = false;
};

/// eq. 15: the rotor of a slide acts as mass, unless that mass is moved along the slide by others.
bool rotor_is_apart(const Motion& own, bool along) {
  const auto across = [](const Vector3<double>& a) {
    return perpendicular(a, Vector3<double>::UnitZ());
  };
  if (own.feel.turning == Turning::none)
    return !std::all_of(own.accelerations.begin(), own.accelerations.end(), across);
  return !along || own.along_e;
}

Motion screw_motion(const TreeNode& node, const Motion& parent) {
  const Matrix3<double> R = screw_rotation(node);
  const Vector3<double> z = Vector3<double>::UnitZ();
  Motion own;
  own.feel.turning = parent.feel.turning;
  own.feel.e = R.transpose() * parent.feel.e;
  for (const Vector3<double>& a : parent.accelerations)
    own.accelerations.push_back(R.transpose() * a);
  const bool along = parent.feel.turning == Turning::line && parallel(own.feel.e, z);
  if (along) own.feel.e = Vector3<double>(0, 0, own.feel.e.z() > 0 ? 1 : -1);
  own.along_e = parent.along_e;
  if (node.sigma == 0 && node.h == 0) return own;
  if (node.sigma == 0) {
    own.feel.rotor_apart = rotor_is_apart(own, along);
    own.accelerations.push_back(z);
    own.along_e |= !perpendicular(own.feel.e, z);
    return own;
  }
  if (parent.feel.turning == Turning::none) {
    own.feel.turning = Turning::line;
    own.feel.e = z;
    own.feel.first_moment = own.feel.mass_apart = own.feel.rotor_apart = false;
    for (const Vector3<double>& a : own.accelerations) {
      own.feel.first_moment |= !parallel(a, z);
      own.feel.mass_apart |= !perpendicular(a, z);
    }
    own.along_e = own.feel.mass_apart;
  } else if (!along) {
    // eq. 15: a rotor is told from the inertia about z by the turning of the parent about z.
    if (own.feel.turning == Turning::line && perpendicular(own.feel.e, z))
      own.feel.rotor_apart = false;
    own.feel.turning = Turning::full;
  }
  own.along_e |= node.h != 0;
  return own;
}

Motion motion_of(const TreeNode& node, const Motion& parent) {
  if (node.kind == NodeKind::screw) return screw_motion(node, parent);
  Motion own;
  own.feel.turning = Turning::full;
  own.feel.first_moment = node.kind == NodeKind::free || parent.feel.turning != Turning::none ||
                          !parent.accelerations.empty();
  return own;
}

}  // namespace

Matrix3<double> screw_rotation(const TreeNode& node) {
  const double c = std::cos(node.offset), s = std::sin(node.offset);
  const double ca = node.cos_alpha, sa = node.sin_alpha, cf = node.cos_phi, sf = node.sin_phi;
  Matrix3<double> Rf, Ra, Ro;
  Rf << cf, -sf, 0, sf, cf, 0, 0, 0, 1;
  Ra << 1, 0, 0, 0, ca, -sa, 0, sa, ca;
  Ro << c, -s, 0, s, c, 0, 0, 0, 1;
  const Matrix3<double> R = Rf * Ra * Ro;
  return R.unaryExpr([](double x) { return cleaned(x); });
}

std::vector<NodeFeel> node_feels(const Topology& topology, const GroupingOptions& options) {
  std::vector<Motion> motions(topology.nodes.size());
  if (!options.gravity)
    for (int k = 0; k < 3; ++k) motions[0].accelerations.push_back(Vector3<double>::Unit(k));
  else if (!options.gravity->isZero(0))
    motions[0].accelerations.push_back(*options.gravity);
  for (std::size_t i = 1; i < topology.nodes.size(); ++i)
    motions[i] = motion_of(topology.nodes[i], motions[topology.nodes[i].parent]);
  std::vector<NodeFeel> feels;
  for (const Motion& motion : motions) {
    feels.push_back(motion.feel);
    if (!options.rotors) feels.back().rotor_apart = true;
  }
  return feels;
}

std::vector<FeltParameters> felt_parameters(const Topology& topology,
                                            const GroupingOptions& options) {
  // Grouped values of no special size: only what was cleared is zero.
  Parameters<double> parameters;
  parameters.nodes.resize(topology.nodes.size());
  parameters.armature.assign(topology.speeds, 0.0);
  double next = 1;
  for (NodeParameters<double>& node : parameters.nodes) {
    node.mass = std::sin(next++);
    for (double& h : node.first_moment) h = std::sin(next++);
    for (double& Sigma : node.second_moment) Sigma = std::sin(next++);
    for (double& p : node.position) p = std::sin(next++);
  }
  group_parameters(topology, parameters, options);
  std::vector<FeltParameters> felt(topology.nodes.size(), FeltParameters{});
  for (std::size_t i = 1; i < felt.size(); ++i) {
    const NodeParameters<double>& node = parameters.nodes[i];
    felt[i][0] = node.mass != 0;
    for (int k = 0; k < 3; ++k) felt[i][1 + k] = node.first_moment[k] != 0;
    for (int k = 0; k < 6; ++k) felt[i][4 + k] = node.second_moment[k] != 0;
  }
  return felt;
}

}  // namespace ulna
