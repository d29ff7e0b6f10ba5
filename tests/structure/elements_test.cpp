// Force elements in the structure of a robot: their tangent stiffness beside that of beams and
// joints.

#include <gtest/gtest.h>

#include "ulna/formats/read_robot.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna {
namespace {

double first_mode(const std::string& yaml, double q = 0) {
  const Model model(read_robot_yaml_text(yaml, "t.yaml").robot);
  const RobotStructure structure(model, Eigen::VectorXd::Constant(model.coordinates(), q));
  return structure_modes(structure).modes.omega(0);
}

const std::string pendulum = R"(ulna: 1
name: bar
gravity: [0, 0, 0]
bodies:
  - {name: bar, mass: 3, centre: [0.5, 0, 0], inertia: [0.01, 0.25, 0.25]}
joints:
  - {name: hinge, type: revolute, parent: world, child: bar}
)";
const double J = 0.25 + 3 * 0.25;  // about the hinge

TEST(StructureElements, ASpringAcrossABarIsOneOnItsHinge) {
  // At 0.8 m from the hinge, along y, unstretched: k r^2.
  EXPECT_NEAR(first_mode(pendulum + R"(elements:
  - {name: e, type: spring-damper, from: {body: world, point: [0.8, 1, 0]}, to: {body: bar, point: [0.8, 0, 0]}, free_length: 1, stiffness: 500}
)"),
              std::sqrt(500 * 0.64 / J), 1e-9);
}

TEST(StructureElements, ATensionedStringHoldsAcross) {
  // Along the bar, with 100 N in it over 0.5 m: the end moves across by r.
  EXPECT_NEAR(first_mode(pendulum + R"(elements:
  - {name: e, type: spring-damper, from: {body: world, point: [1.5, 0, 0]}, to: {body: bar, point: [1, 0, 0]}, preload: 100}
)"),
              std::sqrt(100 / 0.5 / J), 1e-9);
}

TEST(StructureElements, AnActuatorThatPullsHoldsAcrossAndAFormulaOfItsLengthIsASpring) {
  EXPECT_NEAR(first_mode(pendulum + R"(elements:
  - {name: e, type: actuator, from: {body: world, point: [1.5, 0, 0]}, to: {body: bar, point: [1, 0, 0]}, force: -100}
)"),
              std::sqrt(100 / 0.5 / J), 1e-9);
  EXPECT_NEAR(first_mode(pendulum + R"yaml(elements:
  - {name: e, type: actuator, from: {body: world, point: [0.8, 1, 0]}, to: {body: bar, point: [0.8, 0, 0]}, force: "-500*(element.e.length - 1)"}
)yaml"),
              std::sqrt(500 * 0.64 / J), 1e-9);
  // That of a free joint would make the matrices unsymmetric.
  EXPECT_THROW(first_mode(pendulum + R"(elements:
  - {name: e, type: actuator, from: {body: world, point: [1.5, 0, 0]}, to: {body: bar, point: [1, 0, 0]}, force: "-100*q.hinge"}
)"),
               InputError);
}

TEST(StructureElements, ABarThatAnActuatorBucklesHasNoModes) {
  // It pushes along the bar with nothing that holds across: a fact about the robot, no wrong input.
  EXPECT_THROW(first_mode(pendulum + R"(elements:
  - {name: e, type: actuator, from: {body: world, point: [1.5, 0, 0]}, to: {body: bar, point: [1, 0, 0]}, force: 100}
)"),
               ComputationError);
}

TEST(StructureElements, TorsionAndBushingTurnTheHinge) {
  const double expected = std::sqrt(40 / J);
  EXPECT_NEAR(first_mode(pendulum + R"(elements:
  - {name: e, type: torsion, from: world, to: bar, stiffness: 40}
)"),
              expected, 1e-9);
  EXPECT_NEAR(first_mode(pendulum + R"(elements:
  - {name: e, type: torsion, joint: hinge, stiffness: 40}
)"),
              expected, 1e-9);
  EXPECT_NEAR(first_mode(pendulum + R"(elements:
  - {name: e, type: bushing, from: world, to: bar, stiffness: [1, 2, 40, 7, 8, 9]}
)"),
              expected, 1e-9);
}

TEST(StructureElements, ACableOverAnEyeWorksByBothItsParts) {
  // Eyes on the world: the last part is along y at 1 m, so that the length changes with the end.
  EXPECT_NEAR(first_mode(pendulum + R"(elements:
  - {name: e, type: spring-damper, from: {body: world, point: [2, 1, 0]}, through: [{body: world, point: [1, 1, 0]}], to: {body: bar, point: [1, 0, 0]}, free_length: 2, stiffness: 300}
)"),
              std::sqrt(300 / J), 1e-9);
}

}  // namespace
}  // namespace ulna
