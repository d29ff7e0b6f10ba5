// A beam that slides in a joint is held where it passes through it, wherever that is.

#include <gtest/gtest.h>

#include "ulna/formats/read_robot.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna {
namespace {

/// An outer tube of 1 m from the world, and an inner one of 0.9 m whose tip is 0.2 m outside at
/// q = 0. `joint` connects them, `stop` metres from the inner tube's tip.
Model telescope(const std::string& joint) {
  const std::string text = R"(
ulna: 1
name: telescope
bodies:
  - {name: outer, beam: {from: [0, 0, 0], to: [1, 0, 0], material: steel, section: {tube: {outer: 60 mm, inner: 50 mm}}, elements: 4}}
  - {name: inner, beam: {from: [-0.9, 0, 0], to: [0, 0, 0], material: steel, section: {tube: {outer: 48 mm, inner: 40 mm}}, elements: 6}}
joints:
  - {name: root, type: fixed, parent: world, child: outer}
  - )" + joint + "\n";
  return Model(read_robot_yaml_text(text, "telescope").robot);
}

Eigen::VectorXd frequencies(const Model& model, const Eigen::VectorXd& q) {
  StructureOptions options;
  options.joints = JointHold::locked;
  elastic::EigenOptions eigen;
  eigen.count = 6;
  return structure_modes(RobotStructure(model, q, options), eigen).modes.omega;
}

TEST(Telescope, SlidingOutIsLikeTheBeamClampedAtItsBushing) {
  const Model sliding = telescope(
      "{name: slide, type: prismatic, parent: outer, child: inner, at: [1, 0, 0], axis: [1, 0, "
      "0]}");
  for (const double q : {0.1, 0.35, 0.6, 0.9}) {
    const Model clamped = telescope(
        "{name: clamp, type: fixed, parent: outer, child: inner, at: [1, 0, 0], child_at: [" +
        std::to_string(q) + ", 0, 0]}");
    const Eigen::VectorXd a = frequencies(sliding, Eigen::VectorXd::Constant(1, q)),
                          b = frequencies(clamped, Eigen::VectorXd(0));
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(a(k), b(k), 1e-6 * b(k)) << q;
  }
}

TEST(Telescope, ACarriageRidesOnTheBeamWhereItStands) {
  // A mass that slides along the outer tube: the farther out, the slower the tube swings.
  const auto first = [](double q) {
    const Model model(read_robot_yaml_text(R"(
ulna: 1
name: carriage
bodies:
  - {name: rail, beam: {from: [0, 0, 0], to: [1, 0, 0], material: steel, section: {tube: {outer: 60 mm, inner: 50 mm}}, elements: 4}}
  - {name: carriage, mass: 20}
joints:
  - {name: root, type: fixed, parent: world, child: rail}
  - {name: slide, type: prismatic, parent: rail, child: carriage, axis: [1, 0, 0]}
)",
                                           "carriage")
                          .robot);
    return frequencies(model, Eigen::VectorXd::Constant(1, q))(0);
  };
  // At the root it is held; a rigid arm from there would move with nothing.
  EXPECT_GT(first(0), 2 * first(1));
  EXPECT_GT(first(0.5), 1.5 * first(1));
  // A light beam with a mass m at a: omega^2 = 3 EI / (m a^3); its own mass adds a few per cent.
  const double EI = 2.1e11 * M_PI / 64 * (std::pow(0.06, 4) - std::pow(0.05, 4));
  EXPECT_NEAR(first(1), std::sqrt(3 * EI / 20), 0.08 * first(1));
}

}  // namespace
}  // namespace ulna
