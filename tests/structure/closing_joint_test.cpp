// Springs and dampers of joints that close loops, and frames whose nodes have few freedoms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "ulna/formats/read_robot.hpp"
#include "ulna/structure/statics.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;

Model model_of(const std::string& yaml) {
  return Model(read_robot_yaml_text(yaml, "t.yaml").robot);
}

// A parallelogram of elastic bars with a spring and a damper in every hinge; `cut` closes the loop.
std::string parallelogram(const std::string& cut, const std::string& of_d = "") {
  const std::string bar =
      "material: {E: 70 GPa, nu: 0.3, density: 2700}, section: {round: 20 mm}, elements: 3";
  const auto hinge = [&](const std::string& name, const std::string& rest, double k) {
    const std::string held = name == "d" && !of_d.empty()
                                 ? of_d
                                 : ", spring: {stiffness: " + std::to_string(k) +
                                       "}, damping: " + std::to_string(k / 2000);
    return "  - {name: " + name + ", type: revolute, " + rest + held +
           (cut == name ? ", cut: true}\n" : "}\n");
  };
  return "ulna: 1\nname: bars\nbodies:\n  - {name: left, beam: {to: [0, 0.3, 0], " + bar +
         "}}\n  - {name: top, beam: {to: [0.5, 0, 0], " + bar +
         "}}\n  - {name: right, beam: {to: [0, 0.3, 0], " + bar + "}}\njoints:\n" +
         hinge("a", "parent: world, child: left", 500) +
         hinge("b", "parent: left, child: top, at: [0, 0.3, 0]", 300) +
         hinge("c", "parent: right, child: top, at: [0, 0.3, 0], child_at: [-0.5, 0, 0]", 200) +
         hinge("d", "parent: world, child: right, at: [0.5, 0, 0]", 400);
}

TEST(ClosingJoint, WhichJointIsCutDoesNotMatter) {
  elastic::ComplexModes first;
  elastic::NaturalModes undamped;
  for (const char* cut : {"c", "d", "a", "b"}) {
    SCOPED_TRACE(cut);
    const Model model = model_of(parallelogram(cut));
    ASSERT_EQ(model.loops().size(), 1u);
    EXPECT_EQ(model.loops()[0].joint, cut);
    const Eigen::VectorXd q = model.neutral();  // closed as drawn
    const RobotStructure structure(model, q);
    const StructureModes modes = structure_modes(structure);
    const elastic::ComplexModes damped = elastic::complex_modes(structure.system(), 6);
    // All the strain energy is found, in bars, hinges of the tree and the closing one.
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(modes.strain.row(k).sum(), 1, 1e-8);
    EXPECT_GT(modes.strain(0, modes.strain.cols() - 1), 0.01);
    if (first.count() == 0) first = damped, undamped = modes.modes;
    for (int k = 0; k < 6; ++k) {
      EXPECT_NEAR(modes.modes.omega(k) / undamped.omega(k), 1, 1e-9);
      EXPECT_NEAR(std::abs(damped.lambda(k) / first.lambda(k) - 1.0), 0, 1e-9);
    }
  }
}

/// Bent by its weight and by a spring away from its rest, whose slope is not its stiffness.
TEST(ClosingJoint, AStretchedSpringActsAlikeWhereverTheLoopIsCut) {
  const std::string spring =
      ", spring: {stiffness: 400, rest: 0.3, hardening: 3000, backlash: 0.05}";
  Vector6<double> first = Vector6<double>::Zero();
  double omega = 0;
  for (const char* cut : {"a", "b", "d"}) {
    SCOPED_TRACE(cut);
    const Model model = model_of(parallelogram(cut, spring) +
                                 "frames:\n  - {name: mid, body: top, at: [0.2, 0, 0]}\n");
    EXPECT_EQ(model.loops()[0].joint, cut);
    const Eigen::VectorXd q = model.neutral();
    const RobotStructure structure(model, q);
    const StaticDeflection bent = static_deflection(structure, q);
    const Vector6<double> mid =
        structure.frame().node_motion(structure.node_of(model.frame("mid")), bent.freedoms);
    const double slowest = structure_modes(structure).modes.omega(0);
    if (omega == 0) first = mid, omega = slowest;
    EXPECT_GT(mid.norm(), 1e-3);
    EXPECT_LT((mid - first).norm(), 1e-8 * first.norm());
    EXPECT_NEAR(slowest, omega, 1e-9 * omega);
  }
}

TEST(ClosingJoint, AnElasticDriveIsASpringOfTheFile) {
  const Model with = model_of(parallelogram("d"));
  const Model without = model_of(parallelogram("d", ", limits: {lower: -3}"));
  StructureOptions options;
  options.support["d"] = {JointHold::free, 400, 0.2};
  const Eigen::VectorXd q = with.neutral();
  const auto a = elastic::complex_modes(RobotStructure(with, q).system(), 4);
  const auto b = elastic::complex_modes(RobotStructure(without, q, options).system(), 4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(std::abs(a.lambda(k) / b.lambda(k) - 1.0), 0, 1e-10);
  options.support["d"] = {JointHold::locked, 0, 0};
  EXPECT_GT(structure_modes(RobotStructure(without, q, options)).modes.omega(0), 1.5 * a.omega(0));
  options.support["e"] = {};
  EXPECT_THROW(RobotStructure(without, q, options), InputError);
}

TEST(PlaneFrame, HasTheModesOfTheSpaceFrameInItsPlane) {
  const Model model = model_of(parallelogram("c"));
  const Eigen::VectorXd q = model.neutral();
  StructureOptions plane;
  plane.freedoms = 0b100011;
  elastic::EigenOptions many;
  many.count = 30;
  const RobotStructure flat(model, q, plane);
  const StructureModes in_plane = structure_modes(flat),
                       all = structure_modes(RobotStructure(model, q), many);
  EXPECT_LT(flat.frame().size(), RobotStructure(model, q).frame().size() / 2 + 3);
  for (int k = 0; k < 6; ++k)
    EXPECT_LT((all.modes.omega.array() / in_plane.modes.omega(k) - 1).abs().minCoeff(), 1e-9)
        << "mode " << k + 1;
}

TEST(PlaneFrame, RefusesAJointThatLeavesIt) {
  const Model model(read_robot("t3r3-frame").robot);
  StructureOptions plane;
  plane.freedoms = 0b100011;
  try {
    RobotStructure(model, Eigen::Vector3d(0, 1, -1), plane);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("joint2"));
  }
}

}  // namespace
}  // namespace ulna
