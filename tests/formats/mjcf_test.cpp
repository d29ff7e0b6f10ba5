// MuJoCo models: loops, couplings, frames, copies, included files, limits, and what is wrong with a
// file. tests/peers/mujoco_mjcf_test.cpp compares the mechanics with MuJoCo.

#include <Eigen/Geometry>
#include <filesystem>
#include <fstream>

#include "reading.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Robot mjcf(const std::string& text) { return read_mjcf_text(text, "robot.xml").robot; }
std::string mjcf_complaint(const std::string& text) {
  return problems_of([&] { read_mjcf_text(text, "robot.xml"); });
}
std::string model_text(const std::string& bodies, const std::string& rest = {}) {
  return "<mujoco model='m'>\n<compiler angle='radian'/>\n<worldbody>\n" + bodies +
         "\n</worldbody>\n" + rest + "</mujoco>\n";
}
const std::string unit_mass = "<inertial mass='1' pos='0.1 0 0' diaginertia='0.1 0.1 0.1'/>";

const JointData& joint_of(const Robot& robot, const std::string& name) {
  for (const JointData& joint : robot.joints)
    if (joint.name == name) return joint;
  throw std::logic_error("no joint " + name);
}

/// A four-bar of unit square, its last pin an equality.
std::string four_bar(const std::string& equality) {
  return model_text("<body name='crank'><joint name='a' axis='0 1 0'/>" + unit_mass +
                        "<body name='coupler' pos='0 0 1'><joint name='b' axis='0 1 0'/>" +
                        unit_mass +
                        "<site name='pin1' pos='1 0 0'/></body></body>"
                        "<body name='rocker' pos='1 0 0'><joint name='c' axis='0 1 0'/>" +
                        unit_mass + "<site name='pin2' pos='0 0 1'/></body>",
                    "<equality>" + equality + "</equality>");
}

TEST(MjcfLoops, ConnectClosesALoopWhereTheBodiesMeet) {
  for (const std::string equality : {"<connect body1='coupler' body2='rocker' anchor='1 0 0'/>",
                                     "<connect site1='pin1' site2='pin2'/>"}) {
    const Model model(mjcf(four_bar(equality)));
    ASSERT_EQ(model.loops().size(), 1u);
    LoopClosure closure(model);
    Workspace work(model);
    closure.update(work, model.neutral());
    EXPECT_LT(closure.residual().norm(), 1e-14);
  }
}

TEST(MjcfLoops, WeldHoldsThePoseOfTheFile) {
  const Robot robot = mjcf(four_bar("<weld body1='coupler' body2='rocker'/>"));
  const JointData& weld = joint_of(robot, "weld1");
  EXPECT_EQ(weld.type, JointType::fixed);
  EXPECT_TRUE(weld.cut);
  EXPECT_NEAR((weld.X_PF.position - Vector3<double>(1, 0, -1)).norm(), 0, 1e-15);
  const Robot told =
      mjcf(four_bar("<weld body1='coupler' body2='rocker' relpose='1 2 3 0 1 0 0'/>"));
  EXPECT_EQ(joint_of(told, "weld1").X_PF.position, Vector3<double>(1, 2, 3));
  EXPECT_NEAR(joint_of(told, "weld1").X_PF.rotation(1, 1), -1, 1e-15);
}

TEST(MjcfLoops, AnInactiveEqualityIsReportedNotApplied) {
  const ReadResult read =
      read_mjcf_text(four_bar("<connect active='false' site1='pin1' site2='pin2'/>"), "robot.xml");
  EXPECT_TRUE(Model(read.robot).loops().empty());
  EXPECT_THAT(read.report.ignored.back().text(), HasSubstr("not active"));
}

TEST(MjcfCouplings, JointsAndTendonsCoupleCoordinatesAboutTheirReferences) {
  const std::string bodies = "<body name='p'><joint name='x' ref='0.5'/>" + unit_mass +
                             "</body><body name='r'><joint name='y' ref='0.25'/>" + unit_mass +
                             "</body>";
  const Robot robot = mjcf(
      model_text(bodies, "<equality><joint joint1='y' joint2='x' polycoef='0.1 2'/></equality>"));
  ASSERT_EQ(robot.constraints.size(), 1u);
  const ConstraintData& c = robot.constraints[0];
  // y - 0.25 = 0.1 + 2 (x - 0.5)
  EXPECT_NEAR(c.offset, 0.25 + 0.1 - 1.0, 1e-15);
  EXPECT_EQ(c.terms[1].factor, -2);
  const Robot tendon =
      mjcf(model_text(bodies,
                      "<tendon><fixed name='t'><joint joint='x' coef='3'/><joint joint='y' "
                      "coef='-2'/></fixed></tendon>"
                      "<equality><tendon tendon1='t' polycoef='0.5 0 0 0 0'/></equality>"));
  EXPECT_NEAR(tendon.constraints.at(0).offset, 3 * 0.5 - 2 * 0.25 + 0.5, 1e-15);
  // A slope of zero leaves a joint that is held.
  const Robot held = mjcf(model_text(
      bodies, "<equality><joint joint1='y' joint2='x' polycoef='0.1 0 0 0 0'/></equality>"));
  ASSERT_EQ(held.constraints.at(0).terms.size(), 1u);
  EXPECT_NEAR(held.constraints[0].offset, 0.35, 1e-15);
  EXPECT_THAT(mjcf_complaint(model_text(
                  bodies,
                  "<tendon><fixed name='t'><joint joint='x' coef='3'/><joint joint='y' "
                  "coef='-2'/></fixed></tendon><equality><tendon tendon1='t' tendon2='t' "
                  "polycoef='0 1 2 0 0'/></equality>")),
              HasSubstr("second order or higher in a weighted sum"));
}

/// y - 0.25 = 0.1 + d - 2 d^2 + 3 d^3 + d^4 with d = c x - c 0.5; c is the factor of a tendon.
TEST(MjcfCouplings, PolynomialsAreTakenAboutTheirReferences) {
  const std::string bodies = "<body name='p'><joint name='x' ref='0.5'/>" + unit_mass +
                             "</body><body name='r'><joint name='y' ref='0.25'/>" + unit_mass +
                             "</body>";
  const std::string couplings[] = {
      "<equality><joint joint1='y' joint2='x' polycoef='0.1 1 -2 3 1'/></equality>",
      "<tendon><fixed name='one'><joint joint='y' coef='1'/></fixed><fixed name='two'><joint "
      "joint='x' coef='-1.5'/></fixed></tendon><equality><tendon tendon1='one' tendon2='two' "
      "polycoef='0.1 1 -2 3 1'/></equality>"};
  for (const double c : {1.0, -1.5}) {
    const Model model(mjcf(model_text(bodies, couplings[c < 0])));
    // Written as a MuJoCo model and as a robot file, it is the same curve.
    const Model written(mjcf(write_robot(model, RobotFormat::mjcf).text)),
        yaml(read_robot_yaml_text(write_robot(model, RobotFormat::yaml).text, "r.yaml").robot);
    for (const Model* one : {&model, &written, &yaml})
      for (const double x : {-0.4, 0.5, 1.3}) {
        const double d = c * (x - 0.5);
        LoopClosure closure(*one);
        Workspace work(*one);
        const Eigen::Vector2d q(x, 0.35 + d - 2 * d * d + 3 * d * d * d + d * d * d * d),
            v(0.7, (1 - 4 * d + 9 * d * d + 4 * d * d * d) * c * 0.7);
        closure.update_rates(work, q, v);
        EXPECT_NEAR(closure.residual()(0), 0, 1e-14);
        EXPECT_NEAR((closure.jacobian() * v)(0), 0, 1e-13);
        // A a = b with a of the curve's own second derivative, at a constant rate of x.
        const Eigen::Vector2d a(0, (-4 + 18 * d + 12 * d * d) * c * c * 0.49);
        EXPECT_NEAR((closure.jacobian() * a - closure.bias())(0), 0, 1e-13);
      }
  }
}

/// The spring of a ball joint pulls back by the angle of its turn, however large.
TEST(MjcfTree, SpringsOfBallJointsAreTorsionsAboutAnyAxis) {
  const std::string text = model_text(
      "<body name='b' pos='0 0 1' euler='0.3 0.2 0.1'><joint name='j' type='ball' "
      "pos='0.1 0.2 0' stiffness='3'/>" +
          unit_mass + "</body>",
      "<option gravity='0 0 0'/>");
  const Model model(mjcf(text));
  ASSERT_EQ(model.elements().size(), 1u);
  const Model written(mjcf(write_robot(model, RobotFormat::mjcf).text));
  for (const Model* one : {&model, &written}) {
    Workspace work(*one);
    for (const double angle : {0.0, 0.4, 1.7, 3.0}) {
      const Eigen::Vector3d axis = Eigen::Vector3d(1, -2, 0.5).normalized();
      const Eigen::VectorXd turned = one->integrate(one->neutral(), angle * axis),
                            zero = Eigen::VectorXd::Zero(3);
      const Eigen::VectorXd tau = inverse_dynamics(*one, work, turned, zero, zero);
      EXPECT_LT((tau - 3 * angle * axis).norm(), 1e-13) << angle;
    }
  }
}

/// Springs along tendons are force elements; between two free lengths they are slack.
TEST(MjcfTendons, SpringsAlongThemAreElements) {
  const std::string bodies =
      "<site name='o' pos='0 0 2'/><body name='p' pos='0 0 1'><joint "
      "name='x'/><site name='s' pos='1 0 1'/>" +
      unit_mass + "</body>";
  const Robot robot =
      mjcf(model_text(bodies,
                      "<tendon><spatial name='t' stiffness='5' damping='2'><site site='o'/><site "
                      "site='s'/></spatial><fixed name='f' stiffness='3' springlength='1 3'><joint "
                      "joint='x' coef='-2'/></fixed></tendon>"));
  ASSERT_EQ(robot.elements.size(), 2u);
  EXPECT_EQ(robot.elements[0].type, ElementData::Type::spring_damper);
  EXPECT_EQ(robot.elements[0].law.rest, 1);  // its length where the joints stand at zero
  EXPECT_EQ(robot.elements[0].law.damping, 2);
  EXPECT_EQ(robot.elements[1].joint, "x");
  EXPECT_EQ(robot.elements[1].law.stiffness, 12);
  EXPECT_EQ(robot.elements[1].law.rest, -1);
  EXPECT_EQ(robot.elements[1].law.backlash, 0.5);
  // They are written as tendons again.
  const WrittenRobot written = write_robot(Model(robot), RobotFormat::mjcf);
  const Robot again = mjcf(written.text);
  ASSERT_EQ(again.elements.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(again.elements[k].law.rest, robot.elements[k].law.rest);
    EXPECT_EQ(again.elements[k].law.stiffness, robot.elements[k].law.stiffness);
    EXPECT_EQ(again.elements[k].law.backlash, robot.elements[k].law.backlash);
  }
}

TEST(MjcfTree, FramesAndCopiesArePlaced) {
  const Robot robot =
      mjcf(model_text("<frame pos='0 0 1' euler='0 0 1.5707963267948966'>"
                      "<replicate count='3' sep='_' offset='1 0 0'><body name='post' pos='0.5 0 0'>"
                      "<joint name='j' axis='1 0 0'/>" +
                      unit_mass + "</body></replicate></frame>"));
  ASSERT_EQ(robot.bodies.size(), 3u);
  const JointData& last = joint_of(robot, "j_2");
  EXPECT_EQ(last.child, "post_2");
  EXPECT_NEAR((last.X_PF.position - Vector3<double>(0, 2.5, 1)).norm(), 0, 1e-15);
  EXPECT_NEAR((last.X_PF.rotation * last.axis - Vector3<double>(0, 1, 0)).norm(), 0, 1e-15);
}

/// MuJoCo turns copy k by k times the angles, which is not the k-th power of a turn about two axes.
/// Numbers of copies inside come first in a name.
TEST(MjcfTree, CopiesAreTurnedByMultiplesOfTheAngles) {
  const Robot robot = mjcf(model_text(
      "<replicate count='2' sep='_'><body name='a'><joint/>" + unit_mass +
      "<replicate count='3' offset='1 0 0' euler='0.5 0.7 0'><site name='s'/></replicate></body>"
      "</replicate>"));
  ASSERT_EQ(robot.frames.size(), 6u);
  const FrameData& last = robot.frames[2];
  EXPECT_EQ(last.name, "s2_0");
  const auto turned = [](double x, double y) -> Matrix3<double> {
    return (Eigen::AngleAxisd(x, Vector3<double>::UnitX()) *
            Eigen::AngleAxisd(y, Vector3<double>::UnitY()))
        .toRotationMatrix();
  };
  EXPECT_LT((last.X_BF.rotation - turned(1, 1.4)).norm(), 1e-15);
  EXPECT_LT((last.X_BF.position - Vector3<double>::UnitX() - turned(0.5, 0.7).col(0)).norm(),
            1e-15);
}

/// Two points place a site halfway between them, its z axis from the second to the first.
TEST(MjcfTree, SitesMayStandBetweenTwoPoints) {
  const Robot robot = mjcf(model_text(
      "<body name='b'><joint/>" + unit_mass +
      "<frame pos='0 0 1'><site name='s' type='capsule' size='0.1' fromto='1 0 0 1 4 0'/></frame>"
      "<site name='t' fromto='0 0 0 0 0 2'/></body>"));
  EXPECT_LT((robot.frames.at(0).X_BF.position - Vector3<double>(1, 2, 1)).norm(), 1e-15);
  EXPECT_LT((robot.frames[0].X_BF.rotation.col(2) + Vector3<double>::UnitY()).norm(), 1e-15);
  EXPECT_LT((robot.frames.at(1).X_BF.position - Vector3<double>::UnitZ()).norm(), 1e-15);
  EXPECT_EQ(robot.frames[1].X_BF.rotation(2, 2), -1);
}

/// Frames place all that stands in them.
TEST(MjcfTree, AnInertialStandsInItsFrame) {
  const auto inertial = [](const std::string& moments) {
    return mjcf(model_text("<body name='b'><joint/><frame pos='0 0 1' euler='0 0 "
                           "1.5707963267948966'><inertial mass='2' pos='1 0 0' " +
                           moments + "/></frame></body>"))
        .bodies.at(0)
        .inertial;
  };
  const Inertial diagonal = inertial("diaginertia='1 1.5 2'"),
                 full = inertial("fullinertia='1 1.5 2 0.25 0 0'");
  EXPECT_LT((diagonal.centre - Vector3<double>(0, 1, 1)).norm(), 1e-15);
  EXPECT_NEAR(diagonal.inertia(0, 0), 1.5, 1e-15);
  EXPECT_NEAR(full.inertia(1, 1), 1, 1e-15);
  EXPECT_NEAR(full.inertia(0, 1), -0.25, 1e-15);
  EXPECT_THAT(mjcf_complaint(model_text("<body><joint/><inertial mass='1' pos='0 0 0' quat='1 0 0 "
                                        "0' fullinertia='1 1 1 0 0 0'/></body>")),
              HasSubstr("both fullinertia and quat"));
}

/// MuJoCo's -(k0 x + k1 x^2 + k2 x^3); the term of second order would pull to one side.
TEST(MjcfTree, TheThirdNumberOfAStiffnessIsItsHardening) {
  const auto body = [](const std::string& stiffness) {
    return model_text("<body><joint name='j' stiffness='" + stiffness + "'/>" + unit_mass +
                      "</body>");
  };
  EXPECT_EQ(joint_of(mjcf(body("2 0 3")), "j").degrees[0].stiffness, 2);
  EXPECT_EQ(joint_of(mjcf(body("2 0 3")), "j").degrees[0].hardening, 3);
  EXPECT_THAT(mjcf_complaint(body("2 1 3")), HasSubstr("second order"));
  EXPECT_THAT(mjcf_complaint(body("2 0 3 4")), HasSubstr("holds 4 numbers"));
}

/// The posture of the file, where coordinates are not neutral there.
TEST(MjcfTree, ThePostureOfTheFileHasAName) {
  const std::string bodies = "<body name='f' pos='1 2 3'><freejoint name='root'/>" + unit_mass +
                             "<body name='b'><joint name='j' ref='0.5'/>" + unit_mass +
                             "</body></body>";
  const Robot robot = mjcf(model_text(bodies));
  ASSERT_EQ(robot.postures.size(), 1u);
  EXPECT_EQ(robot.postures[0].name, "qpos0");
  EXPECT_EQ(robot.postures[0].places.at(0).values, (std::vector<double>{1, 0, 0, 0, 1, 2, 3}));
  EXPECT_EQ(robot.postures[0].places.at(1).values, (std::vector<double>{0.5}));
  EXPECT_TRUE(mjcf(model_text("<body><joint/>" + unit_mass + "</body>")).postures.empty());
  EXPECT_EQ(mjcf(model_text(bodies,
                            "<keyframe><key name='home' qpos='0 0 0 1 0 0 0 0'/>"
                            "</keyframe>"))
                .postures.size(),
            1u);
}

TEST(MjcfTree, LimitsMotorsAndSites) {
  const Robot robot = mjcf(
      "<mujoco><worldbody><body name='b'><joint name='j' range='-90 45' frictionloss='0.3' "
      "actuatorfrcrange='-30 20'/><site name='tool' pos='0 0 1'/>" +
      unit_mass + "<body name='c'><joint name='k' range='0 1' limited='false'/>" + unit_mass +
      "</body></body></worldbody>"
      "<actuator><motor joint='j' gear='50' ctrlrange='-0.4 0.4'/><position joint='k' "
      "forcerange='-5 5'/><general joint='k' gainprm='3 0 0' ctrlrange='-2 2' gear='0.5'/><general "
      "joint='j' gainprm='1' biastype='affine' ctrlrange='-1 1'/></actuator></mujoco>");
  const DegreeData& j = joint_of(robot, "j").degrees.at(0);
  EXPECT_NEAR(j.lower, -1.5707963267948966, 1e-15);
  EXPECT_EQ(j.effort_limit, 20);  // of the motor, 0.4 x 50, and of the joint, 30: the smaller
  EXPECT_EQ(j.friction, 0.3);
  EXPECT_EQ(joint_of(robot, "k").degrees.at(0).upper, DegreeData::unlimited);
  EXPECT_EQ(joint_of(robot, "k").degrees.at(0).effort_limit, 3);  // a force of 3 x 2, geared down
  EXPECT_EQ(robot.frames.at(0).name, "tool");
}

/// MuJoCo 3.4 and later: the inertia and the damping of an actuator act behind its gear.
TEST(MjcfTree, ActuatorsAddInertiaAndDampingBehindTheirGear) {
  const std::string body = "<body name='b'><joint name='j' armature='0.5' damping='0.25'/>" +
                           unit_mass + "</body><body name='f'><joint name='k' type='ball'/>" +
                           unit_mass + "</body>";
  const Robot robot = mjcf(model_text(
      body, "<actuator><motor joint='j' gear='10' armature='0.02' damping='0.01'/></actuator>"));
  EXPECT_NEAR(joint_of(robot, "j").degrees[0].rotor_inertia, 2.5, 1e-15);
  EXPECT_NEAR(joint_of(robot, "j").degrees[0].damping, 1.25, 1e-15);
  EXPECT_THAT(
      mjcf_complaint(model_text(body, "<actuator><motor joint='k' armature='0.02'/></actuator>")),
      HasSubstr("several degrees"));
  const ReadResult fluid = read_mjcf_text(
      "<mujoco><option density='1.2'/><worldbody>" + body + "</worldbody></mujoco>", "robot.xml");
  EXPECT_THAT(fluid.report.ignored.at(0).text(), HasSubstr("fluid"));
}

TEST(MjcfFiles, IncludedFilesArePutInPlace) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "ulna_mjcf_include";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "arm.xml") << "<mujocoinclude><body name='arm'><joint name='j'/>"
                                    << unit_mass << "</body></mujocoinclude>";
  std::ofstream(folder / "main.xml")
      << "<mujoco><worldbody><include file='arm.xml'/></worldbody></mujoco>";
  std::ofstream(folder / "twice.xml") << "<mujoco><worldbody><include file='arm.xml'/>\n<include "
                                         "file='arm.xml'/></worldbody></mujoco>";
  std::ofstream(folder / "absent.xml")
      << "<mujoco><worldbody>\n<include file='no.xml'/></worldbody></mujoco>";
  EXPECT_EQ(read_robot((folder / "main.xml").string()).robot.bodies.at(0).name, "arm");
  EXPECT_THAT(file_complaint((folder / "twice.xml").string()),
              AllOf(HasSubstr("included twice"), HasSubstr(":2")));
  EXPECT_THAT(file_complaint((folder / "absent.xml").string()),
              AllOf(HasSubstr("no.xml"), HasSubstr(":2")));
  std::filesystem::remove_all(folder);
}

TEST(MjcfMistakes, AreNamedWithTheirPlace) {
  const std::string body = "<body name='b'><joint name='j'/>" + unit_mass + "</body>";
  const std::pair<std::string, std::string> cases[] = {
      {"<robot name='r'/>", "begins with <mujoco>"},
      {"<mujoco/>", "no <worldbody>"},
      {"<mujoco><worldbody/></mujoco>", "no <body>"},
      {model_text("<body name='b'><joint type='gear'/></body>"), "hinge, slide, ball or free"},
      {model_text("<body name='b'><joint axis='0 0 0'/></body>"), "robot.xml:4"},
      {model_text("<body name='b'><joint axis='0 0'/></body>"), "holds 2 numbers"},
      {model_text("<body name='a' class='x'/>" + body), "accepted"},
      {model_text("<body name='b' childclass='x'><joint/></body>"), "no default class 'x'"},
      {model_text("<body name='b'><geom class='x'/></body>"), "no default class 'x'"},
      {model_text("<body name='b'><geom type='cone' size='1'/></body>"), "one of sphere"},
      {model_text("<body name='b'><geom type='box' size='1 1'/></body>"), "holds 2 numbers"},
      {model_text("<body name='b'><geom type='mesh' mesh='m'/></body>"), "no mesh 'm'"},
      {model_text("<body name='b'><geom size='-1'/></body>"), "not positive"},
      {model_text("<body name='b' quat='0 0 0 0'/>"), "quat is zero"},
      {model_text(body + body), "taken by another"},
      {model_text("<body name='a'>" + unit_mass + "<body name='b'><freejoint/></body></body>"),
       "free joint"},
      {model_text("<joint/>" + body), "the world has a joint"},
      {model_text("<body name='b'><composite/></body>"), "<composite> is not read"},
      {model_text("<body name='b'><plugin plugin='mujoco.elasticity.cable'/></body>"),
       "<plugin> of a body is not read"},
      {model_text(body, "<deformable><flex body='b'><elasticity young='1e4'/></flex></deformable>"),
       "the young of a <flex> is not read"},
      {model_text(body, "<deformable><flex body='b'><edge stiffness='3'/></flex></deformable>"),
       "the stiffness of a <flex> is not read"},
      {model_text("<body name='b'><joint springdamper='1'/></body>"), "holds 1 numbers"},
      {model_text("<body name='b'><joint type='ball' springdamper='1 1'/></body>"),
       "springdamper on hinges and slides"},
      {model_text("<body name='b'><attach model='m' body='c'/></body>"), "there is no model 'm'"},
      {model_text(body,
                  "<tendon><fixed frictionloss='1'><joint joint='j' coef='1'/></fixed>"
                  "</tendon>"),
       "frictionloss of a tendon is not read"},
      {model_text(body,
                  "<tendon><fixed stiffness='1'><joint joint='j' coef='1'/><joint joint='j' "
                  "coef='2'/></fixed></tendon>"),
       "a weighted sum of several coordinates"},
      {model_text(body, "<tendon><spatial stiffness='1'><geom geom='g'/></spatial></tendon>"),
       "sites only"},
      {model_text(body, "<tendon><spatial stiffness='1'><site site='s'/></spatial></tendon>"),
       "no site 's'"},
      {model_text(body, "<tendon><spatial stiffness='1'/></tendon>"), "2 to 8 sites"},
      {model_text(body,
                  "<tendon><fixed stiffness='1' springlength='2 1'><joint joint='j' "
                  "coef='1'/></fixed></tendon>"),
       "springlength is neither"},
      {model_text(body, "<tendon><fixd/></tendon>"), "fixed"},
      {model_text("<body name='b'><joint type='free' stiffness='1'/></body>"), "on a free joint"},
      {model_text("<body name='b'><joint type='ball' stiffness='1 2'/></body>"), "second order"},
      {model_text("<body name='b'><joint type='ball' armature='1'/></body>"), "armature"},
      {model_text("<body name='b' euler='0 0 1' quat='1 0 0 0'/>"), "both quat and euler"},
      {model_text(body, "<equality><connect body1='b' body2='d' anchor='0 0 0'/></equality>"),
       "no body 'd'"},
      {model_text(body, "<equality><connect body1='b'/></equality>"), "no anchor"},
      {model_text(body, "<equality><joint joint1='k'/></equality>"), "no joint 'k'"},
      {model_text(body, "<equality><tendon tendon1='k'/></equality>"), "no fixed tendon 'k'"},
      {model_text(body, "<equality><flex flex='k'/></equality>"), "not read"},
      {model_text(body, "<actuator><motor joint='k'/></actuator>"), "no joint 'k'"},
      {model_text("<replicate count='0'>" + body + "</replicate>"), "a whole number from 1"},
      {model_text("<replicate count='1e9'>" + body + "</replicate>"), "a whole number from 1"},
      {"<mujoco><compiler angle='turns'/><worldbody>" + body + "</worldbody></mujoco>",
       "radian or degree"},
      {"<mujoco><compiler eulerseq='xyq'/><worldbody>" + body + "</worldbody></mujoco>",
       "three of the letters"},
      {"<mujoco><compiler coordinate='global'/><worldbody>" + body + "</worldbody></mujoco>",
       "local"},
      {"<mujoco><worldbody>" + body + "</mujoco>", "worldbody"},
      {"<mujoco><default><default/></default><worldbody>" + body + "</worldbody></mujoco>",
       "has no class"},
  };
  for (const auto& [text, part] : cases) {
    const std::string said = mjcf_complaint(text);
    if (part == "accepted")
      EXPECT_EQ(said, "not refused") << text << "\n" << said;
    else
      EXPECT_THAT(said, HasSubstr(part)) << text;
  }
}

TEST(MjcfMistakes, CopiesOfCopiesAreBounded) {
  std::string text = "<body name='b'/>";
  for (int k = 0; k < 6; ++k) text = "<replicate count='1000'>" + text + "</replicate>";
  EXPECT_THAT(mjcf_complaint(model_text(text)), HasSubstr("more than"));
}

TEST(MjcfReport, WhatHasNoPlaceIsCountedOnce) {
  ReadOptions strict;
  strict.strict = true;
  const ReadResult read =
      read_mjcf_text(model_text("<body name='b'><geom size='1' solref='1 1'/><geom size='1' "
                                "solref='1 1'/><joint/></body>",
                                "<sensor/><contact/>"),
                     "robot.xml");
  int solref = 0;
  for (const ImportNote& note : read.report.ignored)
    solref += note.what.find("solref") != note.what.npos;
  EXPECT_EQ(solref, 1);
  EXPECT_THAT(problems_of([&] {
                read_mjcf_text(model_text("<body name='b'><geom size='1' solref='1 1'/></body>"),
                               "r.xml", strict);
              }),
              HasSubstr("solref"));
}

TEST(MjcfMistakes, AMisspeltAttributeOrElementIsRefusedWithTheNearest) {
  const auto body = [](const std::string& content) {
    return mjcf_complaint(model_text("<body name='b'>" + unit_mass + content + "</body>"));
  };
  EXPECT_THAT(body("<joint axsi='0 1 0'/>"), AllOf(HasSubstr("<joint> has no attribute 'axsi'"),
                                                   HasSubstr("did you mean 'axis'?")));
  EXPECT_THAT(body("<joint dampign='1'/>"), HasSubstr("did you mean 'damping'?"));
  EXPECT_THAT(body("<geom size='1' masss='2'/>"), HasSubstr("did you mean 'mass'?"));
  EXPECT_THAT(body("<jiont/>"), HasSubstr("did you mean 'joint'?"));
  EXPECT_THAT(mjcf_complaint(model_text("<body>" + unit_mass + "</body>", "<equalty/>")),
              HasSubstr("did you mean 'equality'?"));
  // What MuJoCo has and dynamics does not need is listed; so is what a later version may bring.
  EXPECT_EQ(body("<joint solreflimit='0.02 1' zzzzqqqq='1'/><camera/>"), "not refused");
}

/// A cube of edge 2 about (1, 1, 1) by its triangles.
const std::string cube_mesh =
    "vertex='0 0 0  2 0 0  2 2 0  0 2 0  0 0 2  2 0 2  2 2 2  0 2 2' "
    "face='0 2 1  0 3 2  4 5 6  4 6 7  0 1 5  0 5 4  2 3 7  2 7 6  1 2 6  1 6 5  0 4 7  0 7 3'";

TEST(MjcfMeshes, TheMassOfACubeIsItsVolume) {
  const auto with = [](const std::string& mesh, const std::string& geom) {
    return mjcf(model_text("<body><geom type='mesh' mesh='m' " + geom + "/></body>",
                           "<asset><mesh name='m' " + cube_mesh + mesh + "/></asset>"))
        .bodies[0]
        .inertial;
  };
  const Inertial plain = with("", "density='10'");
  EXPECT_NEAR(plain.mass, 80, 1e-12);
  EXPECT_LT((plain.centre - Vector3<double>(1, 1, 1)).norm(), 1e-14);
  EXPECT_LT((plain.inertia - 80.0 * 8 / 12 * Matrix3<double>::Identity()).norm(), 1e-12);
  const Inertial small = with(" scale='0.5 0.5 -0.5'", "mass='6' pos='1 0 0'");
  EXPECT_NEAR(small.mass, 6, 1e-12);
  EXPECT_LT((small.centre - Vector3<double>(1.5, 0.5, -0.5)).norm(), 1e-14);
  EXPECT_LT((small.inertia - 6.0 * 2 / 12 * Matrix3<double>::Identity()).norm(), 1e-12);
  const Inertial moved = with(" inertia='exact' refpos='1 1 1'", "");
  EXPECT_NEAR(moved.mass, 8000, 1e-9);
  EXPECT_LT(moved.centre.norm(), 1e-14);
}

/// MuJoCo takes the convex hull of corners without faces. A point inside, one on a face and one
/// on an edge change nothing.
TEST(MjcfMeshes, CornersWithoutFacesAreTheirConvexHull) {
  const std::string corners =
      "0.1 0.1 0.1  0 0 0  1 0 0  0 1 0  1 1 0  0.5 0.5 0  0.5 0 0  0 0 2  1 0 2  0 1 2  1 1 2  0 "
      "0 0";
  const Robot robot =
      mjcf("<mujoco><asset><mesh name='box' scale='0.1 0.1 0.1' vertex='" + corners +
           "'/></asset><worldbody><body name='b'><joint name='j'/><geom type='mesh' mesh='box' "
           "density='1000'/></body></worldbody></mujoco>");
  const Inertial& box = robot.bodies.at(0).inertial;
  const double rounding = 1e-6;  // corners are kept in single precision
  EXPECT_NEAR(box.mass, 2, 2 * rounding);
  EXPECT_NEAR((box.centre - Vector3<double>(0.05, 0.05, 0.1)).norm(), 0, rounding);
  EXPECT_NEAR(box.inertia(0, 0), 2 * (0.01 + 0.04) / 12, rounding);
  EXPECT_NEAR(box.inertia(2, 2), 2 * (0.01 + 0.01) / 12, rounding);
  const ReadResult flat = read_mjcf_text(
      "<mujoco><asset><mesh name='flat' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset><worldbody><body "
      "name='b'><joint name='j'/><geom type='mesh' mesh='flat'/></body></worldbody></mujoco>",
      "robot.xml");
  EXPECT_THAT(flat.report.changed.at(0).text(), HasSubstr("no volume"));
}

TEST(MjcfMeshes, FoldersAreThoseOfTheCompiler) {
  const auto file = [](const std::string& compiler, const std::string& name) {
    return mjcf("<mujoco><compiler " + compiler + "/><asset><mesh name='m' file='" + name +
                "'/></asset><worldbody><body name='b'><joint/>" + unit_mass +
                "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>")
        .bodies.at(0)
        .geometry.at(0)
        .mesh;
  };
  EXPECT_EQ(file("meshdir='shapes'", "a/m.stl"), "shapes/a/m.stl");
  EXPECT_EQ(file("assetdir='all'", "m.stl"), "all/m.stl");
  EXPECT_EQ(file("meshdir='shapes' strippath='true'", "a/m.stl"), "shapes/m.stl");
  EXPECT_EQ(file("meshdir='shapes'", "/models/m.stl"), "/models/m.stl");
}

TEST(MjcfMeshes, AFileThatIsNotThereIsANoteAndNoError) {
  const ReadResult read =
      read_mjcf_text(model_text("<body name='b'><geom type='mesh' mesh='gone'/></body>",
                                "<asset><mesh name='gone' file='gone.stl'/></asset>"),
                     "robot.xml");
  EXPECT_EQ(read.robot.bodies[0].inertial.mass, 0);
  ASSERT_EQ(read.report.changed.size(), 1u);
  EXPECT_THAT(read.report.changed[0].text(),
              AllOf(HasSubstr("the mass of mesh 'gone' is not known"), HasSubstr("gone.stl")));
}

}  // namespace
}  // namespace ulna
