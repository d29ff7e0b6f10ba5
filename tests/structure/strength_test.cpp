// Member forces, stresses and buckling of structures against classical results.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/formats/read_robot.hpp"
#include "ulna/structure/load_factors.hpp"
#include "ulna/structure/member_stress.hpp"

namespace ulna::strength_test {
namespace {

Model model_of(const std::string& text) { return Model(read_robot_yaml_text(text, "test").robot); }

StaticLoad force_at(const Model& model, const std::string& frame, const Vector3<double>& force,
                    const Vector3<double>& moment = Vector3<double>::Zero()) {
  StaticLoad load;
  load.gravity = false;
  Vector6<double> f;
  f << force, moment;
  load.forces.emplace_back(model.frame(frame), f);
  return load;
}

/// A column of 2 m along x with EI = 5000 N m^2, its base and its head held as the joints say.
double euler_factor(const std::string& base, const std::string& head) {
  const Model model = model_of(
      R"(
ulna: 1
name: column
gravity: [0, 0, 0]
bodies:
  - {name: column, beam: {from: [0, 0, 0], to: [2, 0, 0], EA: 1e9, EIy: 5000, EIz: 5000, GJ: 4000, mass_per_length: 1, elements: 16}}
)" +
      std::string(head.empty() ? ""
                               : "  - {name: guide, mass: 0.1, inertia: [1e-3, 1e-3, 1e-3]}\n") +
      "joints:\n  - {name: base, type: " + base + ", parent: world, child: column}\n" +
      (head.empty()
           ? ""
           : "  - {name: rail, type: prismatic, parent: world, child: guide, at: [2, 0, 0], axis: "
             "[1, 0, 0]}\n"
             "  - {name: head, type: " +
                 head + ", parent: guide, child: column, child_at: [-2, 0, 0], cut: true}\n") +
      "frames:\n  - {name: top, body: column, at: [2, 0, 0]}\n");
  StructureOptions options;
  options.freedoms = 0b100011;  // the x-y plane
  const RobotStructure structure(model, Eigen::VectorXd::Zero(model.coordinates()), options);
  const double one = 1000;
  const auto found = load_factors(structure, Eigen::VectorXd::Zero(model.coordinates()),
                                  force_at(model, "top", {-one, 0, 0}), 1);
  return found.factor(0) * one * 4 / (5000 * M_PI * M_PI);
}

TEST(Buckling, EulersColumnInFourSupports) {
  EXPECT_NEAR(euler_factor("fixed", ""), 0.25, 0.25e-4);
  EXPECT_NEAR(euler_factor("revolute", "revolute"), 1, 1e-4);
  EXPECT_NEAR(euler_factor("fixed", "revolute"), 2.045748, 2e-4);  // tan x = x
  EXPECT_NEAR(euler_factor("fixed", "fixed"), 4, 8e-4);
}

TEST(Buckling, AFlagpoleUnderItsOwnWeight) {
  // Greenhill: (m g) L^3 / EI = 7.8373 for the weight per length q L^3/EI.
  const Model model = model_of(R"(
ulna: 1
name: pole
bodies:
  - {name: pole, beam: {from: [0, 0, 0], to: [0, 0, 10], material: steel, section: {round: 20 mm}, elements: 12}}
joints:
  - {name: base, type: fixed, parent: world, child: pole}
)");
  const BeamProperties p = properties_of(model.robot().bodies[0].beams[0]);
  const Eigen::VectorXd q(0);
  const double factor = load_factors(RobotStructure(model, q), q, {}, 1).factor(0);
  EXPECT_NEAR(factor * p.mass * 9.81 * 1000 / p.EIy, 7.837347, 1e-3);
}

TEST(Buckling, ALoadThatStretchesHasNoFactor) {
  const Model model = model_of(R"(
ulna: 1
name: rod
bodies:
  - {name: rod, beam: {from: [0, 0, 0], to: [0, 0, -1], material: steel, section: {round: 20 mm}, elements: 4}}
joints:
  - {name: base, type: fixed, parent: world, child: rod}
)");
  const Eigen::VectorXd q(0);
  EXPECT_EQ(load_factors(RobotStructure(model, q), q, {}, 3).factor.size(), 0);
}

constexpr const char* cantilever = R"(
ulna: 1
name: cantilever
bodies:
  - {name: arm, beam: {from: [0, 0, 0], to: [1.5, 0, 0], material: steel, section: SECTION, elements: 3}}
joints:
  - {name: base, type: fixed, parent: world, child: arm}
frames:
  - {name: tip, body: arm, at: [1.5, 0, 0]}
)";

Model cantilever_with(const std::string& section) {
  std::string text = cantilever;
  text.replace(text.find("SECTION"), 7, section);
  return model_of(text);
}

TEST(MemberStress, CantileverUnderAForceAtItsEnd) {
  const Model model = cantilever_with("{rectangle: {height: 60 mm, width: 30 mm}}");
  const Eigen::VectorXd q(0);
  const RobotStructure structure(model, q);
  const StaticDeflection bent =
      static_deflection(structure, q, force_at(model, "tip", {0, 400, 0}));
  const std::vector<MemberStress> found = member_stresses(structure, bent);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].station, 0, 1e-12);
  const double W = 0.03 * 0.06 * 0.06 / 6;
  EXPECT_NEAR(found[0].stress->von_mises, 400 * 1.5 / W, 1e-6 * 400 * 1.5 / W);
  EXPECT_NEAR(found[0].resultants(5), 600, 1e-6);
}

TEST(MemberStress, UniformWeightBetweenTwoSupportsIsLargestInTheMiddle) {
  // One element: q L^2/8 in the middle, between its ends.
  const Model model = model_of(R"(
ulna: 1
name: bridge
bodies:
  - {name: beam, beam: {from: [0, 0, 0], to: [4, 0, 0], material: steel, section: {box: {outer: 100 mm, inner: 90 mm}}, elements: 1}}
  - {name: foot, mass: 0.1, inertia: [1e-3, 1e-3, 1e-3]}
joints:
  - {name: left, type: revolute, parent: world, child: beam, axis: [0, 1, 0]}
  - {name: rail, type: prismatic, parent: world, child: foot, at: [4, 0, 0], axis: [1, 0, 0]}
  - {name: right, type: revolute, parent: foot, child: beam, child_at: [-4, 0, 0], axis: [0, 1, 0], cut: true}
)");
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(model.coordinates());
  const RobotStructure structure(model, q);
  const std::vector<MemberStress> found =
      member_stresses(structure, static_deflection(structure, q));
  const double w = properties_of(model.robot().bodies[0].beams[0]).mass * 9.81;
  EXPECT_NEAR(found[0].station, 2, 1e-9);
  EXPECT_NEAR(std::abs(found[0].resultants(4)), w * 16 / 8, 1e-6 * w);
  const double I = *numbers_of(model.robot().bodies[0].beams[0].sections[0]).Iy;
  EXPECT_NEAR(found[0].stress->von_mises, w * 2 * 0.05 / I, 1e-6 * found[0].stress->von_mises);
}

TEST(MemberStress, BendingAndTorsionOfACrank) {
  // A force at the end of a rigid crank of 0.2 m bends and twists the shaft.
  const Model model = model_of(R"(
ulna: 1
name: crank
bodies:
  - {name: shaft, beam: {from: [0, 0, 0], to: [0.5, 0, 0], material: steel, section: {round: 30 mm}, elements: 2}}
joints:
  - {name: base, type: fixed, parent: world, child: shaft}
frames:
  - {name: pin, body: shaft, at: [0.5, 0.2, 0]}
)");
  const Eigen::VectorXd q(0);
  const RobotStructure structure(model, q);
  const std::vector<MemberStress> found = member_stresses(
      structure, static_deflection(structure, q, force_at(model, "pin", {0, 0, -900})));
  const double M = 900 * 0.5, T = 900 * 0.2, W = M_PI * std::pow(0.03, 3) / 32;
  EXPECT_NEAR(found[0].stress->von_mises, std::sqrt(M * M + 0.75 * T * T) / W,
              1e-4 * found[0].stress->von_mises);  // the shear of the force adds a little beside it
}

TEST(MemberForces, PortalFrameUnderASideForce) {
  // Fixed feet, height h, width l, k = (Ib/Ic)(h/l): moments Hh/2 (3k + 1)/(6k + 1) at the feet and
  // Hh/2 3k/(6k + 1) at the corners (Kleinlogel), for members that do not stretch.
  const double h = 3, l = 4, H = 1000, k = 2 * h / l;
  const Model model = model_of(R"(
ulna: 1
name: portal
gravity: [0, 0, 0]
bodies:
  - name: portal
    beams:
      - {name: left, from: [0, 0, 0], to: [0, 3, 0], EA: 1e13, EIy: 1e5, EIz: 1e5, GJ: 1e5, mass_per_length: 1}
      - {name: beam, from: [0, 3, 0], to: [4, 3, 0], EA: 1e13, EIy: 2e5, EIz: 2e5, GJ: 1e5, mass_per_length: 1}
      - {name: right, from: [4, 3, 0], to: [4, 0, 0], EA: 1e13, EIy: 1e5, EIz: 1e5, GJ: 1e5, mass_per_length: 1}
joints:
  - {name: foot1, type: fixed, parent: world, child: portal}
  - {name: foot2, type: fixed, parent: world, child: portal, at: [4, 0, 0], child_at: [-4, 0, 0], cut: true}
frames:
  - {name: corner, body: portal, at: [0, 3, 0]}
)");
  const Eigen::VectorXd q(0);
  const RobotStructure structure(model, q);
  const StaticDeflection bent =
      static_deflection(structure, q, force_at(model, "corner", {H, 0, 0}));
  const double foot = H * h / 2 * (3 * k + 1) / (6 * k + 1),
               corner = H * h / 2 * 3 * k / (6 * k + 1);
  const auto moment = [](const elastic::Resultants& r) { return std::hypot(r(4), r(5)); };
  EXPECT_NEAR(moment(bent.members.front().start), foot, 1e-3 * foot);
  EXPECT_NEAR(moment(bent.members[1].end), corner, 1e-3 * corner);
  EXPECT_NEAR(moment(bent.members.back().end), foot, 1e-3 * foot);
  // The columns carry the couple: N = 2 corner / l.
  EXPECT_NEAR(std::abs(bent.members.front().start(0)), 2 * corner / l, 1e-3 * corner);
}

TEST(MemberCosines, AgreeByEveryMethod) {
  const Model model = model_of(R"(
ulna: 1
name: strut
bodies:
  - {name: strut, beam: {from: [0, 0, 0], to: [1.2, 0.9, 0.4], reference: [0.1, 1, -0.2], material: steel, section: {round: 20 mm}}}
joints:
  - {name: base, type: fixed, parent: world, child: strut, at: {position: [1, 2, 3], rpy: [0.2, -0.4, 0.7]}}
)");
  const RobotStructure structure(model, Eigen::VectorXd(0));
  const Matrix3<double> axes =
      structure.body_pose(1).rotation * section_axes(model.robot().bodies[0].beams[0]);
  for (const char* method :
       {"cross-product", "euler-angles", "one-rotation", "orthogonality", "angle", "plane"}) {
    const std::vector<MemberCosines> found = member_cosines(structure, method);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].beam, "strut");
    EXPECT_LT((found[0].rows.transpose() - axes).cwiseAbs().maxCoeff(), 1e-9) << method;
  }
  EXPECT_THROW(member_cosines(structure, "planes"), InputError);
}

}  // namespace
}  // namespace ulna::strength_test
