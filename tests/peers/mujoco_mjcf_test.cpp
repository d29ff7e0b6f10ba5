// MuJoCo models read by Ulna and by MuJoCo itself: poses, mass matrix and efforts agree. Each model
// covers a part of the format; the tolerances are what MuJoCo leaves of inertias, which it keeps by
// principal axes.

#include <gtest/gtest.h>

#include <string>

#include "../support/random_robot.hpp"
#include "agreement.hpp"
#include "mujoco_same_state.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/kinematics/kinematics.hpp"

namespace ulna {
namespace {

using testing::expect_agreement;
using testing::Generator;
using testing::random_entries;
using testing::SameState;

void expect_same_mechanics(const std::string& text, double tolerance = 1e-9) {
  Robot robot = read_mjcf_text(text, "robot.xml").robot;
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees) degree.friction = 0;  // a constraint in MuJoCo
  const Model model(robot);
  const testing::Mujoco peer(text, "robot.xml", robot.gravity);
  mjData* d = peer.data.get();
  Workspace work(model);
  Generator g(7);
  for (int state = 0; state < 3; ++state) {
    const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                          a = random_entries(g, model.speeds());
    const SameState same(model, peer, q, v, a);
    Eigen::Map<Eigen::VectorXd>(d->qpos, peer.model->nq) = same.q;
    peer.per_speed(d->qvel) = same.v;
    peer.per_speed(d->qacc) = same.a;
    mj_inverse(peer.model.get(), d);
    update_poses(model, work, q);
    for (int id = 1; id < peer.model->nbody; ++id) {
      const char* name = mj_id2name(peer.model.get(), mjOBJ_BODY, id);
      if (name)
        expect_agreement(frame_pose(model, work, model.frame(name)).matrix(),
                         peer.body_pose(id).matrix(), 1e-12);
    }
    expect_agreement(mass_matrix(model, work, q), same.T.transpose() * peer.mass_matrix() * same.T,
                     tolerance);
    expect_agreement(inverse_dynamics(model, work, q, v, a),
                     same.T.transpose() * peer.per_speed(d->qfrc_inverse), tolerance);
  }
}

TEST(Mjcf, AnglesAreDegreesAndEulerAnglesCarried) {
  expect_same_mechanics(R"(<mujoco><compiler eulerseq="zyx"/><worldbody>
    <body name="a" pos="0.1 0.2 0.3" euler="10 20 30">
      <inertial mass="2" pos="0.1 0 0.05" euler="5 6 7" diaginertia="0.02 0.03 0.04"/>
      <joint name="j1" axis="1 2 3" pos="0.05 0 0.1" ref="40" springref="15" stiffness="3" damping="0.2"
             armature="0.1"/>
      <body name="b" pos="0 0 0.4" axisangle="1 1 0 50">
        <inertial mass="1" pos="0 0.1 0" fullinertia="0.02 0.03 0.025 0.001 0.002 0.003"/>
        <joint name="j2" type="slide" axis="0 1 1" ref="0.2" springref="0.1" stiffness="30" damping="2"/>
        <body name="c" pos="0.2 0 0" xyaxes="0 1 0.1 -1 0 0">
          <inertial mass="0.7" pos="0 0 0.1" diaginertia="0.01 0.012 0.015"/>
          <joint name="j3" type="ball" pos="0 0 -0.05" damping="0.3"/>
          <body name="d" pos="0.2 0 0" zaxis="1 1 1">
            <inertial mass="0.4" pos="0 0 0.1" diaginertia="0.01 0.012 0.015"/>
          </body>
        </body>
      </body>
    </body></worldbody></mujoco>)",
                        1e-7);  // MuJoCo ends its search for the axes of a full inertia early
  expect_same_mechanics(R"(<mujoco><compiler angle="radian" eulerseq="XYZ"/>
    <option gravity="1 2 -8"/><worldbody>
    <body name="a" euler="0.1 0.2 0.3"><inertial mass="2" pos="0.1 0 0" diaginertia="1 1 1"/>
      <joint name="j1" ref="0.5"/></body></worldbody></mujoco>)");
}

/// Springs that the compiler makes of a time constant, and springs and dampers along tendons.
TEST(Mjcf, SpringDampersAndTendonsPull) {
  expect_same_mechanics(R"(<mujoco><compiler angle="radian"/><worldbody>
    <site name="roof" pos="0.3 0.2 2"/>
    <body name="a" pos="0 0 1"><joint name="j1" axis="0 1 0" ref="0.3" springdamper="0.2 0.7" armature="0.4"/>
      <inertial mass="2" pos="0.1 0 0.05" diaginertia="0.02 0.03 0.04"/>
      <site name="eye" pos="0.2 0 0.1"/>
      <body name="b" pos="0.4 0 0"><joint name="j2" type="slide" axis="1 0 1" springdamper="0.1 1" stiffness="9"/>
        <inertial mass="1" pos="0 0.1 0" diaginertia="0.02 0.03 0.025"/><site name="hand" pos="0 0.1 0.2"/>
        <body name="c" pos="0 0 0.3"><joint name="j3" axis="1 1 0" ref="-0.2"/>
          <inertial mass="1" pos="0 0.1 0" diaginertia="0.02 0.03 0.025"/></body></body></body></worldbody>
    <tendon>
      <spatial name="rope" stiffness="40" damping="3" springlength="0.5"><site site="roof"/><site site="eye"/><site site="hand"/></spatial>
      <spatial name="slack" stiffness="20" springlength="0.7"><site site="roof"/><site site="hand"/></spatial>
      <fixed name="coil" stiffness="7" damping="0.4" springlength="0.6"><joint joint="j3" coef="-1.5"/></fixed>
      <fixed name="own" stiffness="2" springlength="0"><joint joint="j3" coef="2"/></fixed>
    </tendon></mujoco>)");
}

TEST(Mjcf, SeveralJointsOfABodyActOneAfterTheOther) {
  expect_same_mechanics(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a" pos="0 0 1" quat="1 0.2 0.3 0.1">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="turn" axis="0 1 0" pos="0.1 0 0.2" ref="0.3"/>
      <joint name="y" type="slide" axis="0 1 1" ref="-0.1"/>
      <joint name="ball" type="ball" pos="0 0.1 0"/>
      <inertial mass="3" pos="0.1 0.2 0" diaginertia="0.1 0.2 0.25"/>
      <body name="b" pos="0.3 0 0"><joint name="k" axis="0 1 0"/><joint name="l" axis="0 0 1"/>
        <inertial mass="1" pos="0.1 0 0" diaginertia="0.1 0.1 0.1"/></body>
    </body></worldbody></mujoco>)");
}

/// They come back so: MuJoCo refuses massless bodies that move.
TEST(Mjcf, SeveralJointsOfABodyAreWrittenAsSuch) {
  const Robot robot = read_mjcf_text(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a" pos="0 0 1" quat="1 0.2 0.3 0.1">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="turn" axis="0 1 0" pos="0.1 0 0.2" ref="0.3" damping="0.2"/>
      <joint name="y" type="slide" axis="0 1 1" ref="-0.1"/>
      <inertial mass="3" pos="0.1 0.2 0" diaginertia="0.1 0.2 0.25"/>
      <body name="b" pos="0.3 0 0"><joint name="k" axis="0 1 0"/><joint name="l" axis="0 0 1"/>
        <inertial mass="1" pos="0.1 0 0" diaginertia="0.1 0.1 0.1"/></body>
    </body></worldbody></mujoco>)",
                                     "robot.xml")
                          .robot;
  expect_same_mechanics(write_robot(Model(robot), RobotFormat::mjcf).text, 1e-8);
}

TEST(Mjcf, AFreeBodyKeepsItsCoordinates) {
  expect_same_mechanics(R"(<mujoco><worldbody>
    <body name="base" pos="0 0 1.1" euler="0 30 0"><freejoint name="root"/>
      <inertial mass="5" pos="0.01 0 0" diaginertia="0.1 0.2 0.25"/>
      <body name="arm" pos="0.3 0 0"><joint name="j" axis="0 1 0"/>
        <inertial mass="1" pos="0.1 0 0" diaginertia="0.1 0.1 0.1"/></body>
    </body></worldbody></mujoco>)");
}

TEST(Mjcf, MassesComeFromGeoms) {
  expect_same_mechanics(R"(<mujoco><compiler angle="radian"/><worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="a"><joint name="j1" axis="0 1 0"/>
      <geom type="sphere" size="0.1" pos="0.1 0 0"/>
      <geom type="capsule" size="0.05 0.2" euler="0.1 0.2 0.3" density="700"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0.1 0.2" mass="1.5"/>
      <body name="b" pos="0.3 0 0"><joint name="j2" axis="0 0 1"/>
        <geom type="box" size="0.1 0.2 0.05" pos="0 0 0.1" quat="1 0.1 0 0"/>
        <geom type="cylinder" size="0.05 0.1" pos="0.1 0.1 0"/>
        <geom type="cylinder" size="0.02" fromto="0 0 0 0 0.5 0.1"/>
        <geom type="ellipsoid" size="0.1 0.05 0.2" pos="0 0.1 0" density="500"/>
        <body name="c" pos="0 0 0.3"><joint name="j3" axis="1 0 0"/>
          <geom type="sphere" size="0.1" mass="0"/>
          <geom size="0.05" pos="0 0 0.1"/>
          <inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>
        </body>
      </body>
    </body></worldbody></mujoco>)");
}

/// One geom to a body: MuJoCo 2.2 ends its search for the principal axes of several turned ones at
/// 1e-8. (MuJoCo 4 agrees on several to 1e-15: mujoco_python.py, fromto.xml.)
TEST(Mjcf, BoxesBetweenTwoPointsAreSquareAcrossAndEllipsoidsRound) {
  expect_same_mechanics(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a"><joint name="j1" axis="0 1 0"/>
      <geom type="box" size="0.02 0.05" fromto="0 0 0 0.2 0.5 0.1"/>
      <body name="b" pos="0.3 0 0"><joint name="j2" axis="0 0 1"/>
        <geom type="ellipsoid" size="0.03" fromto="0 0.1 0 0.2 0.5 0.1"/>
      </body>
    </body></worldbody></mujoco>)");
}

/// What a <flag> switches off acts in neither.
TEST(Mjcf, FlagsSwitchForcesOff) {
  const std::string bodies = R"(<worldbody>
    <body name="a"><joint name="j1" axis="0 1 0" stiffness="3" springref="20" damping="0.4" frictionloss="0.3"/>
      <inertial mass="1" pos="0.1 0 0" diaginertia="0.1 0.1 0.1"/><site name="s"/>
      <body name="b" pos="0.3 0 0"><joint name="j2" axis="0 0 1" springdamper="0.2 0.7"/><site name="t"/>
        <inertial mass="1" pos="0.1 0 0" diaginertia="0.1 0.1 0.1"/></body></body></worldbody>
    <tendon><spatial stiffness="5" damping="2" springlength="0.1"><site site="s"/><site site="t"/></spatial></tendon></mujoco>)";
  for (const char* flag : {"passive", "frictionloss", "gravity", "constraint"}) {
    SCOPED_TRACE(flag);
    expect_same_mechanics("<mujoco><option><flag " + std::string(flag) + "='disable'/></option>" +
                          bodies);
  }
}

/// A primitive that names a mesh has the size of the box with the inertia of that mesh.
TEST(Mjcf, PrimitivesAreFittedToMeshes) {
  const std::string mesh =
      "<asset><mesh name='m' vertex='0 0 0  2 0 0  2 1 0  0 1 0  0 0 3  2 0 3  2 1 3  0 1 3' "
      "scale='0.1 0.1 0.1'/></asset>";
  for (const char* type : {"sphere", "capsule", "ellipsoid", "cylinder", "box"}) {
    SCOPED_TRACE(type);
    expect_same_mechanics("<mujoco><compiler angle='radian'/>" + mesh +
                              "<worldbody><body name='a'><joint name='j1' axis='0 1 0'/><geom "
                              "mesh='m' mass='2' pos='0.1 0.2 0' euler='0.3 0.2 0.1' type='" +
                              type + "'/></body></worldbody></mujoco>",
                          1e-6);  // MuJoCo keeps corners in single precision
  }
}

TEST(Mjcf, TheCompilerMayChangeMasses) {
  const std::string body = R"(<worldbody>
    <body name="a"><joint name="j1" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0" group="1"/>
      <inertial mass="1" pos="0.3 0 0" diaginertia="0.1 0.1 0.1"/>
      <body name="b" pos="0.3 0 0"><joint name="j2" axis="0 0 1"/>
        <geom size="0.05" pos="0 0.1 0" group="4"/><geom type="box" size="0.1 0.1 0.1"/></body>
      <body name="c" pos="0.3 0 0"><joint name="j4" axis="0 0 1"/>
        <inertial mass="1e-4" pos="0.1 0 0" diaginertia="1e-5 2e-5 3e-5"/></body>
    </body></worldbody></mujoco>)";
  for (const char* compiler :
       {"inertiafromgeom='true'", "inertiafromgeom='true' inertiagrouprange='0 1'",
        "boundmass='0.02' boundinertia='0.003'", "settotalmass='7'"}) {
    SCOPED_TRACE(compiler);
    std::string text = std::string("<mujoco><compiler ") + compiler + "/>" + body;
    if (text.find("true'") != std::string::npos)  // a body without a geom would have no mass
      text.replace(text.find("<inertial mass=\"1e-4\""), 0, "<geom size='0.02' pos='0.1 0 0'/>");
    expect_same_mechanics(text);
  }
  expect_same_mechanics(R"(<mujoco><compiler balanceinertia="true"/><worldbody>
    <body name="a"><joint name="j1" axis="0 1 0"/>
      <inertial mass="1" pos="0.3 0 0" diaginertia="0.1 0.1 0.5"/></body></worldbody></mujoco>)");
}

TEST(Mjcf, DefaultClassesFillIn) {
  expect_same_mechanics(R"(<mujoco><compiler angle="radian"/>
    <default><joint damping="0.5" axis="0 1 0"/><geom density="300" size="0.1 0.1 0.1"/>
      <default class="strong"><joint armature="0.4"/><geom type="box"/>
        <default class="stronger"><joint damping="2" pos="0 0 0.1"/></default></default>
      <default class="turned"><geom quat="1 1 0 0" type="capsule"/></default></default>
    <worldbody>
      <body name="a"><joint name="j1"/><geom/>
        <body name="b" pos="0.3 0 0" childclass="strong"><joint name="j2" axis="1 0 0"/><geom pos="0.1 0 0"/>
          <body name="c" pos="0.3 0 0"><joint name="j3" class="stronger"/><geom class="turned" euler="0.3 0 0" pos="0.2 0 0"/>
            <body name="e" pos="0.3 0 0" childclass="turned"><joint name="j4" type="slide"/><geom mass="2"/></body></body>
        </body></body></worldbody></mujoco>)");
}

/// A mass counts before a density, wherever each stands; the numbers of a size that an element does
/// not give are those of its class; an <inertial> stands in its <frame>.
TEST(Mjcf, ClassesAndFramesAreCombinedAsInMujoco) {
  expect_same_mechanics(R"(<mujoco><compiler angle="radian"/>
    <default><geom density="300" size="0.1 0.2 0.3"/>
      <default class="heavy"><geom mass="2"/><default class="flat"><geom size="0.4" type="box"/></default></default></default>
    <worldbody>
      <body name="a"><joint name="j1"/><geom class="heavy" density="500"/>
        <body name="b" pos="0.3 0 0"><joint name="j2" axis="1 0 0"/><geom class="flat"/>
          <body name="c" pos="0.3 0 0"><joint name="j3" axis="0 1 0"/><geom type="box" size="0.05 0.06"/></body>
        </body></body></worldbody></mujoco>)");
}

TEST(Mjcf, WrittenTreesComeBack) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 1 + static_cast<int>(seed % 8);
    recipe.branches = true;
    recipe.types = {JointType::revolute, JointType::prismatic, JointType::spherical};
    Robot robot = testing::random_robot(g, recipe);
    for (JointData& joint : robot.joints) joint.degrees.clear();
    const Model model(robot),
        back(read_mjcf_text(testing::MjcfWriter(robot).text(), "robot.xml").robot);
    ASSERT_EQ(back.speeds(), model.speeds());
    Workspace work(model), work_back(back);
    const Eigen::VectorXd q = Model(robot).neutral();
    // Bodies are written in the order of the tree; the mass matrices are alike up to that order.
    expect_agreement(
        Eigen::VectorXd(mass_matrix(model, work, q).eigenvalues().real())
                .array()
                .log()
                .matrix()
                .sum() *
            Eigen::MatrixXd::Ones(1, 1),
        Eigen::VectorXd(mass_matrix(back, work_back, back.neutral()).eigenvalues().real())
                .array()
                .log()
                .matrix()
                .sum() *
            Eigen::MatrixXd::Ones(1, 1),
        1e-9);
  }
}

// A channel of U shape is not convex: MuJoCo's own rule counts parts of it twice, signed volumes do
// not. Without them MuJoCo 2.2 multiplies the density with the volume of a box of the same inertia,
// not with that of the mesh, so that the mass is given there.
TEST(MujocoMjcf, MassesFromMeshes) {
  const std::string channel =
      "<mesh name='u' scale='0.1 0.2 0.3' vertex='0 0 0 3 0 0 3 3 0 2 3 0 2 1 0 1 1 0 1 3 0 0 3 0 "
      "0 0 1 3 0 1 3 3 1 2 3 1 2 1 1 1 1 1 1 3 1 0 3 1' "
      "face='0 4 1 0 5 4 1 4 3 1 3 2 0 7 6 0 6 5 8 9 12 8 12 13 9 11 12 9 10 11 8 14 15 8 13 14 "
      "0 1 9 0 9 8 1 2 10 1 10 9 2 3 11 2 11 10 3 4 12 3 12 11 4 5 13 4 13 12 5 6 14 5 14 13 "
      "6 7 15 6 15 14 7 0 8 7 8 15'/>";
  for (const auto& [exact, mass] :
       {std::pair{"true", "density='700'"}, std::pair{"false", "mass='9'"}})
    expect_same_mechanics(std::string("<mujoco><compiler angle='radian' exactmeshinertia='") +
                              exact + "'/><asset>" + channel +
                              R"(</asset><worldbody>
      <body name='a' pos='0 0 1'><joint name='j' axis='0 1 1'/>
        <geom type='mesh' mesh='u' pos='0.1 0.2 0.3' euler='0.3 0.4 0.5' )" +
                              mass + R"(/>
        <body name='b' pos='0.2 0 0'><joint name='k' axis='1 0 0'/>
          <geom type='mesh' mesh='u' mass='2'/><geom size='0.1' pos='0 0 0.2'/></body>
      </body></worldbody></mujoco>)",
                          1e-6);  // MuJoCo keeps corners in single precision
}

// What is written for MuJoCo is read by MuJoCo.
TEST(MujocoMjcf, WrittenRobotsAreTheSameForMujoco) {
  for (const char* name : {"intelledex605", "stanford", "scara", "planar-3r"}) {
    SCOPED_TRACE(name);
    expect_same_mechanics(write_robot(Model(read_robot(name).robot), RobotFormat::mjcf).text, 1e-8);
  }
}

// Its equalities hold where bodies meet: a mechanism that is closed for us is closed for MuJoCo.
TEST(MujocoMjcf, WrittenLoopsAreClosedForMujoco) {
  for (const char* name : {"four-bar", "five-bar"}) {
    SCOPED_TRACE(name);
    const Model model(read_robot(name).robot);
    const testing::Mujoco peer(write_robot(model, RobotFormat::mjcf).text, "robot.xml",
                               model.robot().gravity);
    mjData* d = peer.data.get();
    peer.model->opt.disableflags = 0;
    mj_resetData(peer.model.get(), d);  // the posture of the model, which the references keep
    mj_forward(peer.model.get(), d);
    ASSERT_GT(d->ne, 0);
    for (int k = 0; k < d->ne; ++k) EXPECT_LT(std::abs(d->efc_pos[k]), 1e-9);
  }
}

}  // namespace
}  // namespace ulna
