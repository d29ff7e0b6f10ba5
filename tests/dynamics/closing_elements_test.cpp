// Force elements on joints that close loops and on platforms, and things that couple or cut
// nothing.

#include <gmock/gmock.h>

#include <cmath>

#include "support/near.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna {
namespace {

ElementData torsion_along(const std::string& joint) {
  ElementData spring;
  spring.name = "coil";
  spring.type = ElementData::Type::torsion;
  spring.joint = joint;
  spring.law.stiffness = 3;
  spring.law.rest = 0.2;
  spring.law.damping = 0.7;
  return spring;
}

Robot four_bar_cut_at(const std::string& joint) {
  Robot robot = read_robot("four-bar").robot;
  for (JointData& data : robot.joints) data.cut = data.name == joint;
  return robot;
}

/// One posture, wherever the loop is cut: the angles of a plane loop add up to whole turns.
Eigen::VectorXd posture_of(const Model& model) {
  const Eigen::VectorXd first = assembled(Model(four_bar_cut_at("joint4")));
  AssemblyOptions options;
  options.start = model.neutral();
  for (const Joint& joint : model.joints()) {
    const int number = joint.name.back() - '1';
    options.start(joint.q) = std::remainder(number < 3 ? first(number) : -first.sum(), 2 * M_PI);
  }
  return assembled(model, options);
}

/// Accelerations of all bodies, which do not depend on where the loop is cut.
Eigen::VectorXd moved_bodies(const Robot& robot) {
  const Model model(robot);
  Workspace work(model);
  const Eigen::VectorXd q = posture_of(model);
  LoopClosure closure(model);
  closure.update(work, q);
  // The crank turns with 2 rad/s.
  const Jacobian& J = jacobian(model, work, q, {model.frame("crank")});
  Eigen::VectorXd v = compatible_speeds(closure, J.row(2).transpose());
  v *= 2 / J.row(2).dot(v);
  const Eigen::VectorXd a = Dynamics(model).forward(q, v, Eigen::VectorXd::Zero(model.speeds()));
  update_motions(model, work, q, v, a);
  Eigen::VectorXd out(18);
  int k = 0;
  for (const char* body : {"crank", "coupler", "rocker"})
    out.segment<6>(6 * k++) = frame_acceleration(model, work, model.frame(body)).vector();
  return out;
}

TEST(ClosingElements, ATorsionAlongAJointActsAlikeWhetherTheJointClosesTheLoop) {
  for (const char* along : {"joint4", "joint2", "joint1"}) {
    Robot closing = four_bar_cut_at(along), other = four_bar_cut_at("joint3");
    const Eigen::VectorXd without = moved_bodies(other);
    closing.elements = other.elements = {torsion_along(along)};
    const Eigen::VectorXd a = moved_bodies(closing), b = moved_bodies(other);
    EXPECT_LT((a - b).norm(), 1e-9 * b.norm()) << along;
    EXPECT_GT((b - without).norm(), 1e-3 * b.norm()) << along;
  }
}

TEST(ClosingElements, ATorsionAlongASlideThatClosesALoopIsNamed) {
  Robot robot;
  robot.name = "rails";
  BodyData sledge;
  sledge.name = "sledge";
  sledge.inertial.mass = 1;
  robot.bodies = {sledge};
  for (const char* rail : {"left", "right"}) {
    JointData joint;
    joint.name = rail;
    joint.type = JointType::prismatic;
    joint.child = "sledge";
    robot.joints.push_back(joint);
  }
  robot.elements = {torsion_along("left"), torsion_along("right")};
  robot.elements[1].name = "other";
  try {
    const Model model(robot);
    FAIL() << "a torsion along a slide that closes a loop was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("torsion '"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("closes a loop"));
  }
}

TEST(ClosingElements, AreInTheClosedFormOfPlatforms) {
  for (const char* name : {"stewart-6-6", "delta", "planar-3rrr", "ddts"}) {
    SCOPED_TRACE(name);
    Robot robot = read_robot(name).robot;
    const std::string body = platform_of(robot).platform_body;
    ElementData strut;
    strut.name = "strut";
    strut.from.X_BE.position = {0.3, 0.1, -0.2};
    strut.to.body = body;
    strut.to.X_BE.position = {0.05, 0, 0.02};
    strut.law.stiffness = 500;
    strut.law.damping = 30;
    robot.elements = {strut};
    const Model model(robot);
    const Platform platform(platform_of(model));
    const Eigen::VectorXd home = assembled(model);
    const Eigen::VectorXd q =
        platform_posture(model, platform, platform_pose(model, platform, home));
    const bool turns = platform.dof() == 6;
    Twist<double> twist, acceleration;
    twist.linear << 0.1, -0.2, turns || platform.dof() == 3 ? 0.0 : 0.1;
    acceleration.linear << 1, 2, 0;
    if (turns) twist.angular << 0.2, 0.1, -0.3;
    const PlatformRates rates = platform_rates(model, platform, q, twist, acceleration);
    Dynamics by_form(model, {"platform"}),
        by_loops(model, {.actuated = drive_speeds(model, platform)});
    const Eigen::VectorXd form = by_form.inverse(q, rates.v, rates.a).tau,
                          loops = by_loops.inverse(q, rates.v, rates.a).tau;
    EXPECT_LT((form - loops).norm(), 1e-7 * loops.norm());
    robot.elements.clear();
    const Model bare(robot);
    EXPECT_GT((Dynamics(bare, {"platform"}).inverse(q, rates.v, rates.a).tau - form).norm(),
              1e-3 * form.norm());
    const Eigen::VectorXd a = by_form.forward(q, rates.v, form);
    EXPECT_LT((a - rates.a).norm(), 1e-6 * rates.a.norm());
  }
}

TEST(Couplings, WhoseFactorsCancelAreRefused) {
  Robot robot = read_robot("planar-3r").robot;
  ConstraintData coupling;
  coupling.name = "idle";
  coupling.type = ConstraintData::Type::coupling;
  const std::string joint = robot.joints[0].name;
  coupling.terms = {{joint, 1}, {joint, -1}};
  robot.constraints = {coupling};
  try {
    const Model model(robot);
    FAIL() << "j - j = 0 was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("coupling 'idle'"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("cancel"));
  }
}

TEST(Cuts, ThatCloseNothingAreNamed) {
  Robot robot = read_robot("planar-3r").robot;
  EXPECT_TRUE(Model(robot).warnings().empty());
  robot.joints[1].cut = true;
  const std::vector<Problem> warnings = Model(robot).warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].element, "joint '" + robot.joints[1].name + "'");
  EXPECT_THAT(warnings[0].message, ::testing::HasSubstr("does not close a loop"));
  EXPECT_TRUE(Model(read_robot("four-bar").robot).warnings().empty());
}

}  // namespace
}  // namespace ulna
