// Cases with closed answers: stops of every kind of joint, several at once, with every integrator
// and on flexible links.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "simulation/cases/cases.hpp"
#include "simulation/mechanisms.hpp"
#include "support/flexible_robot.hpp"
#include "ulna/formats/read_experiment.hpp"

namespace ulna::stops_of_joints_test {
namespace {

using testing::frozen;
using testing::with;

constexpr double mass = 2, turning = 0.3;  // of a body whose centre of mass is at its joint

/// One degree of freedom of a joint, and what it moves when it moves alone.
struct Kind {
  const char* name;
  JointType type;
  std::size_t degree;
  double inertia;
};

constexpr double pitch = 0.2;

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list = {
      {"revolute", JointType::revolute, 0, turning},
      {"prismatic", JointType::prismatic, 0, mass},
      {"screw", JointType::screw, 0, turning + mass * pitch * pitch},
      {"turn of a cylindrical joint", JointType::cylindrical, 0, turning},
      {"slide of a cylindrical joint", JointType::cylindrical, 1, mass},
      {"first turn of a universal joint", JointType::universal, 0, turning},
      {"second turn of a universal joint", JointType::universal, 1, turning},
      {"first slide of a planar joint", JointType::planar, 0, mass},
      {"second slide of a planar joint", JointType::planar, 1, mass},
      {"turn of a planar joint", JointType::planar, 2, turning},
      {"slide of a sphere in a groove", JointType::sphere_in_groove, 0, mass}};
  return list;
}

/// It is pushed against its upper limit 0.5 from rest at 0.1 by an effort of 3.
Experiment pushed_against_stop(const Kind& kind, double restitution) {
  Robot robot = testing::one_joint(kind.type, {0, 0, 1}, mass, turning);
  robot.joints[0].pitch = kind.type == JointType::screw ? pitch : 0;
  robot.joints[0].axis2 = {1, 0, 0};
  const auto degrees = static_cast<std::size_t>(Model(robot).speeds());
  robot.joints[0].degrees.assign(degrees, {});
  robot.joints[0].degrees[kind.degree].lower = -1;
  robot.joints[0].degrees[kind.degree].upper = 0.5;
  Experiment e = with(robot, 1);
  Drive drive;
  drive.kind = DriveKind::effort;
  for (std::size_t k = 0; k < degrees; ++k)
    drive.effort.push_back(testing::formula(k == kind.degree ? "3" : "0"));
  e.drives = {drive};
  e.q(static_cast<Eigen::Index>(kind.degree)) = 0.1;
  e.stops = {true, restitution, 1e-6};
  const double a = 3 / kind.inertia, first = std::sqrt(2 * 0.4 / a);
  e.end = 1.5 * first * (1 + restitution) / (1 - restitution);
  return e;
}

TEST(StopsOfJoints, EveryKindBouncesThroughZenosSequenceAndRests) {
  for (const Kind& kind : kinds())
    for (const double restitution : {0.0, 0.5, 0.8}) {
      SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(restitution));
      const RunSummary summary = simulate(pushed_against_stop(kind, restitution)).summary;
      ASSERT_TRUE(summary.complete) << summary.reason;
      const auto k = static_cast<Eigen::Index>(kind.degree);
      EXPECT_NEAR(summary.q(k), 0.5, 1e-10);
      EXPECT_EQ(summary.v(k), 0);
      EXPECT_NEAR(summary.works(2), 3 * 0.4, 1e-7) << "the work of the effort is lost";
      EXPECT_LT(summary.energy_balance, 1e-8);
    }
}

TEST(StopsOfJoints, EveryKindFliesBackAsItsRestitutionSays) {
  // At the top of its second flight: 0.5 - 0.4 e^4, at rest for an instant.
  for (const Kind& kind : kinds()) {
    Experiment e = pushed_against_stop(kind, 0.8);
    const double first = std::sqrt(2 * 0.4 * kind.inertia / 3);
    e.end = first * (1 + 2 * 0.8 + 0.64);
    const RunSummary summary = simulate(e).summary;
    const auto k = static_cast<Eigen::Index>(kind.degree);
    EXPECT_NEAR(summary.q(k), 0.5 - 0.4 * std::pow(0.8, 4), 1e-8) << kind.name;
    EXPECT_NEAR(summary.v(k), 0, 1e-7) << kind.name;
  }
}

TEST(StopsOfJoints, AStartBeyondOneIsRefusedByTheNameOfItsCoordinate) {
  for (const Kind& kind : kinds())
    for (const double q : {0.6, -1.2}) {
      Experiment e = pushed_against_stop(kind, 0.5);
      e.q(static_cast<Eigen::Index>(kind.degree)) = q;
      try {
        simulate(e);
        FAIL() << kind.name;
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("beyond its stop")) << kind.name;
        EXPECT_THAT(error.what(), ::testing::HasSubstr(e.model->coordinate_names()[kind.degree]));
      }
    }
}

TEST(StopsOfJoints, LimitsWithoutAWayBetweenThemAreRefusedForEveryKind) {
  for (const Kind& kind : kinds()) {
    Robot robot = pushed_against_stop(kind, 0.5).model->robot();
    robot.joints[0].degrees[kind.degree].lower = robot.joints[0].degrees[kind.degree].upper;
    Experiment e = pushed_against_stop(kind, 0.5);
    e.model = frozen(robot);
    e.q(static_cast<Eigen::Index>(kind.degree)) = 0.5;
    try {
      simulate(e);
      FAIL() << kind.name;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("no way between its limits")) << kind.name;
    }
  }
}

TEST(StopsOfJoints, AStartAtOneThatPressesStaysThere) {
  for (const Kind& kind : kinds()) {
    Experiment e = pushed_against_stop(kind, 0.5);
    e.q(static_cast<Eigen::Index>(kind.degree)) = 0.5;
    const RunSummary summary = simulate(e).summary;
    EXPECT_EQ(summary.q(static_cast<Eigen::Index>(kind.degree)), 0.5) << kind.name;
    EXPECT_NEAR(summary.works(2), 0, 1e-15) << kind.name;
  }
}

/// n slides in a row, each on the one before, along one line.
Robot train(int n, double upper) {
  Robot robot;
  robot.name = "train";
  robot.gravity.setZero();
  for (int k = 0; k < n; ++k) {
    const std::string name = "car" + std::to_string(k);
    robot.bodies.push_back(testing::body(
        name, {1, Vector3<double>::Zero(), Vector3<double>::Constant(0.1).asDiagonal()}));
    JointData joint;
    joint.name = "j" + std::to_string(k);
    joint.type = JointType::prismatic;
    joint.parent = k == 0 ? "world" : "car" + std::to_string(k - 1);
    joint.child = name;
    joint.axis = {1, 0, 0};
    joint.degrees.resize(1);
    joint.degrees[0].upper = upper;
    robot.joints.push_back(joint);
  }
  return robot;
}

TEST(StopsOfJoints, SeveralThatAreMetAtOneInstantEachGiveBackTheirShare) {
  // All reach their stops at 0.25 s; by Newton's law each joint leaves with its restitution times
  // its speed, whatever the others do.
  for (const int n : {2, 3, 5}) {
    Experiment e = with(train(n, 0.5), 0.3);
    e.v.setConstant(2);
    e.stops = {true, 0.6, 1e-6};
    const RunSummary summary = simulate(e).summary;
    ASSERT_TRUE(summary.complete) << summary.reason;
    for (int k = 0; k < n; ++k) EXPECT_NEAR(summary.v(k), -1.2, 1e-9) << n << " " << k;
    EXPECT_LT(summary.energy_balance, 1e-9);
  }
}

TEST(StopsOfJoints, AllRestAtTheirsUnderSteadyEfforts) {
  Experiment e = with(train(4, 0.5), 20);
  for (int k = 0; k < 4; ++k) e.drives.push_back(testing::pushed(std::to_string(1 + k)));
  e.stops = {true, 0.7, 1e-5};
  const RunSummary summary = simulate(e).summary;
  ASSERT_TRUE(summary.complete) << summary.reason;
  EXPECT_NEAR((summary.q.array() - 0.5).abs().maxCoeff(), 0, 1e-9);
  EXPECT_EQ(summary.v.cwiseAbs().maxCoeff(), 0);
  EXPECT_NEAR(summary.works(2), 0.5 * (1 + 2 + 3 + 4), 1e-5);
}

TEST(StopsOfJoints, EveryIntegratorMeetsThemAlike) {
  const Kind& screw = kinds()[2];
  for (const std::string& name : integrator_names()) {
    SCOPED_TRACE(name);
    const IntegratorMethod method = *integrator_from_name(name);
    if (!is_available(method)) continue;
    Experiment e = pushed_against_stop(screw, 0.7);
    e.integrator.method = method;
    e.integrator.tolerances = {1e-9, 1e-11};
    if (e.integrator.fixed_step()) e.integrator.step = 1e-4;
    if (method == IntegratorMethod::ida || method == IntegratorMethod::symplectic) {
      EXPECT_THROW(simulate(e), InputError);  // for loops, and for what nothing holds
      continue;
    }
    const RunSummary summary = simulate(e).summary;
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_NEAR(summary.q(0), 0.5, 1e-9);
    EXPECT_EQ(summary.v(0), 0);
    // Euler's method of order one: the energy of the flights is off by its step.
    EXPECT_NEAR(summary.works(2), 1.2, method == IntegratorMethod::semi_implicit ? 1e-2 : 1e-6);
  }
}

/// A flexible link on a hinge that turns against its stop, without gravity.
Experiment link_against_stop(double restitution) {
  Robot robot;
  robot.name = "whip";
  robot.gravity.setZero();
  BodyData body;
  body.name = "link";
  testing::BeamRecipe recipe;
  recipe.bending_y = 0, recipe.bending_z = 2;
  BeamData beam = testing::uniform_beam(1, 40, 1, recipe);
  beam.attached.push_back(
      {0, {0.5, Vector3<double>::Zero(), Vector3<double>::Constant(0.05).asDiagonal()}});
  body.beams = {beam};
  robot.bodies = {body};
  JointData joint;
  joint.name = "hinge";
  joint.type = JointType::revolute;
  joint.child = "link";
  joint.axis = {0, 1, 0};
  joint.degrees.resize(1);
  joint.degrees[0].upper = 0.4;
  robot.joints = {joint};
  make_flexible(robot);
  Experiment e(frozen(robot));
  e.q = e.model->neutral();
  e.v = Eigen::VectorXd::Zero(e.model->speeds());
  e.v(0) = 1.5;
  e.end = 0.3;
  e.stops = {true, restitution, 1e-4};
  e.record.channels = {"q", "v", "energy"};
  return e;
}

TEST(StopsOfJoints, AFlexibleLinkLeavesItsStopAndGoesOnVibrating) {
  // The hinge turns evenly until 0.4 rad, leaves with e times its speed, and the rest of the energy
  // goes to the modes or is lost; nothing is gained.
  for (const double restitution : {0.0, 0.5, 1.0}) {
    Experiment e = link_against_stop(restitution);
    e.end = 0.4 / 1.5 + 1e-7;  // an instant after the impact
    const RunSummary at = simulate(e).summary;
    ASSERT_TRUE(at.complete) << at.reason;
    EXPECT_NEAR(at.v(0), -restitution * 1.5, 1e-2) << "the link pulls it on within 0.1 us";
    EXPECT_GE(at.works(2), -1e-9);
    EXPECT_LT(at.energy_balance, 1e-7);
  }
}

TEST(StopsOfJoints, AFlexibleLinkMeetsItsStopAlikeWithEveryIntegrator) {
  Eigen::VectorXd reference;
  double lost = 0;
  for (const IntegratorMethod method :
       {IntegratorMethod::dop853, IntegratorMethod::dormand_prince, IntegratorMethod::radau5,
        IntegratorMethod::automatic, IntegratorMethod::rk4, IntegratorMethod::sundials_erk,
        IntegratorMethod::sundials_bdf}) {
    SCOPED_TRACE(name_of(method));
    if (!is_available(method)) continue;
    Experiment e = link_against_stop(0.5);
    e.integrator.method = method;
    e.integrator.tolerances = {1e-9, 1e-11};
    if (e.integrator.fixed_step()) e.integrator.step = 1e-5;
    const RunSummary summary = simulate(e).summary;
    ASSERT_TRUE(summary.complete) << summary.reason;
    EXPECT_LE(summary.q(0), 0.4 + 1e-9);
    EXPECT_LT(summary.energy_balance, 1e-5 * summary.largest_energy);
    if (reference.size() == 0) reference = summary.q, lost = summary.works(2);
    EXPECT_LT((summary.q - reference).norm(), 1e-5);
    EXPECT_NEAR(summary.works(2), lost, 1e-4 * std::abs(lost) + 1e-7);
  }
}

/// A slider-crank whose slide, cut or not, goes no further than 0.35 m; it falls from 0.394 m.
ulna::Run slider_crank(bool cut, const std::string& start) {
  const std::string folder = ::testing::TempDir();
  std::ofstream(folder + "/stopped_slider_crank.yaml") << R"(ulna: 1
name: slider-crank
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 0.8, centre: [0.05, 0, 0], inertia: [0.0001, 0.0011, 0.0011]}
  - {name: rod, mass: 1.2, centre: [0.15, 0, 0], inertia: [0.0002, 0.0098, 0.0098]}
  - {name: slider, mass: 0.9, inertia: [0.0006, 0.0006, 0.0006]}
joints:
  - {name: crank, type: revolute, parent: world, child: crank}
  - {name: rod, type: revolute, parent: crank, child: rod, at: [0.1, 0, 0]}
  - {name: pin, type: revolute, parent: rod, child: slider, at: [0.3, 0, 0]}
  - {name: slide, type: prismatic, parent: world, child: slider, axis: [1, 0, 0],
     limits: {lower: 0.35}, cut: )" << (cut ? "true" : "false")
                                                       << "}\n";
  return simulate(
      read_experiment_text(
          "experiment: 1\nrobot: stopped_slider_crank.yaml\nduration: 3\nstart: {q: " + start +
              "}\nstops: {restitution: 0.3}\nrecord: {channels: [frame.slider]}\n",
          folder + "/falls.yaml")
          .experiment);
}

TEST(StopsOfJoints, ThoseOfAJointThatClosesALoopActToo) {
  for (const bool cut : {false, true}) {
    const ulna::Run run = slider_crank(cut, "{crank: 0.3}");
    ASSERT_TRUE(run.summary.complete) << run.summary.reason;
    const Eigen::VectorXd x = run.column("frame.slider.x");
    EXPECT_NEAR(x(0), 0.1 * std::cos(0.3) + std::sqrt(0.09 - std::pow(0.1 * std::sin(0.3), 2)),
                1e-9);
    EXPECT_NEAR(x.minCoeff(), 0.35, 1e-9) << cut;
    EXPECT_NEAR(x.tail<1>()(0), 0.35, 1e-9) << cut;
    EXPECT_NEAR(run.summary.v.norm(), 0, 1e-9) << cut;
  }
}

TEST(StopsOfJoints, AClosedStartBeyondOneIsRefused) {
  Robot robot = testing::parallelogram(2);
  robot.joints[0].degrees.at(0).upper = 0.4;
  Experiment e(frozen(robot));
  e.q = testing::posture_of_parallelogram(*e.model, 0.5);
  e.stops = {true, 0.5, 1e-4};
  e.end = 1;
  try {
    simulate(e);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("q of 'foot0'"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("beyond its stop"));
  }
}

TEST(StopsOfJoints, LimitsThatCannotActAreNamed) {
  // A list under `start` gives the coordinates an order, which another cut would change.
  const ulna::Run run = slider_crank(true, "[0.3, -0.4, 0.1]");
  EXPECT_THAT(run.summary.notes,
              ::testing::Contains(::testing::HasSubstr("the limits of 'slide', which closes")));
}

}  // namespace
}  // namespace ulna::stops_of_joints_test
