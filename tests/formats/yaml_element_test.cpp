// `elements` of a robot file: read with their units, written so that they read back the same, and
// refused with a word about what is wrong.

#include "reading.hpp"

namespace ulna {
namespace {

std::string with_elements(const std::string& elements) {
  return one_joint("") + "frames:\n  - {name: eye, body: arm, at: [0, 0, 1]}\nelements:\n" +
         elements;
}

const std::string all_types = R"(  - name: strut
    type: spring-damper
    from: {body: world, point: [0, 200 mm, 0]}
    to: eye
    through: [{body: world, point: [1, 1, 0]}]
    free_length: 80 mm
    stiffness: 4 N/mm
    hardening: 5
    backlash: 1 mm
    damping: 20 N s/m
    preload: 3 N
    table: [[-10 mm, -50], [0, 0], [10 mm, 80]]
    damper_table: [[-1, -2], [1, 4]]
  - {name: jack, type: actuator, from: world, to: arm, force: 2 kN, stroke: [0.4, 0.7], rate_limit: 100 mm/s}
  - {name: mount, type: bushing, from: world, to: {body: arm, at: {rpy: [0, 0, 90 deg]}}, stiffness: [1, 2, 3, 4, 5, 6], damping: [[1, 0, 0, 0, 0, 0.5], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0.5, 0, 0, 0, 0, 1]]}
  - {name: clock, type: torsion, from: world, to: arm, axis: [1, 0, 0], stiffness: 12 N m/rad, rest: 90 deg}
  - {name: door, type: torsion, joint: hinge, damping: 2}
)";

TEST(YamlElements, AreReadWithTheirUnits) {
  const Robot robot = robot_of(with_elements(all_types));
  ASSERT_EQ(robot.elements.size(), 5u);
  const ElementData& strut = robot.elements[0];
  EXPECT_EQ(strut.from.X_BE.position, Vector3<double>(0, 0.2, 0));
  EXPECT_EQ(strut.to.frame, "eye");
  EXPECT_EQ(strut.through.size(), 1u);
  EXPECT_EQ(strut.law.rest, 0.08);
  EXPECT_EQ(strut.law.stiffness, 4000);
  EXPECT_EQ(strut.law.spring.at, (std::vector<double>{-0.01, 0, 0.01}));
  EXPECT_EQ(robot.elements[1].force, 2000);
  EXPECT_EQ(robot.elements[1].greatest_length, 0.7);
  EXPECT_EQ(robot.elements[1].rate_limit, 0.1);
  EXPECT_EQ(robot.elements[2].stiffness(5, 5), 6);
  EXPECT_EQ(robot.elements[2].damping(0, 5), 0.5);
  EXPECT_EQ(robot.elements[3].axis, Vector3<double>(1, 0, 0));
  EXPECT_NEAR(robot.elements[3].law.rest, M_PI / 2, rounding);
  EXPECT_EQ(robot.elements[4].joint, "hinge");
}

TEST(YamlElements, AreWrittenAsTheyWereRead) {
  const Robot robot = robot_of(with_elements(all_types));
  const std::string written = write_robot_yaml(robot);
  const Robot again = robot_of(written);
  EXPECT_EQ(write_robot_yaml(again), written);
  ASSERT_EQ(again.elements.size(), robot.elements.size());
  for (std::size_t k = 0; k < robot.elements.size(); ++k) {
    const ElementData &a = robot.elements[k], &b = again.elements[k];
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.to.frame, b.to.frame);
    EXPECT_EQ(a.from.X_BE.position, b.from.X_BE.position);
    EXPECT_EQ(a.to.X_BE.rotation, b.to.X_BE.rotation);
    EXPECT_EQ(a.law.rest, b.law.rest);
    EXPECT_EQ(a.law.spring.force, b.law.spring.force);
    EXPECT_EQ(a.law.damper.at, b.law.damper.at);
    EXPECT_EQ(a.force, b.force);
    EXPECT_EQ(a.rate_limit, b.rate_limit);
    EXPECT_EQ(a.stiffness, b.stiffness);
    EXPECT_EQ(a.damping, b.damping);
    EXPECT_EQ(a.axis, b.axis);
    EXPECT_EQ(a.joint, b.joint);
  }
}

TEST(YamlElements, MistakesNameTheKey) {
  const auto said = [](const std::string& item) {
    return yaml_complaint(with_elements("  - {name: e, " + item + "}\n"));
  };
  EXPECT_EQ(said("type: spring-damper, from: world, to: arm, damping: 1"), "accepted");
  expect_parts(said("type: spring-damper, from: world, to: arm, stiffness: 1"), {"free_length"},
               "");
  expect_parts(said("type: spring, from: world, to: arm"), {"spring-damper", "torsion"}, "");
  expect_parts(said("type: actuator, from: world, to: arm, stifness: 1"), {"stifness"}, "");
  expect_parts(said("type: bushing, from: world, to: arm, stiffness: [1, 2]"),
               {"a list of 2", "six"}, "");
  expect_parts(said("type: torsion, joint: hinge, from: world, stiffness: 1"), {"the joint's axis"},
               "");
  expect_parts(said("type: spring-damper, to: arm, damping: 1"), {"from"}, "");
  expect_parts(said("type: spring-damper, from: world, to: arm, damping: 1 mm"), {"damping"}, "");
}

}  // namespace
}  // namespace ulna
