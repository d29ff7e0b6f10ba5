// A robot as a frame: with rigid links it is the robot of rigid mechanics; locked, free and closed
// joints; turning beams; loads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>
#include <random>

#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/structure/structure_modes.hpp"
#include "ulna/structure/sweep.hpp"

namespace ulna {
namespace {

using std::numbers::pi;
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

Robot robot_of(const std::string& yaml) { return read_robot_yaml_text(yaml, "test.yaml").robot; }

// A beam of unit length, EI and mass along x on a hinge about z.
std::string hinged_beam(const std::string& more = "", const std::string& EI = "EIy: 1, EIz: 1") {
  return "ulna: 1\nname: rod\ngravity: [0, 0, 0]\nbodies:\n  - name: arm\n    beam: {length: 1, "
         "EA: "
         "1e7, " +
         EI + ", GJ: 1e3, mass_per_length: 1, polar_inertia: 1e-3, elements: 20" + more +
         "}\njoints:\n  - {name: hub, type: revolute, parent: world, child: arm}\n";
}

TEST(RobotStructure, OfRigidLinksHasTheMassMatrixOfTheRobot) {
  std::mt19937_64 random(3);
  for (const char* name : {"puma560", "stanford", "scara", "intelledex605"}) {
    const Model model(read_robot(name).robot);
    const Eigen::VectorXd q = model.random(random);
    Workspace work(model);
    const Eigen::MatrixXd M = mass_matrix(model, work, q);
    const RobotStructure structure(model, q);
    const elastic::SystemMatrices system = structure.system();
    ASSERT_EQ(system.size(), model.speeds()) << name;
    for (int i = 0; i < model.speeds(); ++i)
      for (int j = 0; j < model.speeds(); ++j)
        EXPECT_NEAR(system.M.coeff(structure.freedom_of(i), structure.freedom_of(j)), M(i, j),
                    1e-12 * M.norm())
            << name;
  }
}

TEST(RobotStructure, OfRigidLinksCarriesTheEffortsOfInverseDynamics) {
  std::mt19937_64 random(5);
  for (const char* name : {"puma560", "stanford", "intelledex605"}) {
    Robot robot = read_robot(name).robot;
    for (JointData& joint : robot.joints) joint.degrees.clear();  // no rotors, no friction
    const Model model(robot);
    const Eigen::VectorXd q = model.random(random);
    const Eigen::VectorXd v = Eigen::VectorXd::Random(model.speeds());
    const Eigen::VectorXd a = Eigen::VectorXd::Random(model.speeds());
    const RobotStructure structure(model, q);
    const Eigen::VectorXd load = gravity_load(structure) + inertia_load(structure, q, {v, a});
    Workspace work(model);
    const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
    for (int k = 0; k < model.speeds(); ++k)
      EXPECT_NEAR(-load(structure.freedom_of(k)), tau(k), 1e-12 * tau.norm()) << name;
  }
}

TEST(RobotStructure, LoadsOfThePointMassesOfTheNotes) {
  // Printed by independent code: forces on nodes of the forearm, in its axes.
  Robot robot = read_robot("t3r3-frame").robot;
  robot.payloads.clear();
  robot.bodies[2].beams.pop_back();
  BeamData& tube = robot.bodies[2].beams[0];
  tube.elements = 3;
  const double masses[] = {5, 4, 3, 25};
  for (int k = 0; k < 4; ++k) {
    AttachedBody part;
    part.station = k / 3.0;
    part.inertial.mass = masses[k];
    tube.attached.push_back(part);
  }
  for (BodyData& body : robot.bodies)
    for (BeamData& beam : body.beams) beam.material->density = 0, beam.material->name = "";
  const Model model(robot);
  const Eigen::Vector3d q(0.124354994547, 1.00244141036, -1.24042022153);
  const Eigen::Vector3d v(0.7, -0.4, 1.1), a(1, 2, -3);
  StructureOptions options;
  options.joints = JointHold::locked;
  const RobotStructure structure(model, q, options);
  const Matrix3<double> R = structure.body_pose(3).rotation;
  const Eigen::VectorXd slow = inertia_load(structure, q, {v, {}}),
                        fast = inertia_load(structure, q, {{}, a}),
                        weight = gravity_load(structure);
  const int tip = structure.frame().nodes()[structure.node_of(model.frame("tip"))].map.freedoms[0];
  const auto local = [&](const Eigen::VectorXd& f) {
    return Vec(R.transpose() * f.segment<3>(tip));
  };
  EXPECT_LT((local(slow) - Vec(43.8265751374, 9.6647701943, 20.7164787976)).norm(), 1e-8);
  EXPECT_LT((local(fast) - Vec(48.0527564385, 21.3030400979, 50.3891109269)).norm(), 1e-8);
  EXPECT_LT((local(weight) - Vec(57.8149614913, -238.337980036, 0)).norm(), 1e-8);

  // Coriolis, centrifugal and Euler matrices of that node.
  const MotionTerms terms = motion_terms(structure, q, {v, a});
  Matrix3<double> G, K2, K3;
  G << 0, -35, 34.0135751326, 35, 0, 8.25086096715, -34.0135751326, -8.25086096715, 0;
  K2 << -23.819232933, -2.80641279415, 0, -2.80641279415, -12.930767067, 0, -5.77560267701,
      23.8095025928, -12.25;
  K3 << 0, 25, 24.295410809, -25, 0, 5.89347211939, -24.295410809, -5.89347211939, 0;
  const auto node = [&](const elastic::SparseMatrix& A) {
    return Matrix3<double>(R.transpose() * Eigen::MatrixXd(A).block<3, 3>(tip, tip) * R);
  };
  EXPECT_LT((node(terms.gyroscopic) - G).norm(), 1e-8);
  // The notes split by joint rates and accelerations, here by [w][w] and [dw]: the sum is the same.
  EXPECT_LT((node(terms.centrifugal) + node(terms.euler) - K2 - K3).norm(), 1e-8);
}

TEST(RobotStructure, AFreeHingeGivesAPinnedBeam) {
  const Model model(robot_of(hinged_beam("", "EIy: 100, EIz: 1")));
  const RobotStructure structure(model, Eigen::VectorXd::Zero(1));
  const StructureModes found = structure_modes(structure);
  EXPECT_EQ(found.modes.rigid_body_modes, 1);
  // Pinned-free: tan b = tanh b.
  EXPECT_NEAR(found.modes.omega(1) / std::pow(3.926602312047919, 2), 1, 1e-5);
  EXPECT_NEAR(found.joint_motion(0, 0), 1, 1e-6);  // a turn of the rod of unit length
}

TEST(RobotStructure, AnElasticHingeIsBetweenFreeAndLocked) {
  const Model model(robot_of(hinged_beam("", "EIy: 1e6, EIz: 1e6")));
  StructureOptions options;
  options.support["hub"] = {JointHold::free, 3, 0};
  const StructureModes found =
      structure_modes(RobotStructure(model, Eigen::VectorXd::Zero(1), options));
  EXPECT_NEAR(found.modes.omega(0), 3, 1e-4);  // sqrt(k / (1/3))
  EXPECT_NEAR(found.strain(0, 2), 1, 1e-4);    // all of it in the spring
}

TEST(RobotStructure, EffectiveMassesSumToTheMassThatMoves) {
  const Model model(robot_of(hinged_beam()));
  StructureOptions options;
  options.joints = JointHold::locked;
  elastic::EigenOptions all;
  all.count = 0;
  const StructureModes found =
      structure_modes(RobotStructure(model, Eigen::VectorXd::Zero(1), options), all);
  for (int k = 0; k < 3; ++k) {
    // All but the share of the clamped node: half of which along x is 1/60 + ... of a mass of 1.
    EXPECT_NEAR(found.effective_mass.col(k).sum(), 1, 0.04);
  }
  EXPECT_NEAR(found.effective_mass(0, 1) + found.effective_mass(0, 2), 0.6131, 1e-3);
}

// Wright, Smith, Thresher and Wang 1982, table of a uniform beam turning about its root: flapwise.
TEST(TurningBeam, HasTheFrequenciesOfTheAcceptedTable) {
  const Model model(robot_of(hinged_beam("", "EIy: 1, EIz: 1e4")));
  StructureOptions options;
  options.joints = JointHold::locked;
  const RobotStructure structure(model, Eigen::VectorXd::Zero(1), options);
  const double table[][3] = {{0, 3.5160, 22.0345}, {2, 4.1373, 22.6149}, {4, 5.5850, 24.2733},
                             {6, 7.3604, 26.8091}, {8, 9.2568, 29.9954}, {10, 11.2023, 33.6404}};
  for (const auto& row : table) {
    const Eigen::VectorXd speed = Eigen::VectorXd::Constant(1, row[0]);
    const elastic::ComplexModes modes =
        moving_modes(structure, Eigen::VectorXd::Zero(1), {speed, {}}, {}, 2);
    EXPECT_NEAR(modes.damped_omega(0) / row[1], 1, 1e-3) << row[0];
    EXPECT_NEAR(modes.damped_omega(1) / row[2], 1, 1e-3) << row[0];
    EXPECT_NEAR(modes.damping_ratio(0), 0, 1e-9);
  }
}

TEST(TurningBeam, InPlaneFrequenciesAreLowerBySouthwellsTerm) {
  const double speed = 6;
  const Eigen::VectorXd v = Eigen::VectorXd::Constant(1, speed), q = Eigen::VectorXd::Zero(1);
  StructureOptions options;
  options.joints = JointHold::locked;
  const Model model(robot_of(hinged_beam("", "EIy: 1e4, EIz: 1")));
  const elastic::ComplexModes lag =
      moving_modes(RobotStructure(model, q, options), q, {v, {}}, {}, 1);
  EXPECT_NEAR(lag.damped_omega(0) / std::sqrt(7.3604 * 7.3604 - speed * speed), 1, 1e-3);
  // What neglecting the stiffening would give: an unstable beam at this speed.
  const elastic::ComplexModes wrong =
      moving_modes(RobotStructure(model, q, options), q, {v, {}}, {true, true, true, false}, 1);
  EXPECT_GT(wrong.lambda(0).real(), 1);
}

TEST(Statics, OfACantilever) {
  Robot robot = robot_of(hinged_beam());
  robot.gravity = Vec(0, 0, -2);
  const Model model(robot);
  StructureOptions options;
  options.joints = JointHold::locked;
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(1);
  const RobotStructure structure(model, q, options);
  Robot with_tip = robot;
  const StaticDeflection bent = static_deflection(structure, q);
  EXPECT_NEAR(bent.freedoms.tail<6>()(2), -2.0 / 8, 1e-10);   // q L^4 / 8 EI
  EXPECT_NEAR(std::abs(bent.members[0].start(4)), 1, 1e-10);  // root moment q L^2 / 2
  EXPECT_NEAR(std::abs(bent.members[0].start(2)), 2, 1e-10);  // root shear
  EXPECT_NEAR(bent.members.back().end.norm(), 0, 1e-9);       // the tip is free
  with_tip.frames.push_back({"tip", "arm", {Matrix3<double>::Identity(), Vec(1, 0, 0)}, {}});
  const Model named(with_tip);
  const Matrix6<double> C = compliance(RobotStructure(named, q, options), named.frame("tip"));
  EXPECT_NEAR(C(1, 1), 1.0 / 3, 1e-10);
  EXPECT_NEAR(C(1, 5), 1.0 / 2, 1e-10);
  EXPECT_NEAR(C(0, 0), 1e-7, 1e-15);
  EXPECT_THAT(complaint([&] { compliance(RobotStructure(named, q), named.frame("tip")); }),
              HasSubstr("cannot carry a load"));
}

TEST(Loops, AClosedFrameIsAsStiffAsItsClampedTwin) {
  // Two beams of unit length meet in the middle and are welded there by the loop: clamped-clamped.
  const Model model(robot_of(R"(
ulna: 1
name: portal
bodies:
  - {name: left, beam: {length: 1, EA: 1e6, EIy: 1, EIz: 1, GJ: 1e3, mass_per_length: 1, polar_inertia: 1e-3, elements: 10}}
  - {name: right, beam: {length: 1, EA: 1e6, EIy: 1, EIz: 1, GJ: 1e3, mass_per_length: 1, polar_inertia: 1e-3, elements: 10}}
joints:
  - {name: a, type: revolute, parent: world, child: left}
  - {name: b, type: revolute, parent: world, child: right, at: {position: [2, 0, 0], rpy: [0, 0, 180 deg]}}
  - {name: weld, type: fixed, parent: left, child: right, at: {position: [1, 0, 0], rpy: [0, 0, 180 deg]}, child_at: [-1, 0, 0], cut: true}
)"));
  StructureOptions options;
  options.support["a"] = options.support["b"] = {JointHold::locked, 0, 0};
  const RobotStructure structure(model, Eigen::VectorXd::Zero(2), options);
  const double w = structure_modes(structure).modes.omega(0);
  EXPECT_NEAR(w / (std::pow(4.730040744862704, 2) / 4), 1, 1e-4);
}

TEST(Loops, OfRigidLinksLeaveTheMobility) {
  for (const auto& [name, mobility] :
       {std::pair{"four-bar", 1}, std::pair{"five-bar", 2}, std::pair{"bennett", 1}}) {
    const Model model(read_robot(name).robot);
    const StructureModes found = structure_modes(RobotStructure(model, assembled(model)));
    EXPECT_EQ(found.modes.count(), mobility) << name;
    EXPECT_EQ(found.modes.rigid_body_modes, mobility) << name;
  }
}

TEST(Sweeps, FollowModesThroughCrossings) {
  // EIz over EIy goes through one: the two first bending modes cross.
  SweepOptions options;
  options.structure.joints = JointHold::locked;
  options.count = 2;
  std::vector<StructureVariant> variants;
  for (const double ratio : {0.7, 0.85, 0.95, 1.05, 1.15, 1.3}) {
    const auto model = std::make_shared<const Model>(
        robot_of(hinged_beam("", "EIy: 1, EIz: " + std::to_string(ratio))));
    variants.push_back({"", ratio, model, Eigen::VectorXd::Zero(1)});
  }
  const SweepResult result = sweep_modes(variants, options);
  for (int k = 1; k < 6; ++k) {
    EXPECT_GT(result.omega(k, 0), result.omega(k - 1, 0));          // the one along y rises
    EXPECT_NEAR(result.omega(k, 1) / result.omega(0, 1), 1, 1e-9);  // the other stays
    EXPECT_GT(result.assurance(k, 0), 0.999);
  }
}

TEST(Sweeps, ChangeOneThing) {
  const Robot robot = read_robot("t3r3-frame").robot;
  EXPECT_EQ(with_payload_mass(robot, "", 3).payloads[0].inertial.mass, 3);
  EXPECT_EQ(with_material(robot, "forearm", "steel").bodies[2].beams[1].material->density, 7800);
  const Section s = with_section_ratio(robot, "upper_arm", 2).bodies[1].beams[0].sections[0];
  EXPECT_NEAR(s.inner_height, 0.0762, 1e-15);
  EXPECT_NEAR(*s.J, 2 * *numbers_of(s).Iy, 1e-18);
  EXPECT_THAT(complaint([&] { with_material(robot, "forarm", "steel"); }), HasSubstr("forearm"));
  EXPECT_THAT(complaint([&] { with_material(robot, "forearm", "stel"); }), HasSubstr("steel"));
  EXPECT_THAT(complaint([&] { with_section_ratio(robot, "forearm", 1); }), HasSubstr("above 1"));
}

TEST(BadFrames, NameTheBeam) {
  EXPECT_THAT(complaint([&] {
                const Model model(robot_of(hinged_beam(", name: x", "EI: 1").replace(90, 0, "")));
                Robot robot = model.robot();
                robot.bodies[0].beams[0].products->GJ = 0;
                const Model soft(robot);
                RobotStructure(soft, Eigen::VectorXd::Zero(1));
              }),
              HasSubstr("body 'arm', beam 'x' element 1: GJ is 0"));
  EXPECT_THAT(complaint([&] {
                Robot robot = robot_of(hinged_beam());
                BeamData other = robot.bodies[0].beams[0];
                other.name = "far";
                other.from = Vec(0, 5, 0), other.to = Vec(1, 5, 0);
                robot.bodies[0].beams.push_back(other);
                const Model model(robot);
                RobotStructure(model, Eigen::VectorXd::Zero(1));
              }),
              HasSubstr("beam 'far': touches no other beam"));
}

// Frames of a flexible body stand on sections of it; its frame of elements must not mind.
TEST(RobotStructure, DoesNotDependOnModalCoordinates) {
  Robot robot = read_robot("flexible-3r").robot;
  const Model bending(robot);
  for (BodyData& body : robot.bodies) {
    body.modal.reset();
    for (BeamData& beam : body.beams) beam.flexible.reset();
  }
  const Model plain(robot);
  ASSERT_TRUE(bending.flexible());
  ASSERT_FALSE(plain.flexible());
  StructureOptions locked;
  locked.joints = JointHold::locked;
  Eigen::VectorXd q = Eigen::VectorXd::Zero(bending.coordinates());
  q.head<3>() << 0.3, 0.7, -0.9;
  const RobotStructure a(bending, q, locked), b(plain, q.head<3>(), locked);
  for (const char* name : {"tool", "fore", "upper"}) {
    const int in_a = bending.frame(name), in_b = plain.frame(name);
    const Vec place = a.frame().nodes()[a.node_of(in_a)].position;
    EXPECT_LT((place - b.frame().nodes()[b.node_of(in_b)].position).norm(), 1e-14) << name;
    const Matrix6<double> C = compliance(b, in_b);
    EXPECT_LT((compliance(a, in_a) - C).norm(), 1e-9 * C.norm() + 1e-16) << name;
  }
}

TEST(RobotStructure, NeedsOnlyTheStiffnessesThatItsFreedomsUse) {
  const Model model(read_robot("spinning-beam").robot);  // EI alone
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(model.coordinates());
  StructureOptions options;
  options.joints = JointHold::locked;
  EXPECT_THAT(complaint([&] { RobotStructure(model, q, options); }), HasSubstr("EA is 0"));
  options.freedoms = 1u << 1 | 1u << 5;  // v, rz
  const RobotStructure structure(model, q, options);
  const Matrix6<double> C = compliance(structure, model.frame("tip"));
  EXPECT_NEAR(C(1, 1) / (1000 / (3 * 1.4e4)), 1, 1e-9);  // L^3 / 3 EI
}

}  // namespace
}  // namespace ulna
