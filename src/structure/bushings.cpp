#include "bushings.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>

namespace ulna {
namespace {

using Side = BushingData::Side;

bool beam_passes(const BodyData& body, const Vector3<double>& p) {
  for (const BeamData& beam : body.beams) {
    const double length = beam.length();
    const Vector3<double> x = (beam.to - beam.from) / length;
    const double s = (p - beam.from).dot(x), slack = 1e-9 * length;
    if (s >= -slack && s <= length + slack && (p - beam.from - s * x).norm() <= slack) return true;
  }
  return false;
}

class BushingPlacer {
 public:
  explicit BushingPlacer(const PlacedJoint& joint)
      : at_(joint),
        X_WF_(joint.X_WP * joint.joint.X_PF),
        p_M_((joint.X_WC * joint.joint.X_MC.inverse()).position),
        axis_(X_WF_.rotation * joint.joint.axis.normalized()) {}

  std::vector<PlacedBushing> run() const {
    std::vector<BushingData> bushings = at_.joint.bushings;
    if (bushings.empty()) {
      const Side side = side_of(0);
      if (side == Side::automatic) return {};
      bushings.emplace_back().on = side;
    }
    std::vector<PlacedBushing> placed;
    for (std::size_t k = 0; k < bushings.size(); ++k) {
      const BushingData& b = bushings[k];
      placed.push_back({place(b, static_cast<int>(k)), {}});
      const double tilting = b.tilting.value_or(bushings.size() == 1 ? BushingData::rigid : 0);
      const double torsion = b.torsion.value_or(k == 0 ? BushingData::rigid : 0);
      placed.back().across = directions(b.stiffness, tilting, torsion);
    }
    return placed;
  }

 private:
  static bool has_beams(const BodyData* body) { return body && !body->beams.empty(); }

  static bool passes(const BodyData* body, const Pose<double>& X_WB, const Vector3<double>& p_W) {
    return body && beam_passes(*body, X_WB.inverse() * p_W);
  }

  Vector3<double> position(Side side, double along) const {
    return (side == Side::child ? p_M_ : X_WF_.position) + along * axis_;
  }

  // The body that the other's beam passes through; automatic when there is none.
  Side side_of(double along) const {
    if (passes(at_.child, at_.X_WC, position(Side::parent, along))) return Side::parent;
    if (passes(at_.parent, at_.X_WP, position(Side::child, along))) return Side::child;
    return Side::automatic;
  }

  Vector3<double> place(const BushingData& bushing, int number) const {
    Side side = bushing.on == Side::automatic ? side_of(bushing.at) : bushing.on;
    // Where no beam passes, the one that could is missed.
    if (side == Side::automatic)
      side = has_beams(at_.parent) && !has_beams(at_.child) ? Side::child : Side::parent;
    const Vector3<double> p = position(side, bushing.at);
    const BodyData* guided = side == Side::parent ? at_.child : at_.parent;
    if (has_beams(guided) && !passes(guided, side == Side::parent ? at_.X_WC : at_.X_WP, p))
      throw ComputationError(
          fmt::format("joint '{}': bushing {} at ({:.4g}, {:.4g}, {:.4g}) is on no beam of body "
                      "'{}', which has "
                      "slid out of it (move the joint back, or place the bushing elsewhere)",
                      at_.joint.name, number + 1, p.x(), p.y(), p.z(), guided->name));
    return p;
  }

  // One of the directions across the axis lies along a world axis where that is possible, so that
  // plane frames find theirs.
  std::vector<BushingDirection> directions(double radial, double tilting, double torsion) const {
    int least = 0;
    axis_.cwiseAbs().minCoeff(&least);
    const Vector3<double> unit = Vector3<double>::Unit(least);
    const Vector3<double> first = (unit - unit.dot(axis_) * axis_).normalized();
    const Vector3<double> second = axis_.cross(first);
    const auto shift = [](const Vector3<double>& n) {
      Vector6<double> d = Vector6<double>::Zero();
      d.head<3>() = n;
      return d;
    };
    const auto turn = [](const Vector3<double>& n) {
      Vector6<double> d = Vector6<double>::Zero();
      d.tail<3>() = n;
      return d;
    };
    return {{"shift 1", shift(first), radial},
            {"shift 2", shift(second), radial},
            {"tilt 1", turn(first), tilting},
            {"tilt 2", turn(second), tilting},
            {"torsion", turn(axis_), torsion}};
  }

  const PlacedJoint& at_;
  const Pose<double> X_WF_;
  const Vector3<double> p_M_, axis_;
};

}  // namespace

std::vector<PlacedBushing> placed_bushings(const PlacedJoint& joint) {
  const JointType type = joint.joint.type;
  if (type != JointType::prismatic && type != JointType::cylindrical) return {};
  return BushingPlacer(joint).run();
}

}  // namespace ulna
