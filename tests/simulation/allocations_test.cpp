// A run takes its memory before its first step.

#include <gtest/gtest.h>
#include <cmath>

#include "machines.hpp"
#include "mechanisms.hpp"
#include "support/allocations.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::frozen;

/// Allocations from the end of the first step to the end of the last one.
long allocations_in_steps(const Experiment& experiment) {
  RunOptions options;
  bool first = true;
  long steps = 0, count = 0;
  options.progress = [&](double t) {
    if (first) testing::count_allocations(true);
    first = false;
    ++steps;
    if (t >= experiment.end) count = testing::count_allocations(false);
  };
  simulate(experiment, options);
  testing::count_allocations(false);
  EXPECT_GT(steps, 100);
  return count;
}

Experiment recorded(std::shared_ptr<const Model> model, double end) {
  Experiment e(std::move(model));
  e.end = end;
  e.record.channels = {"q", "v", "a", "tau", "energy", "momentum", "power", "constraint"};
  return e;
}

TEST(Allocations, StepsOfTheDefaultIntegratorTakeNoMemory) {
  Experiment free_arm = recorded(frozen(read_robot("intelledex605").robot), 2);
  EXPECT_EQ(allocations_in_steps(free_arm), 0);
  free_arm.integrator.tolerances = {1e-11, 1e-13};  // order 8
  EXPECT_EQ(allocations_in_steps(free_arm), 0);
  EXPECT_EQ(allocations_in_steps(recorded(frozen(testing::top()), 3)), 0);
}

TEST(Allocations, NeitherWithDrivesControllersEventsAndWrenches) {
  Experiment e = recorded(frozen(read_robot("intelledex605").robot), 1);
  e.drives.resize(e.model->joints().size());
  for (std::size_t j = 0; j < e.drives.size(); ++j) {
    Drive& drive = e.drives[j];
    if (e.model->joints()[j].speeds != 1) continue;
    drive.motion = {std::make_shared<Formula>("0.3*(1-cos(2*t))")};
    drive.kind = j % 3 == 0   ? DriveKind::motion
                 : j % 3 == 1 ? DriveKind::controller
                              : DriveKind::effort;
    if (drive.kind == DriveKind::effort) drive.effort = {std::make_shared<Formula>("sin(3*t)")};
  }
  auto pd = std::make_shared<Feedback>();
  pd->law = FeedbackLaw::computed_torque;
  pd->kp = Eigen::VectorXd::Constant(e.model->speeds(), 100);
  pd->kd = Eigen::VectorXd::Constant(e.model->speeds(), 20);
  for (std::size_t j = 0; j < e.drives.size(); ++j)
    if (e.drives[j].kind == DriveKind::controller) pd->joints.push_back(static_cast<int>(j));
  e.controllers = {pd};
  e.events = {{"never", "energy.kinetic", 1e9, Event::Direction::rising, true, {}, NAN, {}}};
  AppliedWrench push;
  push.body = 3;
  push.force[0] = std::make_shared<Formula>("5*t");
  e.wrenches = {push};
  e.record.interval = 0.005;
  EXPECT_EQ(allocations_in_steps(e), 0);
}

TEST(Allocations, NeitherWhereABlockSlidesOrACoinRolls) {
  Robot robot;
  robot.bodies.push_back(
      testing::body("coin", {1, {0, 0, 0}, Vector3<double>(0.01, 0.02, 0.01).asDiagonal()}));
  JointData joint;
  joint.name = "free";
  joint.type = JointType::free;
  joint.child = "coin";
  robot.joints.push_back(joint);
  Experiment e = recorded(frozen(robot), 1);
  e.q = e.model->neutral();
  e.q(6) = 0.2;
  e.v = Eigen::VectorXd::Zero(6);
  e.v(3) = 3;
  Contact rim;
  rim.name = "rim";
  rim.shape.body = 1;
  rim.shape.radius = 0.2;
  rim.shape.axis = {0, 1, 0};
  rim.friction = 0.01;
  e.contacts = {rim};
  e.record.channels = {"q", "energy", "contact"};
  EXPECT_EQ(allocations_in_steps(e), 0);
  e.contacts.clear();
  NonholonomicConstraint rolls;
  rolls.name = "rim";
  rolls.shape = rim.shape;
  e.nonholonomic = {rolls};
  e.v(1) = 15;
  e.record.channels = {"q", "energy", "nonholonomic"};
  EXPECT_EQ(allocations_in_steps(e), 0);
}

}  // namespace
}  // namespace ulna
