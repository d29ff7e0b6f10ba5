// Flexible robots in motion, against rigid segments between springs, and what a run says of itself.

#include <gtest/gtest.h>

#include <cmath>

#include "support/flexible_robot.hpp"
#include "ulna/motion/spin_up.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::BeamRecipe;
using testing::uniform_beam;

constexpr double length = 0.9144, EI = 14, rho = 0.669685, root = 0.0127;

Inertial tip_body() {
  Inertial tip;
  tip.mass = 2;
  tip.centre = {0.0508, 0, 0};
  tip.inertia = 0.01 * Matrix3<double>::Identity();
  return tip;
}

/// The outboard link of Padilla's arm on a hinge.
Robot modal_link(double damping = 0.01, double stiffness = EI) {
  Robot robot;
  robot.name = "link";
  robot.gravity.setZero();
  BodyData body;
  body.name = "link";
  BeamRecipe recipe{4, 0, 0, 0, ModeFamily::finite_element};
  recipe.damping = damping;
  BeamData beam = uniform_beam(length, stiffness, rho, recipe);
  beam.from = {root, 0, 0};
  beam.to = {root + length, 0, 0};
  beam.attached = {{1, tip_body()}};
  body.beams = {beam};
  robot.bodies = {body};
  JointData joint;
  joint.name = "hinge";
  joint.type = JointType::revolute;
  joint.child = "link";
  robot.joints = {joint};
  make_flexible(robot);
  return robot;
}

/// The same from `count` rigid rods.
Robot segmented_link(int count) {
  Robot robot;
  robot.name = "segments";
  robot.gravity.setZero();
  const double h = length / count;
  BodyData hub;
  hub.name = "hub";
  hub.inertial.mass = 1e-3;
  hub.inertial.inertia = 1e-3 * Matrix3<double>::Identity();
  robot.bodies = {hub};
  JointData hinge;
  hinge.name = "hinge";
  hinge.type = JointType::revolute;
  hinge.child = "hub";
  robot.joints = {hinge};
  for (int i = 0; i < count; ++i) {
    BodyData rod;
    rod.name = "rod" + std::to_string(i);
    rod.inertial.mass = rho * h;
    rod.inertial.centre = {h / 2, 0, 0};
    const double turning = rho * h * h * h / 12;
    rod.inertial.inertia = Vector3<double>(0, turning, turning).asDiagonal();
    JointData joint;
    joint.name = "s" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = i == 0 ? "hub" : "rod" + std::to_string(i - 1);
    joint.child = rod.name;
    joint.X_PF.position = {i == 0 ? root : h, 0, 0};
    joint.degrees.resize(1);
    joint.degrees[0].stiffness = (i == 0 ? 2 : 1) * EI / h;
    robot.bodies.push_back(rod);
    robot.joints.push_back(joint);
  }
  PayloadData load;
  load.name = "tip";
  load.body = "rod" + std::to_string(count - 1);
  load.X_BL.position = {h, 0, 0};
  load.inertial = tip_body();
  robot.payloads = {load};
  robot.frames = {{"end", load.body, load.X_BL, {}}};
  return robot;
}

Experiment spin_up(const Robot& robot, double end) {
  Experiment e(std::make_shared<const Model>(robot));
  e.end = end;
  e.drives.resize(e.model->joints().size());
  e.drives[0] = {DriveKind::motion, {std::make_shared<SpinUp>(6, 15)}, {}, {}};
  e.record.interval = 0.5;
  e.integrator.tolerances = {1e-7, 1e-9};
  return e;
}

TEST(FlexibleSimulation, SpinUpIsTheLimitOfRigidSegments) {
  Experiment modal = spin_up(modal_link(0), 7);
  modal.record.channels = {"deflection.link", "q"};
  const auto bent = simulate(modal);
  Experiment chain = spin_up(segmented_link(12), 7);
  chain.record.channels = {"frame.end", "q.hinge"};
  const auto rods = simulate(chain);
  for (const int row : {8, 12, 14}) {
    const double angle = rods.column("q.hinge")(row);
    const double across = -std::sin(angle) * rods.column("frame.end.x")(row) +
                          std::cos(angle) * rods.column("frame.end.y")(row);
    const double y = bent.column("deflection.link.y")(row);
    EXPECT_NEAR(y, across, 0.005 * std::abs(across)) << bent.t[row];
  }
}

TEST(FlexibleSimulation, EnergyIsAccountedFor) {
  Experiment e = spin_up(modal_link(0.02), 5);
  e.record.channels = {"energy", "elastic", "power"};
  e.integrator.tolerances = {1e-10, 1e-12};
  const auto run = simulate(e);
  EXPECT_LT(run.summary.energy_balance, 1e-8 * run.summary.largest_kinetic);
  EXPECT_GT(run.summary.works(2), 0);  // the dampers of the modes take some
  EXPECT_GT(run.column("elastic.energy").maxCoeff(), 0);
  EXPECT_LT(run.column("power.residual").cwiseAbs().maxCoeff(), 1e-7);
  // Spin stiffens: the lowest eigenvalue of the dynamic stiffness rises.
  const Eigen::VectorXd stability = run.column("elastic.stability");
  EXPECT_GT(stability(stability.size() - 1), stability(0));
}

TEST(FlexibleSimulation, AdviserSpeaksOnceOfWhatIsStrained) {
  Experiment e = spin_up(modal_link(), 15);
  e.elastic = ElasticLevel::ruthless;
  const auto run = simulate(e);
  int rates = 0;
  for (const std::string& note : run.summary.notes) rates += note.find("turns at") != note.npos;
  EXPECT_EQ(rates, 1);
}

TEST(FlexibleSimulation, TheIntegratorThatIsChosenAndNamedIsTheOneThatRuns) {
  if (!is_available(IntegratorMethod::sundials_bdf)) GTEST_SKIP();
  // A hundred thousand times the frequencies, and strong dampers: explicit steps would be millions
  // where nothing moves any more.
  Experiment e(std::make_shared<const Model>(modal_link(0.5, 1e10 * EI)));
  e.end = 0.1;
  e.drives = {Drive{DriveKind::locked, {}, {}, {}}};
  e.q = e.model->neutral();
  e.q(1) = 1e-3;
  const RunSummary chosen = simulate(e).summary;
  EXPECT_EQ(chosen.method, IntegratorMethod::sundials_bdf);
  EXPECT_LT(chosen.statistics.steps, 20000);
  e.integrator.method = IntegratorMethod::sundials_bdf;
  EXPECT_EQ(chosen.statistics.steps, simulate(e).summary.statistics.steps);
}

TEST(FlexibleSimulation, LockedModesOfARigidRobotAreRefused) {
  Experiment e = spin_up(segmented_link(2), 1);
  e.elastic = ElasticLevel::consistent;
  EXPECT_THROW(check(e), InputError);
}

}  // namespace
}  // namespace ulna
