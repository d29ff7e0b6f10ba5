// Numbers of robots and experiments by their place in the file.

#include "ulna/formats/parameters.hpp"

#include <fstream>

#include "reading.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;

constexpr const char* arm = R"(
ulna: 1
name: arm
bodies:
  - {name: upper, beam: {from: [0, 0, 0], to: [1, 0, 0], material: steel, section: {tube: {outer: 60 mm, inner: 50 mm}}}}
  - {name: hand, mass: 2, centre: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper}
  - {name: wrist.bend, type: revolute, parent: upper, child: hand, at: [1, 0, 0], spring: {stiffness: 5}}
payloads:
  - {name: tool, body: hand, mass: 1}
)";

TEST(RobotPath, SetsAnyValueOfTheRobotFile) {
  const Robot robot = robot_of(arm);
  EXPECT_EQ(with_value(robot, "bodies.hand.mass", "3.5").bodies[1].inertial.mass, 3.5);
  EXPECT_EQ(with_value(robot, "bodies.hand.centre.x", "20 mm").bodies[1].inertial.centre.x(), 0.02);
  EXPECT_EQ(
      with_value(robot, "joints.wrist.bend.spring.stiffness", "7").joints[1].degrees[0].stiffness,
      7);
  EXPECT_EQ(
      with_value(robot, "joints.shoulder.spring.stiffness", "9").joints[0].degrees[0].stiffness, 9);
  EXPECT_EQ(with_value(robot, "joints.wrist.bend.at.x", "1.5").joints[1].X_PF.position.x(), 1.5);
  EXPECT_EQ(with_value(robot, "payloads.tool.mass", "4").payloads[0].inertial.mass, 4);
  const Robot thick = with_value(robot, "beams.upper.section.outer", "80 mm");
  EXPECT_GT(inertial_of(thick.bodies[0]).mass, 2 * inertial_of(robot.bodies[0]).mass);
  EXPECT_EQ(with_value(robot, "beams.upper.to.x", "2").bodies[0].beams[0].length(), 2);
  Robot boxed = robot;
  boxed.bodies[0].beams[0].sections[0] = {};
  boxed.bodies[0].beams[0].sections[0].shape = Section::Shape::box;
  Section& box = boxed.bodies[0].beams[0].sections[0];
  box.height = box.width = 0.06;
  box.inner_height = box.inner_width = 0.05;
  box.J = *numbers_of(box).Iy + *numbers_of(box).Iz;
  const Section wide =
      with_value(boxed, "beams.upper.section.outer", "0.1").bodies[0].beams[0].sections[0];
  EXPECT_EQ(wide.height, 0.1);
  EXPECT_EQ(wide.width, 0.1);
  EXPECT_EQ(*wide.J, *numbers_of(wide).Iy + *numbers_of(wide).Iz);  // it was the polar moment
  EXPECT_EQ(write_robot_yaml(robot), write_robot_yaml(robot_of(arm)));
}

TEST(RobotPath, AxesAreNamesAmongNamedItems) {
  Robot robot = robot_of(arm);
  EXPECT_THROW(with_value(robot, "payloads.x.mass", "4"), InputError);
  robot.payloads.push_back(robot.payloads[0]);
  robot.payloads[1].name = "x";
  EXPECT_EQ(with_value(robot, "payloads.x.mass", "4").payloads[1].inertial.mass, 4);
  EXPECT_EQ(with_value(robot, "payloads.0.mass", "4").payloads[0].inertial.mass, 4);
}

TEST(RobotPath, NamesWhatDoesNotExist) {
  const Robot robot = robot_of(arm);
  const auto says = [&](const char* path, const char* value) {
    return problems_of([&] { with_value(robot, path, value); });
  };
  EXPECT_THAT(says("bodies.arm.mass", "1"), HasSubstr("there is no 'arm'"));
  EXPECT_THAT(says("bodies.hand.mas", "1"), HasSubstr("bodies.hand.mas"));
  EXPECT_THAT(says("bodies.hand.mass", "heavy"), HasSubstr("heavy"));
  EXPECT_THAT(says("bodies.hand", "1"), HasSubstr("not a single value"));
  EXPECT_THAT(says("beams.hand.to.x", "1"), HasSubstr("no such beam"));
  EXPECT_TRUE(is_robot_path("joints.a.axis.x"));
  EXPECT_FALSE(is_robot_path("upper_arm.material"));
}

TEST(RobotParameters, HaveTheKeysOfTheirFile) {
  const std::string file = ::testing::TempDir() + "ulna-dh-arm.yaml";
  std::ofstream(file) << R"(
ulna: 1
name: dh-arm
bodies:
  - {name: upper, mass: 2, centre: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: lower, mass: 1}
joints:
  - {name: j1, type: revolute, parent: world, child: upper, dh: {convention: standard, a: 0.4}}
  - {name: j2, type: revolute, parent: upper, child: lower, dh: {convention: standard, a: 300 mm}}
)";
  Robot robot = read_robot(file).robot;
  const RobotParameters parameters(robot);
  EXPECT_EQ(parameters.value("joints.j2.dh.a"), "300 mm");
  EXPECT_EQ(parameters.value("bodies.upper.mass"), "2");
  EXPECT_EQ(parameters.value("bodies.lower.centre.x"), "0");
  const Robot longer = parameters.with({{"joints.j2.dh.a", "0.5"}, {"bodies.lower.mass", "4"}});
  EXPECT_EQ(write_robot_yaml(longer),
            write_robot_yaml(
                with_value(with_value(robot, "joints.j2.dh.a", "0.5"), "bodies.lower.mass", "4")));
  EXPECT_EQ(longer.bodies[1].inertial.mass, 4);
  EXPECT_NEAR(longer.joints[1].X_MC.position.norm(), 0.5, 1e-15);
  EXPECT_EQ(parameters.with({parameter("gravity.z", -1.62)}).gravity.z(), -1.62);
  // Gravity of the command line does not cost the keys; another mass does.
  robot.gravity = {0, -9.81, 0};
  EXPECT_EQ(RobotParameters(robot).with({{"joints.j2.dh.a", "0.5"}}).gravity.y(), -9.81);
  robot.bodies[0].inertial.mass = 3;
  EXPECT_EQ(RobotParameters(robot).value("bodies.upper.mass"), "3");
}

TEST(RobotParameters, NameTheNearest) {
  const RobotParameters parameters(robot_of(arm));
  const auto says = [&](const char* path) {
    return problems_of([&] { parameters.with({{path, "1"}}); });
  };
  EXPECT_THAT(says("bodies.hande.mass"), HasSubstr("did you mean 'hand'"));
  EXPECT_THAT(says("bodies.hand.masss"), HasSubstr("mass"));
  EXPECT_THAT(says("beams.uper.to.x"), HasSubstr("did you mean 'upper'"));
  EXPECT_THAT(says("joints.shoulder.at.7"), HasSubstr("below 3"));
  EXPECT_THAT(says("joints..at"), HasSubstr("empty part"));
}

TEST(ExperimentParameters, ReachControllersConstantsAndTheRobot) {
  const std::string text = R"(
experiment: 1
robot: planar-3r
duration: 2 s
constants: {T: 2, A: 0.5}
motions: {all: A*sin(t/T)}
drives: {all: controller}
start: {q: [0.1, 0, 0]}
controllers:
  - {law: pd, kp: 10, kd: 2}
)";
  const ExperimentParameters e = ExperimentParameters::from_text(text, "experiment.yaml");
  EXPECT_EQ(e.value("controllers.0.kp"), "10");
  const Experiment changed = e.with({{"duration", "3"},
                                     {"constants.T", "4"},
                                     {"controllers.0.kp", "20"},
                                     {"start.q.1", "0.3"},
                                     {"bodies.link1.mass", "7"}})
                                 .experiment;
  EXPECT_EQ(changed.end, 3);
  EXPECT_EQ(changed.q(1), 0.3);
  EXPECT_EQ(e.with({}).experiment.end, 2);
  EXPECT_EQ(changed.model->robot().bodies[0].inertial.mass, 7);
  EXPECT_THAT(problems_of([&] { e.with({{"controllers.3.kp", "1"}}); }), HasSubstr("below 1"));
  EXPECT_THAT(problems_of([&] { e.with({{"duratoin", "1"}}); }), HasSubstr("duration"));
}

}  // namespace
}  // namespace ulna
