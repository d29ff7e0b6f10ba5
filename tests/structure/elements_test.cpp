// Force elements in the structure of a robot: their tangent stiffness beside that of beams and
// joints, and what they exert on them.

#include <gtest/gtest.h>

#include "ulna/formats/read_robot.hpp"
#include "ulna/structure/parts/motion_terms.hpp"
#include "ulna/structure/statics.hpp"
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

/// A clamped beam of 2 m along x with EI = 5000 N m^2, EA = 1e9 N, GJ = 4000 N m^2 and 4 kg/m.
const std::string clamped_beam = R"(ulna: 1
name: beam
bodies:
  - {name: beam, beam: {from: [0, 0, 0], to: [2, 0, 0], EA: 1e9, EIy: 5000, EIz: 5000, GJ: 4000, mass_per_length: 4, elements: 4}}
joints:
  - {name: root, type: fixed, parent: world, child: beam}
frames:
  - {name: tip, body: beam, at: [2, 0, 0]}
elements:
  - {name: e, )";

/// Where the tip of the beam goes under the element alone, (translation, rotation).
Vector6<double> tip_under(const std::string& element) {
  const Model model(read_robot_yaml_text(clamped_beam + element + "}\n", "t.yaml").robot);
  const Eigen::VectorXd q(0);
  const RobotStructure structure(model, q);
  StaticLoad load;
  load.gravity = false;
  const StaticDeflection bent = static_deflection(structure, q, load);
  return structure.frame().node_motion(structure.node_of(model.frame("tip")), bent.freedoms);
}

TEST(StructureElements, AnActuatorBendsTheBeamItPushes) {
  // Upwards at the tip with 100 N: F L^3 / 3 EI and F L^2 / 2 EI.
  const Vector6<double> tip =
      tip_under("type: actuator, from: {body: world, point: [2, -1, 0]}, to: tip, force: 100");
  EXPECT_NEAR(tip(1), 100 * 8 / (3 * 5000.), 1e-9);
  EXPECT_NEAR(tip(5), 100 * 4 / (2 * 5000.), 1e-9);
}

TEST(StructureElements, AStretchedSpringBendsTheBeamUntilItHolds) {
  // Stretched by 0.1 m: both share what is left, k s = (k + 3 EI / L^3) w.
  const double k = 300, bending = 3 * 5000. / 8;
  const Vector6<double> tip = tip_under(
      "type: spring-damper, from: {body: world, point: [2, 1, 0]}, to: tip, free_length: 0.9, "
      "stiffness: 300");
  EXPECT_NEAR(tip(1), k * 0.1 / (k + bending), 1e-9);
  // Over an eye above the tip, with 50 N in it: only its last part pulls at the beam.
  const Vector6<double> cable = tip_under(
      "type: spring-damper, from: {body: world, point: [3, 1, 0]}, through: [{body: world, point: "
      "[2, 1, 0]}], to: tip, preload: 50");
  EXPECT_NEAR(cable(1), 50 / bending, 1e-9);
}

TEST(StructureElements, TorsionAndBushingTurnTheTip) {
  // A torsion that is 0.2 rad from its rest, about z: c r = (c + EI / L) turn.
  const Vector6<double> bent =
      tip_under("type: torsion, from: world, to: tip, axis: [0, 0, 1], stiffness: 40, rest: 0.2");
  EXPECT_NEAR(bent(5), 40 * 0.2 / (40 + 2500.), 1e-9);
  // A bushing whose frames stand 0.1 m apart, along x of the beam and across it.
  const Vector6<double> pulled = tip_under(
      "type: bushing, from: {body: world, point: [2.1, 0.1, 0]}, to: tip, stiffness: [0, 0, 0, "
      "1e6, 200, 0]");
  EXPECT_NEAR(pulled(0), 1e6 * 0.1 / (1e6 + 5e8), 1e-9);
  EXPECT_NEAR(pulled(1), 200 * 0.1 / (200 + 3 * 5000. / 8), 1e-9);
}

TEST(StructureElements, AForceAlongTheBeamIsInItsGeometricStiffness) {
  const double pull = 800;
  const Model model(
      read_robot_yaml_text(clamped_beam +
                               "type: actuator, from: {body: world, point: [4, 0, 0]}, to: tip, "
                               "force: -800}\n",
                           "t.yaml")
          .robot);
  const Eigen::VectorXd q(0);
  const RobotStructure structure(model, q);
  const elastic::SparseMatrix found = motion_terms(structure, q, {}, false).geometric;
  const elastic::SparseMatrix expected =
      structure.frame().sum_elements([&](const elastic::StructureElement& e) {
        return elastic::beam_geometric_stiffness(e.properties, e.length, pull, pull,
                                                 structure.options().element.theory);
      });
  EXPECT_LT((Eigen::MatrixXd(found) - Eigen::MatrixXd(expected)).norm(),
            1e-9 * Eigen::MatrixXd(expected).norm());
}

/// How far the hinge of the bar gives way under gravity and what holds it at q.
double sag(const std::string& more, double q) {
  std::string text = pendulum;
  text.replace(text.find("[0, 0, 0]"), 9, "[0, -9.81, 0]");
  text.insert(text.rfind("}"), more.starts_with("elements") ? "" : more);
  if (more.starts_with("elements")) text += more;
  const Model model(read_robot_yaml_text(text, "t.yaml").robot);
  const Eigen::VectorXd at = Eigen::VectorXd::Constant(1, q);
  return static_deflection(RobotStructure(model, at), at).freedoms(0);
}

TEST(StructureElements, ABarInEquilibriumDoesNotSag) {
  // Horizontal, its weight turns it with -3 * 9.81 * 0.5 N m about the hinge.
  const double moment = 3 * 9.81 * 0.5;
  const std::string rest = std::to_string(moment / 40);
  EXPECT_NEAR(sag(", spring: {stiffness: 40, rest: " + rest + "}", 0), 0, 1e-6);
  EXPECT_NEAR(sag("elements:\n  - {name: e, type: torsion, joint: hinge, stiffness: 40, rest: " +
                      rest + "}\n",
                  0),
              0, 1e-6);
  EXPECT_NEAR(sag("elements:\n  - {name: e, type: spring-damper, from: {body: world, point: [1, "
                  "1, 0]}, to: {body: bar, point: [1, 0, 0]}, free_length: 1, stiffness: 500, "
                  "preload: " +
                      std::to_string(moment) + "}\n",
                  0),
              0, 1e-6);
  // Without rest it sags by M / k.
  EXPECT_NEAR(sag(", spring: {stiffness: 40}", 0), -moment / 40, 1e-9);
}

TEST(StructureElements, SpringsOfJointsHaveTheirSlopeAtThePosture) {
  const auto with = [&](const std::string& spring) {
    std::string text = pendulum;
    text.insert(text.rfind("}"), ", spring: {" + spring + "}");
    return text;
  };
  // 40 + 3 * 100 y^2 where the stretch less its play is y = 0.5.
  const double slope = 40 + 3 * 100 * 0.25;
  EXPECT_NEAR(first_mode(with("stiffness: 40, hardening: 100"), 0.5), std::sqrt(slope / J), 1e-9);
  EXPECT_NEAR(first_mode(with("stiffness: 40, hardening: 100, backlash: 0.1"), 0.6),
              std::sqrt(slope / J), 1e-9);
  EXPECT_NEAR(first_mode(with("stiffness: 40, backlash: 0.1"), 0.05), 0, 1e-9);
}

}  // namespace
}  // namespace ulna
