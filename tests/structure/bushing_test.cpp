// Bushings of sliding joints, against plane beam elements written here that have nodes at the
// bushings, and against limits that are known.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/structure/structure_modes.hpp"

namespace ulna::bushing_test {
namespace {

constexpr double E = 2.1e11, density = 7850;

/// A uniform tube in bending.
struct Tube {
  double outer, inner;
  double EI() const { return E * M_PI / 64 * (std::pow(outer, 4) - std::pow(inner, 4)); }
  double mass() const { return density * M_PI / 4 * (outer * outer - inner * inner); }
};
constexpr Tube outer_tube{0.06, 0.05}, inner_tube{0.048, 0.04};
constexpr double outer_length = 1, inner_length = 0.9;

/// Hermite elements in one plane; unknowns by number, -1 for held ones.
class PlaneBeams {
 public:
  int unknown() { return count_++; }
  void tie(int a, int b, double k) { ties_.push_back({a, b, k}); }
  struct Node {
    double x;
    int w, turn;
  };
  void beam(const std::vector<Node>& nodes, const Tube& tube) {
    for (std::size_t k = 1; k < nodes.size(); ++k) parts_.push_back({nodes[k - 1], nodes[k], tube});
  }
  Eigen::VectorXd hertz(int modes) const {
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(count_, count_), M = K;
    for (const Part& p : parts_) {
      const double L = p.b.x - p.a.x, L2 = L * L;
      Eigen::Matrix4d k, m;
      k << 12, 6 * L, -12, 6 * L, 6 * L, 4 * L2, -6 * L, 2 * L2, -12, -6 * L, 12, -6 * L, 6 * L,
          2 * L2, -6 * L, 4 * L2;
      m << 156, 22 * L, 54, -13 * L, 22 * L, 4 * L2, 13 * L, -3 * L2, 54, 13 * L, 156, -22 * L,
          -13 * L, -3 * L2, -22 * L, 4 * L2;
      k *= p.tube.EI() / (L * L2);
      m *= p.tube.mass() * L / 420;
      const int at[4] = {p.a.w, p.a.turn, p.b.w, p.b.turn};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          if (at[i] >= 0 && at[j] >= 0) K(at[i], at[j]) += k(i, j), M(at[i], at[j]) += m(i, j);
    }
    for (const auto& [a, b, k] : ties_) K(a, a) += k, K(b, b) += k, K(a, b) -= k, K(b, a) -= k;
    const Eigen::VectorXd lambda = dense::eigen_symmetric(K, M).values;
    return lambda.head(modes).cwiseSqrt() / (2 * M_PI);
  }

 private:
  struct Part {
    Node a, b;
    Tube tube;
  };
  struct Tie {
    int a, b;
    double k;
  };
  int count_ = 0;
  std::vector<Part> parts_;
  std::vector<Tie> ties_;
};

/// What one bushing does to deflections and slopes of the two tubes: infinite is rigid.
struct Held {
  double x, shift, tilt;
};

/// The outer tube clamped at 0, the inner one with its tip at 1 + q, 40 elements each and more at
/// the bushings.
Eigen::VectorXd plane_telescope(double q, const std::vector<Held>& bushings) {
  PlaneBeams plane;
  const auto stations = [&](double from, double to) {
    std::vector<double> x;
    for (int k = 0; k <= 40; ++k) x.push_back(from + (to - from) * k / 40);
    for (const Held& b : bushings) x.push_back(b.x);
    std::sort(x.begin(), x.end());
    x.erase(std::unique(x.begin(), x.end(), [](double a, double b) { return b - a < 1e-9; }),
            x.end());
    return x;
  };
  std::vector<PlaneBeams::Node> outer, inner;
  for (const double x : stations(0, outer_length)) {
    const bool clamped = x == 0;
    outer.push_back({x, clamped ? -1 : plane.unknown(), clamped ? -1 : plane.unknown()});
  }
  const double tip = outer_length + q;
  for (const double x : stations(tip - inner_length, tip)) {
    PlaneBeams::Node node{x, -2, -2};
    for (const Held& b : bushings)
      if (std::abs(b.x - x) < 1e-9) {
        const auto host = std::find_if(outer.begin(), outer.end(),
                                       [&](const auto& n) { return std::abs(n.x - x) < 1e-9; });
        if (std::isinf(b.shift)) node.w = host->w;
        if (std::isinf(b.tilt)) node.turn = host->turn;
        if (node.w == -2) node.w = plane.unknown(), plane.tie(node.w, host->w, b.shift);
        if (node.turn == -2) node.turn = plane.unknown(), plane.tie(node.turn, host->turn, b.tilt);
      }
    if (node.w == -2) node.w = plane.unknown();
    if (node.turn == -2) node.turn = plane.unknown();
    inner.push_back(node);
  }
  plane.beam(outer, outer_tube);
  plane.beam(inner, inner_tube);
  return plane.hertz(3);
}

Model telescope(const std::string& bushings, const std::string& more = {}) {
  const std::string text = R"(
ulna: 1
name: telescope
bodies:
  - {name: outer, beam: {from: [0, 0, 0], to: [1, 0, 0], material: {E: 2.1e11, G: 8e10, density: 7850}, section: {tube: {outer: 60 mm, inner: 50 mm}}, elements: 20}}
  - {name: inner, beam: {from: [-0.9, 0, 0], to: [0, 0, 0], material: {E: 2.1e11, G: 8e10, density: 7850}, section: {tube: {outer: 48 mm, inner: 40 mm}}, elements: 18}}
joints:
  - {name: root, type: fixed, parent: world, child: outer}
  - {name: slide, type: prismatic, parent: outer, child: inner, at: [1, 0, 0], axis: [1, 0, 0]BUSHINGS}
)" + more;
  std::string filled = text;
  filled.replace(filled.find("BUSHINGS"), 8, bushings.empty() ? "" : ", bushings: " + bushings);
  return Model(read_robot_yaml_text(filled, "telescope").robot);
}

Eigen::VectorXd hertz_at(const Model& model, double q, int modes, unsigned freedoms = 0b111111) {
  StructureOptions options;
  options.joints = JointHold::locked;
  options.freedoms = freedoms;
  elastic::EigenOptions eigen;
  eigen.count = modes;
  const RobotStructure structure(model, Eigen::VectorXd::Constant(model.coordinates(), q), options);
  return structure_modes(structure, eigen).modes.omega / (2 * M_PI);
}

constexpr unsigned in_plane = 0b100011;
constexpr double rigid = BushingData::rigid;

// Elements of 50 mm: the third frequency has converged to 1e-5.
void expect_plane_and_space(const Model& model, double q, const std::vector<Held>& bushings,
                            const std::string& what) {
  const Eigen::VectorXd expected = plane_telescope(q, bushings);
  const Eigen::VectorXd plane = hertz_at(model, q, 3, in_plane);
  const Eigen::VectorXd space = hertz_at(model, q, 6);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(plane(k), expected(k), 2e-5 * expected(k)) << what << ", q = " << q;
    EXPECT_NEAR(space(2 * k), expected(k), 2e-5 * expected(k)) << what << ", q = " << q;
    EXPECT_NEAR(space(2 * k + 1), expected(k), 2e-5 * expected(k)) << what << ", q = " << q;
  }
}

TEST(Bushings, OneRigidBushingClampsWhereItIs) {
  const Model model = telescope("[{at: -50 mm}]"), plain = telescope("");
  for (const double q : {0.1, 0.35, 0.6}) {
    expect_plane_and_space(model, q, {{0.95, rigid, rigid}}, "one rigid bushing");
    expect_plane_and_space(plain, q, {{1, rigid, rigid}}, "no bushing given");
  }
}

TEST(Bushings, OneElasticBushingShiftsAndTilts) {
  const Model model = telescope("[{stiffness: 2e5 N/m, tilting: 3e3 N m/rad}]");
  for (const double q : {0.1, 0.35, 0.6})
    expect_plane_and_space(model, q, {{1, 2e5, 3e3}}, "elastic bushing");
}

TEST(Bushings, TwoBushingsOneOnEachTube) {
  // The mouth of the outer tube, and a pad near the inner tube's end that slides in the outer one.
  const Model stiff = telescope("[{at: 0}, {on: child, at: -880 mm}]");
  const Model soft =
      telescope("[{at: 0, stiffness: 4e6}, {on: child, at: -880 mm, stiffness: 1e6}]");
  for (const double q : {0.1, 0.35, 0.6, 0.8}) {
    const double pad = outer_length + q - 0.88;
    expect_plane_and_space(stiff, q, {{1, rigid, 0}, {pad, rigid, 0}}, "two rigid bushings");
    expect_plane_and_space(soft, q, {{1, 4e6, 0}, {pad, 1e6, 0}}, "two elastic bushings");
  }
}

TEST(Bushings, StiffnessWithoutBoundIsRigid) {
  const Model rigid_ones = telescope("[{at: 0}, {on: child, at: -880 mm}]");
  const Model stiff =
      telescope("[{at: 0, stiffness: 1e13}, {on: child, at: -880 mm, stiffness: 1e13}]");
  const Eigen::VectorXd a = hertz_at(rigid_ones, 0.4, 6), b = hertz_at(stiff, 0.4, 6);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(a(k), b(k), 1e-5 * a(k));
}

TEST(Bushings, TwoRigidBushingsCloseTogetherAreAClamp) {
  const Model pair = telescope("[{at: 0}, {at: -2 mm}]"), clamp = telescope("[{at: -1 mm}]");
  const Eigen::VectorXd a = hertz_at(pair, 0.4, 4), b = hertz_at(clamp, 0.4, 4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(a(k), b(k), 2e-3 * b(k));
}

/// A rigid carriage of mass m and inertia I on two bushings k at +-s/2 of a stiff rail.
TEST(Bushings, ARigidCarriageRocksOnItsBushings) {
  const double m = 20, I = 0.4, k = 1e6, s = 0.2;
  const Model model(read_robot_yaml_text(R"(
ulna: 1
name: carriage
bodies:
  - {name: carriage, mass: 20, inertia: [0.4, 0.4, 0.4]}
joints:
  - {name: slide, type: prismatic, parent: world, child: carriage, axis: [1, 0, 0], spring: {stiffness: 5e4},
     bushings: [{on: child, at: 0.1, stiffness: 1e6, torsion: 2e4}, {on: child, at: -0.1, stiffness: 1e6}]}
)",
                                         "carriage")
                        .robot);
  StructureOptions options;
  const StructureModes found =
      structure_modes(RobotStructure(model, Eigen::VectorXd::Constant(1, 0.3), options));
  ASSERT_EQ(found.modes.count(), 6);
  const double slide = std::sqrt(5e4 / m), bounce = std::sqrt(2 * k / m),
               rock = std::sqrt(k * s * s / 2 / I), roll = std::sqrt(2e4 / I);
  const double expected[6] = {slide, rock, rock, roll, bounce, bounce};
  std::vector<double> sorted(expected, expected + 6);
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(found.modes.omega(i), sorted[i], 1e-9 * sorted[i]);
}

TEST(Bushings, NearAnotherNodeNothingJumps) {
  const Model model = telescope("[{at: 0}, {on: child, at: -880 mm}]");
  // At q = 0.43 the pad stands on a node of the outer tube (0.55 m).
  const double there = hertz_at(model, 0.43, 1)(0);
  for (const double beside : {1e-8, 1e-6, 1e-5, 1e-4, 1e-3})
    EXPECT_NEAR(hertz_at(model, 0.43 + beside, 1)(0), there, there * (2e-6 + 4 * beside)) << beside;
}

TEST(Bushings, OfAJointThatClosesALoopAreTheSame) {
  const std::string bushings =
      "[{at: 0, stiffness: 4e6}, {on: child, at: -880 mm, stiffness: 1e6}]";
  const Model tree = telescope(bushings);
  // The inner tube hangs on six soft freedoms from the world, and the slide closes a loop.
  const std::string text = R"(
ulna: 1
name: telescope
bodies:
  - {name: outer, beam: {from: [0, 0, 0], to: [1, 0, 0], material: {E: 2.1e11, G: 8e10, density: 7850}, section: {tube: {outer: 60 mm, inner: 50 mm}}, elements: 20}}
  - {name: inner, beam: {from: [-0.9, 0, 0], to: [0, 0, 0], material: {E: 2.1e11, G: 8e10, density: 7850}, section: {tube: {outer: 48 mm, inner: 40 mm}}, elements: 18}}
joints:
  - {name: root, type: fixed, parent: world, child: outer}
  - {name: loose, type: free, parent: world, child: inner}
  - {name: slide, type: prismatic, parent: outer, child: inner, at: [1, 0, 0], axis: [1, 0, 0], cut: true, bushings: )" +
                           bushings + "}\n";
  const Model loop(read_robot_yaml_text(text, "loop").robot);
  StructureOptions options;
  options.support["slide"] = {JointHold::locked, 0, 0};
  Eigen::VectorXd q = loop.neutral();
  const auto& names = loop.coordinate_names();
  q(std::find(names.begin(), names.end(), "loose.x") - names.begin()) = 1.4;
  const StructureModes found = structure_modes(RobotStructure(loop, q, options));
  const Eigen::VectorXd expected = hertz_at(tree, 0.4, 6);
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR(found.modes.omega(k) / (2 * M_PI), expected(k), 1e-6 * expected(k));
}

TEST(Bushings, ABeamThatSlidOutIsNamed) {
  const Model model = telescope("[{at: 0}, {on: parent, at: -100 mm}]");
  try {
    hertz_at(model, 0.85, 1);  // the inner tube ends at 0.95 m
    FAIL();
  } catch (const ComputationError& error) {
    EXPECT_NE(std::string(error.what()).find("bushing 2"), std::string::npos) << error.what();
  }
}

TEST(Bushings, ACarriageLeavesItsRail) {
  const Model model(read_robot_yaml_text(R"(
ulna: 1
name: carriage
bodies:
  - {name: rail, beam: {from: [0, 0, 0], to: [1, 0, 0], material: steel, section: {tube: {outer: 60 mm, inner: 50 mm}}, elements: 4}}
  - {name: carriage, mass: 20, inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: root, type: fixed, parent: world, child: rail}
  - {name: slide, type: prismatic, parent: rail, child: carriage, axis: [1, 0, 0], bushings: [{at: -50 mm}, {at: 50 mm}]}
)",
                                         "carriage")
                        .robot);
  // Two bushings hold the carriage's turn, as one that is clamped does nearly.
  EXPECT_GT(hertz_at(model, 0.05, 1)(0), hertz_at(model, 0.5, 1)(0));
  EXPECT_GT(hertz_at(model, 0.5, 1)(0), hertz_at(model, 0.95, 1)(0));
  EXPECT_THROW(hertz_at(model, 0.96, 1), ComputationError);
  EXPECT_THROW(hertz_at(model, 0.04, 1), ComputationError);
}

TEST(Bushings, OfAJointTurnedRoundAreTheSame) {
  const std::string bodies = R"(
ulna: 1
name: telescope
bodies:
  - {name: outer, beam: {from: [0, 0, 0], to: [1, 0, 0], material: steel, section: {tube: {outer: 60 mm, inner: 50 mm}}, elements: 4}}
  - {name: inner, beam: {from: [-0.9, 0, 0], to: [0, 0, 0], material: steel, section: {tube: {outer: 48 mm, inner: 40 mm}}, elements: 6}}
joints:
  - {name: root, type: fixed, parent: world, child: outer}
)";
  const auto hertz = [&](const std::string& joint, double q) {
    return hertz_at(Model(read_robot_yaml_text(bodies + joint, "t").robot), q, 4);
  };
  const Eigen::VectorXd a = hertz(
      "  - {name: slide, type: prismatic, parent: outer, child: inner, at: [1, 0, 0], axis: [1, 0, "
      "0], bushings: [{stiffness: 4e6}, {on: child, at: -0.88, stiffness: 1e6}]}\n",
      0.4);
  const Eigen::VectorXd b = hertz(
      "  - {name: slide, type: prismatic, parent: inner, child: outer, child_at: [-1, 0, 0], axis: "
      "[1, 0, 0], bushings: [{on: child, stiffness: 4e6}, {on: parent, at: -0.88, stiffness: "
      "1e6}]}\n",
      -0.4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(a(k), b(k), 1e-7 * a(k));
}

TEST(Bushings, AreReadWrittenAndChecked) {
  const Model model =
      telescope("[{at: 10 mm, stiffness: 2 N/mm, tilting: rigid}, {on: child, torsion: 5}]");
  const std::vector<BushingData>& b = model.robot().joints[1].bushings;
  ASSERT_EQ(b.size(), 2u);
  EXPECT_EQ(b[0].at, 0.01);
  EXPECT_EQ(b[0].stiffness, 2000);
  EXPECT_EQ(*b[0].tilting, rigid);
  EXPECT_EQ(b[1].stiffness, rigid);
  EXPECT_EQ(b[1].on, BushingData::Side::child);
  const Robot again = read_robot_yaml_text(write_robot_yaml(model.robot()), "again").robot;
  EXPECT_EQ(write_robot_yaml(again), write_robot_yaml(model.robot()));
  EXPECT_THROW(telescope("[{stiffness: -1}]"), InputError);
  EXPECT_THROW(telescope("[{stiffness: 3 m}]"), InputError);
  EXPECT_THROW(telescope("[{on: middle}]"), InputError);
}

/// A tube of 0.8 m and one of 1 m in it, 0.4 m out (0.2 m): plane Hermite elements by SciPy, 40 to
/// a tube, which share nothing with Ulna. An extension that is a rigid arm, for want of a beam that
/// passes through the joint, reads a fifth too high.
TEST(Bushings, ATelescopeIsClampedWhereItLeavesTheOuterTube) {
  const auto hertz = [](const std::string& inner, double q, const std::string& bushings) {
    const std::string text =
        R"(
ulna: 1
name: telescope
bodies:
  - {name: outer, beam: {from: [0, 0, 0], to: [0.8, 0, 0], material: {E: 2.1e11, G: 8e10, density: 7850}, section: {tube: {outer: 60 mm, inner: 50 mm}}, elements: 16}}
  - {name: inner, beam: {from: )" +
        inner +
        R"(, to: [0.6, 0, 0], material: {E: 2.1e11, G: 8e10, density: 7850}, section: {tube: {outer: 48 mm, inner: 40 mm}}, elements: 20}}
joints:
  - {name: root, type: fixed, parent: world, child: outer}
  - {name: slide, type: prismatic, parent: outer, child: inner, at: [0.8, 0, 0], axis: [1, 0, 0])" +
        bushings + "}\n";
    const Model model(read_robot_yaml_text(text, "telescope").robot);
    return hertz_at(model, q, 1)(0);
  };
  const std::string mouth = ", bushings: [{at: 0, stiffness: rigid, tilting: rigid}]";
  EXPECT_NEAR(hertz("[-0.4, 0, 0]", 0.4, mouth), 20.468267, 1e-4);
  EXPECT_NEAR(hertz("[-0.4, 0, 0]", 0.2, mouth), 25.894737, 1e-4);
  EXPECT_NEAR(hertz("[-0.4, 0, 0]", 0.4, ""), 20.468267, 1e-4);  // a beam that passes is held
  EXPECT_NEAR(hertz("[0, 0, 0]", 0.4, ""), 24.359156, 1e-4);
}

}  // namespace
}  // namespace ulna::bushing_test
