// Modes given by numbers: a table of a family's own shapes makes the same body, and what does not
// fit is refused.

#include "ulna/model/parts/mode_table.hpp"

#include <gmock/gmock.h>

#include "support/flexible_robot.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/formats/internal/mode_table_file.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna {
namespace {

using testing::BeamRecipe;
using testing::uniform_beam;

BeamData beam() { return uniform_beam(0.8, 30, 1.2, BeamRecipe{2, 2, 1, 1}); }

Eigen::MatrixXd square(const std::vector<double>& entries, int k) {
  return Eigen::Map<const Eigen::MatrixXd>(entries.data(), k, k);
}

/// The shapes of a modal body at nodes, with its own matrices.
ModeTable table_of(const ModalBody& body, int intervals) {
  ModeTable table;
  const int k = body.modes;
  table.length = body.length;
  table.translations.resize(3 * (intervals + 1), k);
  table.rotations.resize(3 * (intervals + 1), k);
  for (int i = 0; i <= intervals; ++i) {
    const double x = body.length * i / intervals;
    table.nodes.push_back(x);
    const ModalStation s = body.station_at(x);
    for (int axis = 0; axis < 3; ++axis)
      for (int m = 0; m < k; ++m) {
        table.translations(3 * i + axis, m) = s.position[axis * k + m];
        table.rotations(3 * i + axis, m) = s.angles[axis * k + m];
      }
  }
  table.stiffness = square(body.stiffness, k);
  // With both planes and torsion the stiffness of bending is kept as squares of strains.
  for (int h = 0; h < body.strains; ++h) {
    const Eigen::Map<const Eigen::VectorXd> row(body.strain_linear.data() + h * k, k);
    table.stiffness += row * row.transpose();
  }
  return table;
}

BeamData bare() {
  BeamData plain = beam();
  plain.flexible.reset();
  return plain;
}

Robot arm(std::shared_ptr<const ModalBody> modal) {
  Robot robot;
  robot.name = "arm";
  BodyData body;
  body.name = "link";
  body.beams = {bare()};
  body.beams[0].attached.push_back({1, {0.5, {0.05, 0, 0}, 1e-3 * Matrix3<double>::Identity()}});
  body.modal = std::move(modal);
  robot.bodies = {body};
  JointData joint;
  joint.name = "hinge";
  joint.type = JointType::revolute;
  joint.axis = {0.3, 0.2, 1};
  joint.child = "link";
  robot.joints = {joint};
  return robot;
}

TEST(ModeTable, ShapesAtNodesMakeTheBodyTheyCameFrom) {
  const ModalBody analytic = modal_body(beam(), "link");
  const auto table = std::make_shared<const ModeTable>(table_of(analytic, 80));
  const auto given = std::make_shared<const ModalBody>(modal_body(bare(), "link", table));
  EXPECT_EQ(mode_table_of(*given), table);
  EXPECT_EQ(mode_table_of(analytic), nullptr);
  // Cubics between nodes follow the shapes to the fourth power of their distance, straight lines
  // (torsion, stretching) to the second.
  const Model one(arm(std::make_shared<const ModalBody>(analytic))), other(arm(given));
  Workspace work_one(one), work_other(other);
  std::mt19937_64 generator(1);
  const Eigen::VectorXd q = one.random(generator);
  const Eigen::MatrixXd M = mass_matrix(one, work_one, q), N = mass_matrix(other, work_other, q);
  EXPECT_LT((M - N).norm(), 2e-4 * M.norm());
  const Eigen::VectorXd v = Eigen::VectorXd::Ones(one.speeds());
  const Eigen::VectorXd tau = inverse_dynamics(one, work_one, q, v, v),
                        same = inverse_dynamics(other, work_other, q, v, v);
  // The table's stiffness is linear: without the turning of moments by the twist.
  EXPECT_LT((tau - same).norm(), 0.02 * tau.norm());
}

TEST(ModeTable, AMassMatrixThatSaysMoreIsTakenAtItsWord) {
  const ModalBody analytic = modal_body(beam(), "link");
  auto table = std::make_shared<ModeTable>(table_of(analytic, 40));
  const ModalBody light = modal_body(bare(), "link", table);
  const int k = analytic.modes;
  const auto mass = [&](const ModalBody& body) {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(k, k);
    for (std::size_t r = 0; r < body.linear.size() / k; ++r) {
      const Eigen::Map<const Eigen::VectorXd> row(body.linear.data() + r * k, k);
      M += row * row.transpose();
    }
    for (int r = 0; r < body.spins; ++r) {
      const Eigen::Map<const Eigen::VectorXd> row(body.spin_linear.data() + r * k, k);
      M += row * row.transpose();
    }
    return M;
  };
  table->mass = 1.05 * mass(light);
  EXPECT_LT((mass(modal_body(bare(), "link", table)) - table->mass).norm(),
            1e-9 * table->mass.norm());
  table->mass = 0.9 * mass(light);
  EXPECT_THROW(modal_body(bare(), "link", table), InputError);
}

TEST(ModeTable, SurvivesItsFileAndARobotFile) {
  const auto table = std::make_shared<const ModeTable>(table_of(modal_body(beam(), "link"), 10));
  const ModeTable back = read_mode_table_text(write_mode_table(*table, "a link"), "modes.yaml");
  EXPECT_EQ(back.nodes, table->nodes);
  EXPECT_EQ(back.translations, table->translations);
  EXPECT_EQ(back.rotations, table->rotations);
  EXPECT_EQ(back.stiffness, table->stiffness);
  const Robot robot =
      arm(std::make_shared<const ModalBody>(modal_body(bare(), "link", table, {0.01})));
  const Robot read = read_robot_yaml_text(write_robot_yaml(robot), "arm.yaml").robot;
  const Model one(robot), other(read);
  ASSERT_EQ(other.modes(), 6);
  EXPECT_EQ(one.flexible_links()[0].modal->damping, other.flexible_links()[0].modal->damping);
  EXPECT_EQ(one.flexible_links()[0].modal->linear, other.flexible_links()[0].modal->linear);
  // Other numbers of modes leave it as it is; rigid means rigid.
  EXPECT_EQ(Model(with_more_modes(robot, 2)).modes(), 6);
  EXPECT_FALSE(Model(with_rigid_links(robot)).flexible());
}

TEST(ModeTable, WhatDoesNotFitIsNamed) {
  const ModeTable good = table_of(modal_body(beam(), "link"), 10);
  EXPECT_TRUE(problems_of(good).empty());
  const auto says = [](const ModeTable& table, const char* words) {
    EXPECT_THAT(problems_of(table), ::testing::Contains(::testing::HasSubstr(words)));
  };
  ModeTable t = good;
  t.nodes[3] = t.nodes[2];
  says(t, "rise");
  t = good, t.nodes.back() *= 0.9;
  says(t, "reach");
  t = good, t.translations(1, 0) = 0.1;
  says(t, "held");
  t = good, t.stiffness(0, 1) += 1;
  says(t, "symmetric");
  t = good, t.mass = Eigen::MatrixXd::Identity(2, 2);
  says(t, "mass matrix");
  EXPECT_THROW(read_mode_table_text("ulna_modes: 2\nlength: 1\n", "m.yaml"), InputError);
  EXPECT_THROW(read_mode_table_text("length: 1\nnodes: [0, 1]\n", "m.yaml"), InputError);
  ModeTable longer = good;
  longer.length *= 2;
  for (double& x : longer.nodes) x *= 2;
  EXPECT_THROW(modal_body(bare(), "link", std::make_shared<const ModeTable>(longer)), InputError);
}

}  // namespace
}  // namespace ulna
