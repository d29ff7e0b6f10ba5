// Named postures of robot files and of MuJoCo models.

#include "ulna/kinematics/posture.hpp"
#include "reading.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/kinematics/loop_closure.hpp"

namespace ulna {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string arm_with_postures = R"(ulna: 1
name: arm
bodies:
  - {name: base, mass: 1, inertia: [1, 1, 1]}
  - {name: arm, mass: 1, inertia: [1, 1, 1]}
  - {name: slide, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: float, type: free, parent: world, child: base}
  - {name: hinge, type: revolute, parent: base, child: arm}
  - {name: stroke, type: prismatic, parent: arm, child: slide}
postures:
  - name: home
    q: {hinge: 90 deg, stroke: 25 mm}
  - name: flight
    q: {float: [2, 0, 0, 0, 1, 2, 3], hinge: 0.5, stroke: 0.1}
  - {name: zero, q: {}}
)";

TEST(Postures, CoordinatesOfSomeOrAllJoints) {
  const Model model(robot_of(arm_with_postures));
  Eigen::VectorXd home = model.neutral(), flight(9);
  home(7) = M_PI / 2;
  home(8) = 0.025;
  flight << 1, 0, 0, 0, 1, 2, 3, 0.5, 0.1;  // the quaternion made unit
  EXPECT_LT((posture(model, "home") - home).norm(), rounding);
  EXPECT_LT((posture(model, "flight") - flight).norm(), rounding);
  EXPECT_EQ(posture(model, "zero"), model.neutral());
}

TEST(Postures, SurviveWriting) {
  const std::string written = write_robot_yaml(robot_of(arm_with_postures));
  EXPECT_EQ(write_robot_yaml(robot_of(written)), written);
  const Model before(robot_of(arm_with_postures)), after(robot_of(written));
  for (const char* name : {"home", "flight", "zero"})
    EXPECT_EQ(posture(before, name), posture(after, name));
}

TEST(Postures, MistakesAreNamed) {
  const Model model(robot_of(arm_with_postures));
  EXPECT_THAT(complaint([&] { posture(model, "hom"); }),
              AllOf(HasSubstr("no posture 'hom'"), HasSubstr("did you mean 'home'?")));
  const auto with = [](const std::string& q) {
    std::string text = arm_with_postures;
    text += "  - {name: more, q: " + q + "}\n";
    return problems_of([&] { Model(robot_of(text)); });
  };
  EXPECT_THAT(with("{hnge: 1}"),
              AllOf(HasSubstr("no joint 'hnge'"), HasSubstr("did you mean 'hinge'?")));
  EXPECT_THAT(with("{hinge: [1, 2]}"), HasSubstr("2 values for joint 'hinge'"));
  EXPECT_THAT(with("{hinge: 3 mm}"), HasSubstr("hinge"));
  EXPECT_THAT(with("5"), HasSubstr("a map from joints"));
  std::string twice = arm_with_postures + "  - {name: home, q: {}}\n";
  EXPECT_THAT(problems_of([&] { Model(robot_of(twice)); }), HasSubstr("taken by another posture"));
}

// A crank at a named angle: the other joints of the four-bar follow.
TEST(Postures, LoopsCompleteThem) {
  Robot robot = read_robot("four-bar").robot;
  PostureData half;
  half.name = "half";
  std::string crank;
  for (const JointData& joint : robot.joints)
    if (joint.type == JointType::revolute && !joint.cut) {
      crank = joint.name;
      break;
    }
  half.places = {{crank, {0.5}}};
  robot.postures.push_back(half);
  const Model model(robot);
  const Eigen::VectorXd q = posture(model, "half");
  EXPECT_EQ(q(model.joints()[model.joint(crank)].q), 0.5);
  LoopClosure closure(model);
  Workspace work(model);
  closure.update(work, q);
  EXPECT_LT(closure.residual().norm(), 1e-10);
}

const std::string key_model = R"(<mujoco model='m'><compiler angle='radian'/><worldbody>
  <body name='base'><freejoint name='float'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>
   <body name='arm'><joint name='hinge' ref='0.2'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>
    <body name='ball'><joint name='ball' type='ball'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body>
   </body></body></worldbody>
  <keyframe><key name='home' qpos='1 2 3 0 1 0 0 0.7 0 0 0 1'/><key qpos='0 0 0 1 0 0 0 0 1 0 0 0'/>
    <key name='none' time='3'/></keyframe></mujoco>)";

TEST(Postures, KeyframesOfMujoco) {
  const ReadResult read = read_mjcf_text(key_model, "m.xml");
  const Model model(read.robot);
  ASSERT_EQ(read.robot.postures.size(), 2u);
  Eigen::VectorXd expected(12);  // turn first, then place
  expected << 0, 1, 0, 0, 1, 2, 3, 0.7, 0, 0, 0, 1;
  EXPECT_EQ(posture(model, "home"), expected);
  EXPECT_EQ(posture(model, "key1"), model.neutral());
  std::string bad = key_model;
  bad.replace(bad.find("qpos='1 2 3"), 11, "qpos='1 2");
  EXPECT_THAT(problems_of([&] { read_mjcf_text(bad, "m.xml"); }), HasSubstr("12 numbers"));
}

}  // namespace
}  // namespace ulna
