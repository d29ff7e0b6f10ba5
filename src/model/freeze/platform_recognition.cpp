// The description of a platform in an ordinary robot with loops: one body floats on the world, and
// legs of known kinds lead from the world to it. docs/theory/platforms.md, section 1.

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "ulna/model/model.hpp"
#include "ulna/model/parts/platform.hpp"

namespace ulna {
namespace {

constexpr double close_enough = 1e-9;  ///< metres and sines that count as zero

/// A joint as seen walking away from the world, all coordinates zero, in world axes.
struct Step {
  const JointData* joint = nullptr;
  bool reversed = false;
  Vector3<double> point, axis, axis2;  ///< axis2: of a universal joint, the one farther out
  DegreeData degree(std::size_t k) const {
    if (k >= joint->degrees.size()) return {};
    return joint->degrees[k];
  }
};

class Reader {
 public:
  explicit Reader(const Robot& robot) : robot_(robot) {
    for (const BodyData& body : robot.bodies) bodies_[body.name] = &body;
    for (const JointData& joint : robot.joints) {
      at_[joint.parent].push_back(&joint);
      at_[joint.child].push_back(&joint);
    }
    for (const PayloadData& payload : robot.payloads)
      refuse(fmt::format("payload '{}' is a mass in addition to those of the bodies", payload.name),
             "no payloads: add it to its body");
    if (!robot.constraints.empty())
      refuse(fmt::format("constraint '{}' holds it besides the joints", robot.constraints[0].name),
             "joints only");
  }

  PlatformData read() {
    find_platform();
    data_.name = robot_.name;
    data_.description = robot_.description;
    data_.gravity = robot_.gravity;
    if (!robot_.elements.empty()) data_.element = robot_.elements[0].name;
    for (const JointData* joint : at_[world_name]) {
      if (joint == float_) continue;
      data_.legs.push_back(read_leg(*joint));
    }
    for (const PlatformLeg& leg : data_.legs)
      if (const PlatformLeg& first = data_.legs[0]; !leave_same_freedom(leg.kind, first.kind))
        refuse(fmt::format("leg '{}' ({}) and leg '{}' ({}) leave it different freedoms", leg.name,
                           name_of(leg.kind), first.name, name_of(first.kind)),
               "legs that leave the platform the same freedom");
    std::size_t held = 0;
    for (const PlatformLeg& leg : data_.legs) held += leg.kind == LegKind::pair ? 2 : 1;
    if (held + 1 != at_[data_.platform_body].size())
      refuse(fmt::format("body '{}' has {} joints, of which {} belong to legs", data_.platform_body,
                         at_[data_.platform_body].size(), held),
             "legs of known kinds only");
    if (data_.legs.size() < 3)
      refuse(fmt::format("body '{}' has {} leg{}", data_.platform_body, data_.legs.size(),
                         data_.legs.size() == 1 ? "" : "s"),
             "at least three legs");
    return data_;
  }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw InputError(Problem{{robot_.source, 0, 0},
                             fmt::format("robot '{}'", robot_.name),
                             fmt::format("is not a platform: {}", found),
                             expected,
                             {}});
  }
  void require(bool fine, const JointData& joint, const char* found, const char* expected) const {
    if (!fine) refuse(fmt::format("joint '{}' {}", joint.name, found), expected);
  }

  void find_platform() {
    for (const JointData* joint : at_[world_name])
      if (joint->type == JointType::free || joint->type == JointType::planar) {
        if (float_) refuse("two bodies float on the world", "one");
        float_ = joint;
      }
    if (!float_ || float_->parent != world_name)
      refuse("no body floats on the world",
             "a free (or planar) joint from the world to the platform, which the legs hold");
    data_.platform_body = float_->child;
    data_.float_joint = float_->name;
    data_.home = float_->X_PF * float_->X_MC;
    data_.inertial = bodies_.at(float_->child)->inertial;
    zero_[data_.platform_body] = data_.home;
    zero_[world_name] = Pose<double>::identity();
  }

  /// From a body over a joint to the other one, whose pose at zero is noted.
  Step cross_over(const std::string& from, const JointData& joint, std::string& to) {
    Step step;
    step.joint = &joint;
    step.reversed = joint.parent != from;
    to = step.reversed ? joint.parent : joint.child;
    const Pose<double> X_PC = joint.X_PF * joint.X_MC;
    const Pose<double> X_WP = step.reversed ? zero_[from] * X_PC.inverse() : zero_[from];
    const Pose<double> X_WF = X_WP * joint.X_PF;
    step.point = X_WF.position;
    const double sense = step.reversed ? -1 : 1;
    step.axis = sense * (X_WF.rotation * joint.axis).normalized();
    step.axis2 = sense * (X_WF.rotation * joint.axis2).normalized();
    if (step.reversed && joint.type == JointType::universal) std::swap(step.axis, step.axis2);
    if (to != world_name && to != data_.platform_body)
      zero_[to] = step.reversed ? X_WP : X_WP * X_PC;
    return step;
  }

  /// The joints that lead on from a body.
  std::vector<const JointData*> onward(const std::string& body, const JointData& from) const {
    std::vector<const JointData*> list;
    for (const JointData* joint : at_.at(body))
      if (joint != &from) list.push_back(joint);
    return list;
  }
  const JointData& only_onward(const std::string& body, const JointData& from) const {
    const std::vector<const JointData*> list = onward(body, from);
    if (list.size() != 1)
      refuse(fmt::format("body '{}' has {} joints", body, list.size() + 1),
             "legs without branches, of the kinds that docs/theory/platforms.md lists");
    return *list[0];
  }

  /// Where the last joint stands on the rod at zero (world), and on the platform (its frame).
  struct End {
    Vector3<double> on_rod, on_platform;
    const JointData* joint;
    Vector3<double> inner,
        last;  ///< its axes at the rod at zero and at the platform at home, world
  };
  End end_of(const std::string& rod, const JointData& joint) {
    End end;
    end.joint = &joint;
    const Vector3<double> first = joint.axis.normalized(),
                          second = joint.type == JointType::universal
                                       ? joint.axis2.normalized().eval()
                                       : first;
    if (joint.parent == rod && joint.child == data_.platform_body) {
      end.on_rod = zero_[rod] * joint.X_PF.position;
      end.on_platform = joint.X_MC.inverse().position;
      end.inner = zero_[rod].rotation * joint.X_PF.rotation * first;
      end.last = data_.home.rotation * joint.X_MC.rotation.transpose() * second;
    } else if (joint.child == rod && joint.parent == data_.platform_body) {
      end.on_rod = zero_[rod] * joint.X_MC.inverse().position;
      end.on_platform = joint.X_PF.position;
      end.inner = zero_[rod].rotation * joint.X_MC.rotation.transpose() * second;
      end.last = data_.home.rotation * joint.X_PF.rotation * first;
    } else {
      refuse(fmt::format("joint '{}' does not lead to body '{}'", joint.name, data_.platform_body),
             "legs that end at the platform");
    }
    return end;
  }

  /// Mass data of a body in the frame X_W at zero.
  Inertial moved(const std::string& body, const Matrix3<double>& R, const Vector3<double>& p) {
    const Pose<double> X = Pose<double>{R, p}.inverse() * zero_[body];
    const Inertial& was = bodies_.at(body)->inertial;
    return {was.mass, X * was.centre, X.rotation * was.inertia * X.rotation.transpose()};
  }
  double radius_of(const std::string& body) const {
    double radius = 0;
    for (const Geometry& g : bodies_.at(body)->geometry)
      if (g.shape == Geometry::Shape::cylinder || g.shape == Geometry::Shape::capsule)
        radius = std::max(radius, g.size.x());
    return radius;
  }

  PlatformLeg read_leg(const JointData& first) {
    std::string body;
    const Step hinge = cross_over(world_name, first, body);
    if (first.type == JointType::universal) return read_slider(hinge, body, body, nullptr);
    const std::vector<const JointData*> next = onward(body, first);
    if (first.type == JointType::prismatic) return read_crank(hinge, body, next);
    require(first.type == JointType::revolute, first, "is not a hinge",
            "legs that begin with a revolute, prismatic or universal joint");
    if (next.size() == 1 && next[0]->type == JointType::revolute) {
      std::string outer;
      const Step swing = cross_over(body, *next[0], outer);
      const JointData& third = only_onward(outer, *next[0]);
      if (third.type == JointType::prismatic) return read_slider(hinge, body, outer, &swing);
    }
    return read_crank(hinge, body, next);
  }

  PlatformLeg read_slider(const Step& hinge, const std::string& cross, const std::string& cylinder,
                          const Step* swing) {
    PlatformLeg leg;
    const JointData& inner = swing ? *swing->joint : *hinge.joint;
    const JointData& slide_joint = only_onward(cylinder, inner);
    require(slide_joint.type == JointType::prismatic, slide_joint, "is not a slide",
            "a leg of universal joint, slide and ball");
    std::string rod;
    const Step slide = cross_over(cylinder, slide_joint, rod);
    const End end = end_of(rod, only_onward(rod, slide_joint));
    require(end.joint->type == JointType::spherical, *end.joint, "is not a ball",
            "a leg of universal joint, slide and ball");
    const Vector3<double> a = hinge.axis, second = swing ? swing->axis : hinge.axis2,
                          d = slide.axis;
    if (swing)
      require((swing->point - hinge.point).cross(swing->axis).norm() < close_enough &&
                  std::abs((swing->point - hinge.point).dot(a)) < close_enough,
              *swing->joint, "misses the axis of the first hinge", "axes that cross");
    require(std::abs(a.dot(second)) < close_enough, inner, "is not across the first axis",
            "axes at right angles");
    require(std::abs(a.dot(d)) < close_enough && std::abs(second.dot(d)) < close_enough,
            slide_joint, "is not across both hinges when these are at zero",
            "a leg that stands across them");
    require((end.on_rod - hinge.point).norm() < close_enough, slide_joint,
            "does not have the leg's length as coordinate",
            "the ball at the crossing of the hinges when the slide is at zero");
    leg.name = slide_joint.name;
    leg.base = hinge.point;
    leg.axis = a;
    leg.zero = d;
    leg.platform = end.on_platform;
    Matrix3<double> R;
    R << a, d.cross(a), d;
    if (swing) leg.cross = moved(cross, R, leg.base);
    leg.cylinder = moved(cylinder, R, leg.base);
    leg.rod = moved(rod, R, end.on_rod);
    leg.swing_sense = R.col(1).dot(second) > 0 ? 1 : -1;
    leg.drive = slide.degree(0);
    leg.hinge = hinge.degree(0);
    leg.swing = swing ? swing->degree(0) : hinge.degree(1);
    if (leg.swing_sense < 0) {
      std::swap(leg.swing.lower, leg.swing.upper);
      leg.swing.lower *= -1;
      leg.swing.upper *= -1;
    }
    leg.joints = {hinge.joint->name};
    if (swing) leg.joints.push_back(swing->joint->name);
    leg.radius = std::max(radius_of(cylinder), radius_of(rod));
    return leg;
  }

  PlatformLeg read_crank(const Step& hinge, const std::string& crank,
                         const std::vector<const JointData*>& elbows) {
    if (elbows.empty() || elbows.size() > 2)
      refuse(fmt::format("body '{}' has {} joints", crank, elbows.size() + 1),
             "a crank with one rod or two");
    // Rods between balls have no axis of their own: two of them have the one they are apart along.
    Vector3<double> beside = Vector3<double>::Zero();
    if (elbows.size() == 2) {
      std::string rod;
      const Step one = cross_over(crank, *elbows[0], rod), two = cross_over(crank, *elbows[1], rod);
      beside = (two.point - one.point).normalized();
    }
    PlatformLeg leg = read_rod(hinge, crank, *elbows[0], beside);
    if (elbows.size() == 1) return leg;
    const PlatformLeg other = read_rod(hinge, crank, *elbows[1], beside);
    const Vector3<double> apart = leg.base - other.base,
                          apart_up = data_.home.rotation * (leg.platform - other.platform);
    const bool parallel = leg.kind == LegKind::rod && other.kind == LegKind::rod &&
                          (apart - apart_up).norm() < close_enough &&
                          std::abs(leg.rod_length - other.rod_length) < close_enough &&
                          (leg.zero - other.zero).norm() < close_enough &&
                          std::abs(leg.crank_length - other.crank_length) < close_enough &&
                          (leg.rod.inertia - other.rod.inertia).norm() <=
                              close_enough * (1 + leg.rod.inertia.norm()) &&
                          std::abs(leg.rod.mass - other.rod.mass) < close_enough;
    require(parallel, *elbows[1], "and its neighbour hold rods that do not form a parallelogram",
            "two equal rods, side by side along the crank's axis");
    require(apart.cross(leg.axis).norm() < close_enough, *elbows[1],
            "is not beside its neighbour along the first axis of their joints",
            "two equal rods, side by side along that axis");
    leg.kind = LegKind::pair;
    leg.spacing = apart.norm();
    leg.base = 0.5 * (leg.base + other.base);
    leg.crank.centre.z() += 0.5 * leg.axis.dot(apart);  // its frame is now between the rods
    leg.platform = (0.5 * (leg.platform + other.platform)).eval();
    leg.joints.push_back(other.joints[0]);
    return leg;
  }

  PlatformLeg read_rod(const Step& hinge, const std::string& crank, const JointData& elbow_joint,
                       const Vector3<double>& beside) {
    PlatformLeg leg;
    std::string rod;
    const Step elbow = cross_over(crank, elbow_joint, rod);
    require(rod != data_.platform_body && rod != world_name, elbow_joint, "leaves out the rod",
            "a crank, a rod and the platform");
    const End end = end_of(rod, only_onward(rod, elbow_joint));
    const JointType inner = elbow_joint.type, outer = end.joint->type;
    const bool ball = outer == JointType::spherical;
    if (inner == JointType::revolute && outer == JointType::revolute)
      leg.kind = LegKind::planar;
    else if (inner == JointType::universal && outer == JointType::universal)
      leg.kind = LegKind::universal;
    else if (ball && (inner == JointType::universal || inner == JointType::spherical))
      leg.kind = LegKind::rod;
    else
      refuse(fmt::format("joints '{}' ({}) and '{}' ({}) hold a rod", elbow_joint.name,
                         name_of(inner), end.joint->name, name_of(outer)),
             "universal or ball and ball, two universal joints, or two hinges");
    const bool rail = hinge.joint->type == JointType::prismatic;
    const Vector3<double> along = end.on_rod - elbow.point;
    leg.rod_length = along.norm();
    require(leg.rod_length > 0, elbow_joint, "leaves no rod", "a length above zero");
    const Vector3<double> n = along / leg.rod_length;
    // On a carriage, any axis stays where it is: that of the rod's own joint.
    const Vector3<double> a = !rail                           ? hinge.axis
                              : inner != JointType::spherical ? elbow.axis
                              : beside.norm() > 0             ? beside
                                                              : n.unitOrthogonal().eval();
    leg.name = hinge.joint->name;
    leg.axis = a;
    if (rail) {
      leg.rail = hinge.axis;
      leg.base = elbow.point;
      leg.zero = n - a * a.dot(n);
      if (leg.kind == LegKind::planar)
        require(std::abs(a.dot(leg.rail)) < close_enough, *hinge.joint, "leads out of the plane",
                "a rail across the hinges");
    } else {
      const Vector3<double> arm = elbow.point - hinge.point, tip = arm - a * a.dot(arm);
      leg.base = hinge.point + a * a.dot(arm);
      leg.crank_length = tip.norm();
      require(leg.crank_length > 0, elbow_joint, "leaves no crank", "a length above zero");
      leg.zero = tip / leg.crank_length;
    }
    leg.platform = end.on_platform;
    leg.crank_balls = inner == JointType::spherical;
    if (inner == JointType::universal) {
      require(elbow.axis.cross(a).norm() < close_enough, elbow_joint,
              "does not begin along the crank's axis", "the first axis along that of the crank");
      require(std::abs(elbow.axis2.dot(n)) < close_enough &&
                  std::abs(elbow.axis2.dot(a)) < close_enough,
              elbow_joint, "has a second axis that is not across rod and crank axis",
              "an axis across both");
    }
    // Else the platform turns besides, or moves out of the plane.
    if (leg.kind == LegKind::universal)
      require(end.inner.cross(elbow.axis2).norm() < close_enough &&
                  end.last.cross(a).norm() < close_enough,
              *end.joint, "is not parallel to the joint at the other end of the rod",
              "the same two axes at both ends of the rod");
    if (leg.kind == LegKind::planar)
      require(end.inner.cross(a).norm() < close_enough && end.last.cross(a).norm() < close_enough,
              *end.joint, "is not parallel to the first axis of the leg", "three parallel hinges");
    if (leg.kind == LegKind::planar)
      require(elbow.axis.cross(a).norm() < close_enough && std::abs(n.dot(a)) < close_enough,
              elbow_joint, "is not parallel to the crank's axis", "three parallel hinges");
    Vector3<double> y = a.cross(n);
    require(y.norm() > close_enough, elbow_joint, "has its rod along the crank's axis at zero",
            "a rod across it");
    y.normalize();
    leg.zero.normalize();
    Matrix3<double> R_crank, R_rod;
    R_crank << leg.zero, a.cross(leg.zero), a;
    R_rod << n, y, n.cross(y);
    leg.rod_zero = R_crank.transpose() * n;
    leg.crank = moved(crank, R_crank, leg.base);
    leg.rod = moved(rod, R_rod, elbow.point);
    leg.drive = hinge.degree(0);
    leg.joints = {elbow_joint.name};
    leg.radius = std::max(radius_of(crank), radius_of(rod));
    return leg;
  }

  const Robot& robot_;
  std::map<std::string, const BodyData*> bodies_;
  std::map<std::string, std::vector<const JointData*>> at_;
  std::map<std::string, Pose<double>> zero_;  ///< poses of bodies, all coordinates zero
  const JointData* float_ = nullptr;
  PlatformData data_;
};

}  // namespace

PlatformData platform_of(const Robot& robot) { return Reader(robot).read(); }

std::optional<PlatformData> platform_if_any(const Robot& robot) {
  try {
    return platform_of(robot);
  } catch (const InputError&) {
    return {};
  }
}

const PlatformData& platform_of(const Model& model) {
  if (model.platform()) return *model.platform();
  platform_of(model.robot());  // says what is no platform about it
  throw InputError(fmt::format("robot '{}' is not a platform: it has no loops", model.name()),
                   "legs that hold the platform");
}

}  // namespace ulna
