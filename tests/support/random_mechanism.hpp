#pragma once
// Random mechanisms, closed at a known posture: trees of all joint types with one or two random
// closing joints, welded and massless bodies among them. By the seed some are structures, have only
// screws, close a loop twice, or stand on a massless leg.

#include "random_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna::testing {

inline int pick(Generator& g, std::size_t count) { return static_cast<int>(g() % count); }

/// What a seed adds to its mechanism.
enum class MechanismKind { plain, structure, screws, redundant, massless_leg };

inline Robot random_tree(Generator& g) {
  RobotRecipe recipe;
  recipe.bodies = 2 + pick(g, 6);
  recipe.branches = pick(g, 2) == 1;
  recipe.types = all_moving_types;
  recipe.types.push_back(JointType::fixed);
  Robot robot = random_robot(g, recipe);
  if (pick(g, 3) == 0)
    for (BodyData& body : robot.bodies)
      if (pick(g, 3) == 0) body.inertial = {};
  return robot;
}

/// Closed at the tree's posture q by construction.
inline JointData random_closing(Generator& g, const Model& tree, const Workspace& work) {
  constexpr JointType types[] = {JointType::fixed,       JointType::revolute,  JointType::prismatic,
                                 JointType::screw,       JointType::universal, JointType::spherical,
                                 JointType::cylindrical, JointType::planar};
  JointData joint;
  joint.type = types[pick(g, std::size(types))];
  joint.cut = true;
  const auto any = [&] { return pick(g, tree.bodies().size()); };
  const int parent = any();
  int child = any();
  if (child == parent) child = (parent + 1) % static_cast<int>(tree.bodies().size());
  joint.parent = tree.bodies()[static_cast<std::size_t>(parent)].name;
  joint.child = tree.bodies()[static_cast<std::size_t>(child)].name;
  joint.axis = random_vector(g);
  joint.axis2 = joint.axis.cross(random_vector(g));
  joint.pitch = 0.3;
  joint.X_PF = {random_rotation(g), random_vector(g)};
  const Pose<double> X_WF = frame_pose(tree, work, parent) * joint.X_PF;
  joint.X_MC = X_WF.inverse() * frame_pose(tree, work, child);
  return joint;
}

/// Its robot, closed at q.
struct Mechanism {
  Robot robot;
  Eigen::VectorXd q;
};

/// A leg of two bodies without mass from one body to another: universal, sliding, and a ball that
/// closes the loop. `robot` is that of `tree` so far.
inline void add_massless_leg(Generator& g, const Model& tree, const Workspace& work, Robot& robot) {
  const int from = pick(g, tree.bodies().size());
  const int to =
      (from + 1 + pick(g, tree.bodies().size() - 1)) % static_cast<int>(tree.bodies().size());
  const Pose<double> X_WA = frame_pose(tree, work, from), X_WB = frame_pose(tree, work, to);
  const Vector3<double> foot = X_WA * random_vector(g), head = X_WB * random_vector(g);
  const Vector3<double> z = (head - foot).normalized(), x = z.unitOrthogonal();
  Pose<double> X_WF;
  X_WF.rotation << x, z.cross(x), z;
  X_WF.position = foot;
  const Pose<double> along = Pose<double>::translation({0, 0, (head - foot).norm()});
  for (const char* name : {"leg.outer", "leg.rod"}) {
    BodyData body;
    body.name = name;
    robot.bodies.push_back(body);
  }
  JointData hip, slide, ball;
  hip.name = "leg.hip", hip.type = JointType::universal;
  hip.parent = tree.bodies()[static_cast<std::size_t>(from)].name, hip.child = "leg.outer";
  hip.axis = Vector3<double>::UnitX(), hip.axis2 = Vector3<double>::UnitY();
  hip.X_PF = X_WA.inverse() * X_WF;
  slide.name = "leg.slide", slide.type = JointType::prismatic;
  slide.parent = "leg.outer", slide.child = "leg.rod";
  slide.X_PF = along;
  ball.name = "leg.ball", ball.type = JointType::spherical, ball.cut = true;
  ball.parent = "leg.rod", ball.child = tree.bodies()[static_cast<std::size_t>(to)].name;
  ball.X_MC = (X_WF * along).inverse() * X_WB;
  robot.joints.insert(robot.joints.end(), {hip, slide, ball});
}

/// The kinds take turns; half of all seeds have none.
inline MechanismKind kind_of_seed(unsigned seed) {
  switch (seed % 8) {
    case 2:
      return MechanismKind::structure;
    case 4:
      return MechanismKind::screws;
    case 5:
      return MechanismKind::redundant;
    case 6:
      return MechanismKind::massless_leg;
    default:
      return MechanismKind::plain;
  }
}

inline Mechanism random_mechanism(unsigned seed) {
  Generator g(seed);
  const MechanismKind kind = kind_of_seed(seed);
  Mechanism out{random_tree(g), {}};
  for (JointData& joint : out.robot.joints) {
    if (kind == MechanismKind::structure) joint.type = JointType::fixed;
    if (kind == MechanismKind::screws && joint.type == JointType::revolute) {
      joint.type = JointType::screw;
      joint.pitch = 0.05;
    }
  }
  const Model tree(out.robot);
  Workspace work(tree);
  out.q = tree.random(g);
  update_poses(tree, work, out.q);
  const int loops = 1 + pick(g, 2);
  for (int k = 0; k < loops; ++k) {
    out.robot.joints.push_back(random_closing(g, tree, work));
    out.robot.joints.back().name = "closing" + std::to_string(k);
  }
  if (kind == MechanismKind::redundant) {
    JointData twin = out.robot.joints.back();
    twin.name = "twin";
    out.robot.joints.push_back(twin);
  }
  if (kind == MechanismKind::massless_leg) {
    add_massless_leg(g, tree, work, out.robot);
    out.q.conservativeResize(out.q.size() + 3);
    out.q.tail(3).setZero();
  }
  return out;
}

}  // namespace ulna::testing
