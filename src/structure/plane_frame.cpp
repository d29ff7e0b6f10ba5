#include "ulna/structure/internal/plane_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "joint_motion.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using Vec = Vector3<double>;

constexpr double small = 1e-9;

/// What a frame in space would miss: the names of the stiffnesses, each once.
std::string missing_of(const Robot& robot) {
  std::string names;
  const auto add = [&](double value, const char* name) {
    if (value > 0 || names.find(name) != std::string::npos) return;
    names += (names.empty() ? "" : ", ") + std::string(name);
  };
  for (const BodyData& body : robot.bodies)
    for (const BeamData& beam : body.beams) {
      const BeamProperties p = properties_of(beam);
      add(p.EA, "EA"), add(p.EIy, "EIy"), add(p.EIz, "EIz"), add(p.GJ, "GJ");
    }
  return names;
}

bool along(const Vec& v, const Vec& n) { return v.cross(n).norm() <= small * v.norm(); }
bool across(const Vec& v, const Vec& n) { return std::abs(v.dot(n)) <= small * v.norm(); }

class PlaneFinder {
 public:
  explicit PlaneFinder(const Model& model) : model_(model), robot_(model.robot()), work_(model) {
    update_poses(model, work_, model.neutral());
  }

  /// The robot moves and bends in the plane across n.
  bool holds(const Vec& n) const {
    for (const JointData& joint : robot_.joints)
      if (!joint_within(joint, n)) return false;
    for (const BodyData& body : robot_.bodies)
      for (const BeamData& beam : body.beams)
        if (bending(body, beam, n) <= 0) return false;
    return true;
  }

  /// The stiffness against bending in the plane; 0 where the beam leaves it.
  double bending(const BodyData& body, const BeamData& beam, const Vec& n) const {
    const Matrix3<double> axes = rotation(body.name) * section_axes(beam);
    if (!across(axes.col(0), n)) return 0;
    const BeamProperties p = properties_of(beam);
    if (along(axes.col(2), n)) return p.EIz;
    return along(axes.col(1), n) ? p.EIy : 0;
  }

 private:
  Matrix3<double> rotation(const std::string& body) const {
    return frame_pose(model_, work_, model_.body(body)).rotation;
  }

  /// It slides within the plane and turns about n only.
  bool joint_within(const JointData& joint, const Vec& n) const {
    const Pose<double> X_WP = frame_pose(model_, work_, model_.body(joint.parent)),
                       X_WC = frame_pose(model_, work_, model_.body(joint.child));
    for (const auto& column :
         joint_motion(joint, X_WP * joint.X_PF, X_WC * joint.X_MC.inverse()).colwise())
      if (!across(column.head<3>(), n) || !along(column.tail<3>(), n)) return false;
    return true;
  }

  const Model& model_;
  const Robot& robot_;
  Workspace work_;
};

/// A beam without EA becomes a million times stiffer along its axis than a cantilever of its length
/// across it: enough to leave frequencies alone to 1e-6, and no more.
bool stiffen(Robot& robot, const PlaneFinder& finder, const Vec& n) {
  bool stiffened = false;
  for (BodyData& body : robot.bodies)
    for (BeamData& beam : body.beams) {
      if (!beam.products || beam.products->EA > 0) continue;
      const double l = beam.length();
      beam.products->EA = 1e6 * 3 * finder.bending(body, beam, n) / (l * l);
      stiffened = true;
    }
  return stiffened;
}

}  // namespace

std::optional<PlaneFrame> plane_frame(const Model& model) {
  const std::string missing = missing_of(model.robot());
  if (missing.empty()) return std::nullopt;
  const PlaneFinder finder(model);
  constexpr const char* freedoms[] = {"v,w,rx", "u,w,ry", "u,v,rz"};
  constexpr const char* planes[] = {"y-z", "x-z", "x-y"};
  for (const int k : {2, 1, 0}) {
    const Vec n = Vec::Unit(k);
    if (!finder.holds(n)) continue;
    PlaneFrame out{freedoms[k], model.robot(), {}};
    const bool stiffened = stiffen(out.robot, finder, n);
    out.note = fmt::format("beams without {}: a frame in the {} plane (--freedoms {}){}", missing,
                           planes[k], freedoms[k],
                           stiffened ? ", whose beams do not stretch where they have no EA" : "");
    return out;
  }
  return std::nullopt;
}

std::optional<unsigned> freedoms_named(const std::string& list) {
  static const std::vector<std::string> words = {"u", "v", "w", "rx", "ry", "rz"};
  unsigned mask = 0;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const auto at = std::ranges::find(words, list.substr(begin, end - begin));
    if (at == words.end()) return std::nullopt;
    mask |= 1u << (at - words.begin());
    begin = end + 1;
  }
  return mask;
}

}  // namespace ulna
