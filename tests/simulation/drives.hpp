#pragma once
// Drives and controllers for the tests of what moves joints.

#include <memory>
#include <string>

#include "machines.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/motion/program.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna::testing {

inline ScalarMotionPtr formula(const std::string& text) { return std::make_shared<Formula>(text); }

inline Drive follows(const std::string& text) {
  return {DriveKind::motion, {formula(text)}, {}, {}};
}
inline Drive pushed(const std::string& text) {
  return {DriveKind::effort, {}, {formula(text)}, {}};
}

/// One gain for all of n joints.
inline std::shared_ptr<Feedback> feedback(FeedbackLaw law, int n, double kp, double kd) {
  auto controller = std::make_shared<Feedback>();
  controller->law = law;
  controller->kp = Eigen::VectorXd::Constant(n, kp);
  controller->kd = Eigen::VectorXd::Constant(n, kd);
  for (int j = 0; j < n; ++j) controller->joints.push_back(j);
  return controller;
}

/// Six joints that are to move together from 0.1 to 0.6, and start 0.02 beside it.
inline Experiment arm_under(const std::shared_ptr<Feedback>& controller) {
  Experiment experiment(frozen(read_robot("intelledex605").robot));
  experiment.end = 2;
  for (int j = 0; j < 6; ++j)
    experiment.drives.push_back(
        {DriveKind::controller, {program_named("poly345", 0.1, 0.6, 1.5)}, {}, {}});
  experiment.controllers = {controller};
  experiment.q = Eigen::VectorXd::Constant(6, 0.1 + 0.02);
  experiment.record.channels = {"q", "reference"};
  return experiment;
}

}  // namespace ulna::testing
