// Frames: releases, springs, conditions, large systems, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "beams.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

using ::testing::HasSubstr;
using Vec = Vector3<double>;

template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BeamStructure, AHingeInTheMiddleIsAnExactRelease) {
  // Clamped-hinge-clamped with a force at the hinge: two cantilevers, 2 * 3 EI/l^3.
  BeamStructure frame;
  const int a = frame.add_clamped_node("a", {0, 0, 0});
  const int b = frame.add_node("b", {1, 0, 0}, 0b100010);
  const int turn = frame.add_freedom("hinge");
  Eigen::Matrix<double, 6, Eigen::Dynamic> S = Vector6<double>::Unit(5);
  const int c = frame.add_carried_node("c", {1, 0, 0}, b, S, {turn});
  const int d = frame.add_clamped_node("d", {2, 0, 0});
  frame.add_element({"1", a, b, Matrix3<double>::Identity(), 1, slender(), 0});
  frame.add_element({"2", c, d, Matrix3<double>::Identity(), 1, slender(), 0});
  const Eigen::MatrixXd K = frame.assemble().K;
  EXPECT_NEAR(1 / K.inverse()(0, 0), 6, 1e-12);
}

TEST(BeamStructure, ACarriedMassMovesWithItsOffset) {
  BeamStructure frame;
  const int node = frame.add_node("a", {0, 0, 0});
  const Inertia<double> I = Inertia<double>::from_centre(2, {0, 3, 0}, Matrix3<double>::Zero());
  frame.add_body({"mass", node, I, 0});
  const Eigen::MatrixXd M = frame.assemble().M;
  EXPECT_DOUBLE_EQ(M(5, 5), 18);
  EXPECT_DOUBLE_EQ(M(0, 5), -6);  // turning about z moves it along -x
}

TEST(BeamStructure, ConditionsTieFreedoms) {
  // Two cantilevers of unit stiffness at the tip, tied there: twice as stiff.
  BeamStructure frame;
  for (int k = 0; k < 2; ++k) {
    const int a = frame.add_clamped_node("a", {0, double(k), 0});
    const int b = frame.add_node("b", {1, double(k), 0}, 0b100010);
    frame.add_element({"e", a, b, Matrix3<double>::Identity(), 1, slender(), 0});
  }
  Eigen::VectorXd row = Eigen::VectorXd::Zero(4);
  row << 1, 0, -1, 0;
  frame.add_condition(row);
  frame.add_condition(2 * row);  // says nothing new
  const SystemMatrices s = frame.assemble();
  EXPECT_EQ(s.size(), 3);
  const Eigen::VectorXd f = frame.force_at(1, Vector6<double>::Unit(1));
  const Eigen::VectorXd x = Eigen::MatrixXd(s.K).inverse() * f;
  EXPECT_NEAR(frame.node_motion(1, x)(1), 1.0 / 6, 1e-12);
  EXPECT_NEAR(frame.node_motion(3, x)(1), 1.0 / 6, 1e-12);
}

TEST(BeamStructure, SpringsActBetweenNodesAndToTheGround) {
  BeamStructure frame;
  const int a = frame.add_node("a", {0, 0, 0}, 1), b = frame.add_node("b", {1, 0, 0}, 1);
  StructureSpring between, ground;
  between.a = a, between.b = b, between.stiffness(0, 0) = 3, between.damping(0, 0) = 0.5;
  ground.a = a, ground.stiffness(0, 0) = 2;
  frame.add_spring(between);
  frame.add_spring(ground);
  const SystemMatrices s = frame.assemble();
  EXPECT_EQ(Eigen::MatrixXd(s.K), (Eigen::Matrix2d() << 5, -3, -3, 3).finished());
  EXPECT_EQ(Eigen::MatrixXd(s.C), (Eigen::Matrix2d() << 0.5, -0.5, -0.5, 0.5).finished());
}

TEST(Modes, SparseAndDenseAgree) {
  BeamProperties p = slender();
  const SystemMatrices s = straight_beam(p, 60, Ends::clamped_free, false).assemble();
  EigenOptions dense, sparse;
  dense.method = EigenOptions::Method::dense;
  sparse.method = EigenOptions::Method::sparse;
  const NaturalModes a = natural_modes(s, dense), b = natural_modes(s, sparse);
  ASSERT_EQ(a.count(), b.count());
  // |K| is 60^4 times the lowest stiffness: nine digits are left.
  for (int k = 0; k < a.count(); ++k) EXPECT_NEAR(a.omega(k) / b.omega(k), 1, 1e-7);
  const Eigen::MatrixXd mac = modal_assurance(a.shapes, b.shapes, s.M);
  const std::vector<int> same = follow_modes(mac);
  for (int k = 0; k < a.count(); ++k) EXPECT_EQ(same[k], k);
}

TEST(Modes, WarnWhenConditioningLeavesFewDigits) {
  BeamProperties p = slender();
  const NaturalModes fine = natural_modes(straight_beam(p, 3000, Ends::clamped_free).assemble());
  EXPECT_THAT(fine.warning, HasSubstr("ill-conditioned"));
  EXPECT_EQ(natural_modes(straight_beam(p, 20, Ends::clamped_free).assemble()).warning, "");
}

TEST(Modes, OfAClampedBeamAreNeverRigid) {
  // 16 667 elements: EI/h^3 is 1e17 times the first modal stiffness, which is lost in rounding.
  const SystemMatrices s = straight_beam(slender(), 16667, Ends::clamped_free).assemble();
  EigenOptions options;
  options.count = 6;
  EXPECT_THAT(complaint([&] { natural_modes(s, options); }), HasSubstr("lost in rounding"));
  // 12 000: the first frequency would be off by a fifth.
  const SystemMatrices finer = straight_beam(slender(), 12000, Ends::clamped_free).assemble();
  EXPECT_THAT(complaint([&] { natural_modes(finer, options); }), HasSubstr("lost in rounding"));
}

TEST(Modes, RefuseAStiffnessThatIsNotSquare) {
  for (const int columns : {0, 2}) {
    SystemMatrices s;
    s.K.resize(3, columns), s.M.resize(3, 3);
    EXPECT_THAT(complaint([&] { natural_modes(s); }), HasSubstr("a square matrix")) << columns;
  }
}

TEST(Modes, WithoutAnyStiffnessAreRigid) {
  SystemMatrices s;
  s.M.resize(2, 2), s.K.resize(2, 2);
  s.M.insert(0, 0) = 1, s.M.insert(1, 1) = 3;
  const NaturalModes modes = natural_modes(s);
  EXPECT_EQ(modes.rigid_body_modes, 2);
  EXPECT_EQ(modes.residual, Eigen::VectorXd::Zero(2));
}

TEST(BadStructures, AreNamed) {
  BeamStructure frame;
  const int a = frame.add_clamped_node("a", {0, 0, 0}), b = frame.add_node("b", {1, 0, 0});
  EXPECT_THAT(complaint([&] {
                frame.add_element({"boom", a, b, Matrix3<double>::Identity(), 0, slender(), 0});
              }),
              HasSubstr("boom: its length is zero"));
  BeamProperties thin = slender();
  thin.GJ = -1;
  EXPECT_THAT(complaint([&] {
                frame.add_element({"boom", a, b, Matrix3<double>::Identity(), 1, thin, 0});
              }),
              HasSubstr("boom: GJ is -1"));
  EXPECT_THAT(complaint([&] { natural_modes(frame.assemble()); }), HasSubstr("nothing has mass"));
  frame.add_element({"boom", a, b, Matrix3<double>::Identity(), 1, slender(), 0});
  frame.add_node("lost", {5, 0, 0});
  EXPECT_THAT(complaint([&] { natural_modes(frame.assemble()); }),
              HasSubstr("lost u is not connected to anything"));

  SystemMatrices s = straight_beam(slender(), 3, Ends::clamped_free).assemble();
  s.K.coeffRef(2, 2) = -1;
  EXPECT_THAT(complaint([&] { natural_modes(s); }), HasSubstr("node 2 v"));
  s = straight_beam(slender(), 3, Ends::clamped_free).assemble();
  s.K.coeffRef(0, 1) = s.K.coeffRef(1, 0) = 1e6;
  EXPECT_THAT(complaint([&] { natural_modes(s); }), HasSubstr("indefinite"));
  s.K.coeffRef(0, 1) = 0;
  EXPECT_THAT(complaint([&] { natural_modes(s); }), HasSubstr("not symmetric"));
}

}  // namespace
}  // namespace ulna::elastic
