// Springs with hardening and play, and joints whose drive gives.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/dynamics/kernels/energy.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/model/kernels/spring.hpp"

namespace ulna {
namespace {

Robot read(const std::string& joint) {
  return read_robot_yaml_text(R"(
ulna: 1
name: arm
gravity: [0, 0, 0]
bodies: [{name: link, mass: 2, centre: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}]
joints:
  - {name: hinge, type: revolute, parent: world, child: link, )" +
                                  joint + "}\n",
                              "arm.yaml")
      .robot;
}

TEST(Spring, IsSlackWithinItsPlayAndHardensBeyond) {
  DegreeTerms t;
  t.stiffness = 10;
  t.hardening = 4;
  t.backlash = 0.2;
  EXPECT_EQ(spring_effort(t, 0.1), 0);
  EXPECT_EQ(spring_tangent(t, -0.1), 0);
  EXPECT_DOUBLE_EQ(spring_effort(t, 1.2), 14);
  EXPECT_DOUBLE_EQ(spring_effort(t, -1.2), -14);
  EXPECT_DOUBLE_EQ(spring_energy(t, 1.2), 5 + 1);
  const double h = 1e-6;  // slopes by central differences, error h^2 and rounding over h
  for (const double x : {-0.7, 0.3, 2.0}) {
    EXPECT_NEAR(spring_effort(t, x), (spring_energy(t, x + h) - spring_energy(t, x - h)) / (2 * h),
                1e-8);
    EXPECT_NEAR(spring_tangent(t, x), (spring_effort(t, x + h) - spring_effort(t, x - h)) / (2 * h),
                1e-7);
  }
}

TEST(Spring, EffortEnergyAndDerivativesOfARobotAgree) {
  const Model model(read("spring: {stiffness: 50, rest: 0.1, hardening: 30, backlash: 0.05}"));
  Workspace work(model);
  DerivativeWorkspace derivatives(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  const double h = 1e-6;
  for (const double at : {-0.8, 0.12, 0.4}) {
    Eigen::VectorXd q(1), up(1), down(1);
    q << at;
    up << at + h;
    down << at - h;
    const double tau = inverse_dynamics(model, work, q, zero, zero)(0);
    EXPECT_NEAR(
        tau,
        (energy(model, work, up, zero).potential - energy(model, work, down, zero).potential) /
            (2 * h),
        1e-7);
    const double rise = inverse_dynamics(model, work, up, zero, zero)(0);
    const double slope = (rise - inverse_dynamics(model, work, down, zero, zero)(0)) / (2 * h);
    EXPECT_NEAR(inverse_dynamics_derivatives(model, work, derivatives, q, zero, zero).dtau_dq(0, 0),
                slope, 1e-6);
    const ForwardDerivatives& forward =
        forward_dynamics_derivatives(model, work, derivatives, q, zero, zero);
    EXPECT_NEAR(forward.da_dq(0, 0), -slope / 0.6, 1e-6);
  }
}

TEST(ElasticDrive, TheMotorKeepsTheNameAndTheTwistHasTheSpring) {
  const Robot robot = read(
      "limits: {effort: 5}, rotor: {inertia: 1e-3, gear_ratio: 20}, "
      "drive: {stiffness: 1e3, damping: 0.5, backlash: 0.1 deg, hardening: 10, friction: 0.2}");
  const Model model(robot);
  ASSERT_EQ(model.speeds(), 2);
  EXPECT_EQ(model.speed_names()[0], "hinge");
  EXPECT_EQ(model.speed_names()[1], "hinge.twist");
  EXPECT_EQ(model.effort_limit()(0), 5);
  const Robot again = read_robot_yaml_text(write_robot_yaml(robot), "again.yaml").robot;
  EXPECT_EQ(write_robot_yaml(again), write_robot_yaml(robot));
}

TEST(ElasticDrive, SwingsAtTheFrequencyOfTwoInertiasOnASpring) {
  // Rotor 0.4 kg m^2 at the joint, link 0.6 about it, spring 1000: w^2 = k (1/0.4 + 1/0.6).
  const Model model(read("rotor: {inertia: 1e-3, gear_ratio: 20}, transmission: {stiffness: 1e3}"));
  Workspace work(model);
  DerivativeWorkspace derivatives(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  const ForwardDerivatives& d =
      forward_dynamics_derivatives(model, work, derivatives, zero, zero, zero);
  EXPECT_NEAR(-d.da_dq(1, 1), 1e3 * (1 / 0.4 + 1 / 0.6), 1e-9);
}

TEST(ElasticDrive, TheEarlierNameOfTheKeyIsRead) {
  const std::string rotor = "rotor: {inertia: 1e-3, gear_ratio: 20}, ";
  EXPECT_EQ(write_robot_yaml(read(rotor + "transmission: {stiffness: 1e3}")),
            write_robot_yaml(read(rotor + "drive: {stiffness: 1e3}")));
}

TEST(ElasticDrive, RefusesWhatCannotBeSplit) {
  const auto complaint = [](const std::string& joint) {
    try {
      Model model(read(joint));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(complaint("transmission: {stiffness: 1e3}").find("rotor"), std::string::npos);
  EXPECT_NE(complaint("rotor: {inertia: 1}, drive: {stiffness: 0}").find("stiffness is 0"),
            std::string::npos);
  EXPECT_NE(complaint("rotor: {inertia: 1}, transmission: {damping: 1}").find("stiffness"),
            std::string::npos);
  EXPECT_NE(complaint("rotor: {inertia: 1}, transmission: {stiffness: 1}, drive: {stiffness: 1}")
                .find("two names of the same key"),
            std::string::npos);
  EXPECT_NE(complaint("spring: {stiffness: 1, backlash: -1}").find("backlash"), std::string::npos)
      << complaint("spring: {stiffness: 1, backlash: -1}");
}

}  // namespace
}  // namespace ulna
