#include "ulna/model/parts/platform.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

namespace ulna {
namespace {

/// Axes x, y, z as the columns of a rotation.
Matrix3<double> columns(const Vector3<double>& x, const Vector3<double>& y,
                        const Vector3<double>& z) {
  Matrix3<double> R;
  R << x, y, z;
  return R;
}

[[noreturn]] void refuse(const PlatformLeg& leg, const std::string& message,
                         const std::string& expected) {
  throw InputError(Problem{{}, fmt::format("leg '{}'", leg.name), message, expected, {}});
}

void check(const PlatformLeg& leg) {
  if (!leg.base.allFinite() || !leg.platform.allFinite())
    refuse(leg, "its points are not finite", "finite coordinates");
  if (!(leg.axis.norm() > 0) || !leg.axis.allFinite())
    refuse(leg, "its axis has no direction", "a vector of any length");
  const Vector3<double> across =
      leg.zero - leg.axis * leg.axis.dot(leg.zero) / leg.axis.squaredNorm();
  if (!(across.norm() > 1e-9 * leg.zero.norm()))
    refuse(leg, "its zero direction lies along the axis", "a direction across the axis");
  if (leg.kind == LegKind::slider) return;
  if (!leg.rail.allFinite()) refuse(leg, "its rail has no direction", "a vector of any length");
  if (leg.on_rail()) {
    if (leg.crank_length != 0)
      refuse(leg, fmt::format("a rail and a crank of {} m", leg.crank_length), "one of them");
    if (leg.kind == LegKind::planar &&
        !(std::abs(leg.rail.dot(leg.axis)) < 1e-9 * leg.rail.norm() * leg.axis.norm()))
      refuse(leg, "its rail leads out of the plane", "a rail across the hinges");
    if (!(leg.rod_length > 0))
      refuse(leg, fmt::format("a rod of {} m", leg.rod_length), "a length above zero");
  } else if (!(leg.crank_length > 0) || !(leg.rod_length > 0))
    refuse(leg, fmt::format("crank of {} m and rod of {} m", leg.crank_length, leg.rod_length),
           "lengths above zero");
  if (leg.kind == LegKind::pair && !(leg.spacing > 0))
    refuse(leg, fmt::format("rods {} m apart", leg.spacing), "a spacing above zero");
}

void check(const PlatformData& data) {
  if (data.legs.size() < 3)
    throw InputError(fmt::format("{} legs for platform '{}'", data.legs.size(), data.name),
                     "at least three");
  for (const PlatformLeg& leg : data.legs) {
    check(leg);
    if (const LegKind first = data.legs[0].kind; !leave_same_freedom(leg.kind, first))
      refuse(leg, fmt::format("a {} leg together with a {} leg", name_of(leg.kind), name_of(first)),
             "legs that leave the platform the same freedom");
  }
}

class Builder {
 public:
  explicit Builder(const PlatformData& data) : data_(data) {
    robot.name = data.name;
    robot.description = data.description;
    robot.gravity = data.gravity;
    body(data.platform_body, data.inertial);
    JointData& joint = add(data.float_joint, JointType::free, world_name, data.platform_body);
    joint.X_PF = data.home;
    if (data.legs[0].kind != LegKind::planar) return;
    // The plane's axis is the z of the joint; the platform keeps its frame.
    joint.type = JointType::planar;
    const Vector3<double> z = data.legs[0].axis.normalized();
    const Vector3<double> x = (data.legs[0].zero - z * z.dot(data.legs[0].zero)).normalized();
    const Matrix3<double> R = columns(x, z.cross(x), z);
    joint.X_PF.rotation = R;
    joint.X_MC.rotation = R.transpose() * data.home.rotation;
  }

  void slider(const PlatformLeg& leg) {
    const Vector3<double> a = leg.axis.normalized(),
                          e = (leg.zero - a * a.dot(leg.zero)).normalized();
    const std::string cross = leg.name + "_cross", cylinder = leg.name + "_cylinder",
                      rod = leg.name + "_rod";
    body(cross, leg.cross);
    body(cylinder, leg.cylinder);
    body(rod, leg.rod);
    JointData& hinge = add(leg.name + "_hinge", JointType::revolute, world_name, cross);
    hinge.X_PF = {columns(a, e.cross(a), e), leg.base};
    hinge.axis = Vector3<double>::UnitX();
    hinge.degrees = {leg.hinge};
    JointData& swing = add(leg.name + "_swing", JointType::revolute, cross, cylinder);
    swing.axis = Vector3<double>::UnitY();
    swing.degrees = {leg.swing};
    add(leg.name, JointType::prismatic, cylinder, rod).degrees = {leg.drive};
    close(leg.name + "_ball", JointType::spherical, rod, Pose<double>::identity(), leg.platform);
    if (leg.radius > 0) {
      draw(cylinder, leg.radius, Vector3<double>::UnitZ(), 2 * leg.cylinder.centre.norm());
      draw(rod, 0.6 * leg.radius, -Vector3<double>::UnitZ(), 2 * leg.rod.centre.norm());
    }
  }

  void crank(const PlatformLeg& leg) {
    const Vector3<double> a = leg.axis.normalized(),
                          x = (leg.zero - a * a.dot(leg.zero)).normalized();
    const Matrix3<double> R = columns(x, a.cross(x), a);
    const std::string crank = crank_name(leg);
    body(crank, leg.crank);
    if (leg.radius > 0) draw(crank, leg.radius, Vector3<double>::UnitX(), leg.crank_length);
    JointData& drive = add(leg.name, leg.on_rail() ? JointType::prismatic : JointType::revolute,
                           world_name, crank);
    drive.X_PF = {R, leg.base};
    drive.degrees = {leg.drive};
    if (leg.on_rail()) drive.axis = R.transpose() * leg.rail.normalized();
    // Platform axes that stand as the leg's do when the platform is at home.
    const Matrix3<double> R_PL = data_.home.rotation.transpose() * R;
    if (leg.kind != LegKind::pair) return rod(leg, "", 0, R_PL);
    rod(leg, "_a", -0.5 * leg.spacing, R_PL);
    rod(leg, "_b", 0.5 * leg.spacing, R_PL);
  }

  Robot robot;

 private:
  static std::string crank_name(const PlatformLeg& leg) {
    return leg.name + (leg.on_rail() ? "_carriage" : "_crank");
  }

  void rod(const PlatformLeg& leg, const std::string& suffix, double offset,
           const Matrix3<double>& R_PL) {
    const std::string name = leg.name + "_rod" + suffix;
    body(name, leg.rod);
    if (leg.radius > 0) draw(name, 0.6 * leg.radius, Vector3<double>::UnitX(), leg.rod_length);
    JointData& elbow =
        add(leg.name + "_elbow" + suffix, JointType::universal, crank_name(leg), name);
    elbow.X_PF.position = {leg.crank_length, 0, offset};
    elbow.axis = Vector3<double>::UnitZ();
    elbow.axis2 = Vector3<double>::UnitY();
    if (leg.crank_balls) elbow.type = JointType::spherical;
    if (leg.kind == LegKind::planar) elbow.type = JointType::revolute;
    const Pose<double> tip = Pose<double>::translation({leg.rod_length, 0, 0});
    const Vector3<double> point = leg.platform + R_PL.col(2) * offset;
    const bool ball = leg.kind == LegKind::rod || leg.kind == LegKind::pair;
    if (ball) return close(leg.name + "_ball" + suffix, JointType::spherical, name, tip, point);
    // The last axis is that of the crank, fixed to the platform.
    JointData& last = add(leg.name + "_end", JointType::universal, name, data_.platform_body);
    last.X_PF = tip;
    last.X_MC = Pose<double>{R_PL, point}.inverse();
    last.axis = Vector3<double>::UnitY();
    last.axis2 = Vector3<double>::UnitZ();
    last.cut = true;
    if (leg.kind != LegKind::planar) return;
    last.type = JointType::revolute;
    last.axis = Vector3<double>::UnitZ();
  }

  void close(const std::string& name, JointType type, const std::string& from,
             const Pose<double>& at, const Vector3<double>& point) {
    JointData& joint = add(name, type, from, data_.platform_body);
    joint.X_PF = at;
    joint.X_MC.position = -point;
    joint.cut = true;
  }

  void body(const std::string& name, const Inertial& inertial) {
    BodyData data;
    data.name = name;
    data.inertial = inertial;
    robot.bodies.push_back(data);
  }
  void draw(const std::string& name, double radius, const Vector3<double>& along, double length) {
    if (!(length > 0)) return;
    Geometry shape;
    shape.shape = Geometry::Shape::cylinder;
    shape.size = {radius, length, 0};
    shape.X_BG.position = 0.5 * length * along;
    if (along.x() != 0)
      shape.X_BG.rotation =
          columns(Vector3<double>(0, 0, -1), Vector3<double>(0, 1, 0), Vector3<double>(1, 0, 0));
    for (BodyData& data : robot.bodies)
      if (data.name == name) data.geometry.push_back(shape);
  }
  JointData& add(const std::string& name, JointType type, const std::string& parent,
                 const std::string& child) {
    JointData joint;
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    robot.joints.push_back(joint);
    return robot.joints.back();
  }

  const PlatformData& data_;
};

}  // namespace

const char* name_of(LegKind kind) {
  switch (kind) {
    case LegKind::slider:
      return "slider";
    case LegKind::rod:
      return "rod";
    case LegKind::pair:
      return "pair";
    case LegKind::universal:
      return "universal";
    case LegKind::planar:
      return "planar";
  }
  return "";
}

bool leave_same_freedom(LegKind a, LegKind b) {
  const auto is_spatial = [](LegKind k) { return k == LegKind::slider || k == LegKind::rod; };
  return is_spatial(a) == is_spatial(b) && (a == LegKind::planar) == (b == LegKind::planar);
}

Robot platform_robot(const PlatformData& data) {
  check(data);
  Builder builder(data);
  for (const PlatformLeg& leg : data.legs)
    leg.kind == LegKind::slider ? builder.slider(leg) : builder.crank(leg);
  return builder.robot;
}

}  // namespace ulna
