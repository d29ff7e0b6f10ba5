// One beam in few coordinates, and the file of modes made of it.

#include "ulna/structure/internal/beam_reduction.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/elastic/condense.hpp"
#include "ulna/elastic/internal/craig_bampton.hpp"
#include "ulna/elastic/natural_modes.hpp"
#include "ulna/formats/internal/mode_table_file.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

// Along z, so that the axes of the section are not those of the body.
BeamData slanted_beam(const std::string& more = "elements: 12") {
  return read_robot_yaml_text(
             "ulna: 1\nname: rod\nbodies:\n  - {name: arm, beam: {to: [0.3, 0.2, 1.1], material: "
             "aluminium, section: {rectangle: {height: 60 mm, width: 40 mm}}, " +
                 more + "}}\njoints:\n  - {name: hub, type: revolute, parent: world, child: arm}\n",
             "rod.yaml")
      .robot.bodies[0]
      .beams[0];
}

Eigen::VectorXd frequencies(const elastic::SystemMatrices& s, int count) {
  elastic::EigenOptions options;
  options.count = count;
  return elastic::natural_modes(s, options).omega;
}

TEST(BeamReduction, TheBeamAloneIsTheCantileverOfTheBook) {
  const BeamData beam = slanted_beam();
  const BeamProperties p = properties_of(beam, 0);
  const double L = beam.length(), root = 1.87510406871 * 1.87510406871 / (L * L);
  const Eigen::VectorXd w = frequencies(beam_frame(beam, 30).assemble(), 2);
  EXPECT_NEAR(w(0) / (root * std::sqrt(p.EIy / p.mass)), 1, 1e-6);
  EXPECT_NEAR(w(1) / (root * std::sqrt(p.EIz / p.mass)), 1, 1e-6);
}

TEST(BeamReduction, ComponentModesKeepStaticsAndFrequencies) {
  const BeamData beam = slanted_beam();
  const elastic::BeamStructure frame = beam_frame(beam);
  const elastic::SystemMatrices system = frame.assemble();
  const ModeTable table =
      reduced_mode_table(frame, system, elastic::craig_bampton(system, end_freedoms(frame), 4));
  EXPECT_TRUE(problems_of(table).empty());
  ASSERT_EQ(table.modes(), 10);
  EXPECT_EQ(table.names[1], "end_v");
  EXPECT_EQ(table.names[6], "mode_1");
  // At the end the six interface coordinates are the motion itself.
  EXPECT_LT((table.translations.block<3, 3>(36, 0) - Eigen::Matrix3d::Identity()).norm(), 1e-12);
  EXPECT_LT((table.rotations.block<3, 3>(36, 3) - Eigen::Matrix3d::Identity()).norm(), 1e-12);
  // A force on the end bends it by L^3/3EI.
  Eigen::VectorXd force = Eigen::VectorXd::Zero(10);
  force(1) = 1;
  const double L = beam.length(), EI = properties_of(beam, 0).EIz;
  EXPECT_NEAR(dense::Ldlt(table.stiffness).solve(force)(1) / (L * L * L / (3 * EI)), 1, 1e-9);
  // The six frequencies that matter are those of the whole.
  elastic::SystemMatrices small;
  small.K = table.stiffness.sparseView(), small.M = table.mass.sparseView();
  const Eigen::VectorXd exact = frequencies(system, 4), few = frequencies(small, 4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(few(k) / exact(k), 1, 2e-3) << k;
  // A push of everything along y meets the mass that is not held: T'M 1, exact for static shapes.
  EXPECT_GT(table.mass.eigenvalues().real().minCoeff(), 0);
}

TEST(BeamReduction, TheFileReadsBackToTheSameBits) {
  const elastic::BeamStructure frame = beam_frame(slanted_beam(), 5, 0b100010);
  const elastic::SystemMatrices system = frame.assemble();
  EXPECT_EQ(system.size(), 10);
  for (const std::string& method : elastic::condensation_methods()) {
    const ModeTable table = reduced_mode_table(
        frame, system, elastic::condense(system, method, 4, end_freedoms(frame), 100));
    const ModeTable again = read_mode_table_text(write_mode_table(table, method), "beam.yaml");
    EXPECT_EQ(again.nodes, table.nodes) << method;
    EXPECT_EQ(again.names, table.names) << method;
    EXPECT_EQ(again.translations, table.translations) << method;
    EXPECT_EQ(again.rotations, table.rotations) << method;
    EXPECT_EQ(again.stiffness, table.stiffness) << method;
    EXPECT_EQ(again.mass, table.mass) << method;
  }
}

TEST(BeamReduction, ElementsMustFitTheSections) {
  const BeamData two = slanted_beam();
  BeamData tapered = two;
  tapered.sections.push_back(two.sections[0]);
  tapered.elements = 2;
  EXPECT_THROW(beam_frame(tapered, 3), InputError);
  EXPECT_EQ(beam_frame(tapered, 6).elements().size(), 6u);
}

}  // namespace
}  // namespace ulna
