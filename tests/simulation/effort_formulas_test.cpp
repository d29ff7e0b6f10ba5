// Efforts as formulas of time, coordinates, speeds and channels.

#include <gmock/gmock.h>

#include "drives.hpp"
#include "mechanisms.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using testing::feedback;
using testing::frozen;
using ::testing::HasSubstr;

Drive under(const std::string& text) {
  Drive drive;
  drive.kind = DriveKind::effort;
  drive.effort_formulas = {std::make_shared<VariableFormula>(text)};
  return drive;
}

Experiment swinging(const Robot& robot, double end) {
  Experiment e(frozen(robot));
  e.end = end;
  e.integrator.tolerances = {1e-11, 1e-13};
  e.q = e.model->neutral();
  e.v = Eigen::VectorXd::Zero(e.model->speeds());
  return e;
}

TEST(EffortFormulas, ASpringAndADamperInAFormulaAreThoseOfAController) {
  Experiment written = swinging(testing::double_pendulum(), 2);
  const std::vector<std::string> names = written.model->speed_names();
  Experiment controlled = written;
  auto law = feedback(FeedbackLaw::pd, 2, 7, 0.8);
  controlled.controllers = {law};
  for (const std::string& name : names) {
    controlled.drives.push_back(
        {DriveKind::controller, {testing::formula("0.3*sin(2*t)")}, {}, {}});
    written.drives.push_back(
        under("7*(0.3*sin(2*t) - q." + name + ") + 0.8*(0.6*cos(2*t) - v." + name + ")"));
  }
  const RunSummary a = simulate(written).summary, b = simulate(controlled).summary;
  EXPECT_LT((a.q - b.q).norm() + (a.v - b.v).norm(), 1e-8);
  EXPECT_NEAR(a.works(0), b.works(0), 1e-8);
}

TEST(EffortFormulas, SeeFramesEnergiesAndTheReference) {
  // A force along x on the tip, by the transposed Jacobian of the tip, written as a formula.
  Robot robot = testing::pendulum();
  robot.gravity.setZero();
  Experiment e = swinging(robot, 1);
  const std::string body = e.model->bodies()[1].name, joint = e.model->speed_names()[0];
  e.drives = {under("1 + 0*twist." + body + ".wz + 0*frame." + body + ".x + 0*reference." + joint +
                    " - energy.kinetic")};
  const ulna::Run run = simulate(e);
  // With inertia 1: v' = 1 - v^2 / 2, so v = sqrt(2) tanh(t / sqrt(2)).
  EXPECT_NEAR(run.summary.v(0), std::sqrt(2.0) * std::tanh(1 / std::sqrt(2.0)), 1e-8);
}

TEST(EffortFormulas, SeeTheClosingJointsOfALoop) {
  Experiment e = swinging(testing::parallelogram(2), 0.15);
  e.q = testing::posture_of_parallelogram(*e.model, 1.2);  // far from flat
  Experiment by_tree = e;
  e.drives.resize(e.model->joints().size());
  by_tree.drives = e.drives;
  const auto foot = static_cast<std::size_t>(e.model->joint("foot0"));
  e.drives[foot] = under("3*closing_rate.pin1 + 2*closing.pin1");
  by_tree.drives[foot] = under("-3*v.foot1 - 2*q.foot1");
  const RunSummary a = simulate(e).summary, b = simulate(by_tree).summary;
  EXPECT_GT(a.v.norm(), 0.1);
  EXPECT_LT((a.q - b.q).norm() + (a.v - b.v).norm(), 1e-8);
}

TEST(EffortFormulas, WhatFollowsFromEffortsIsRefusedByName) {
  const auto complaint = [](const std::string& text) -> std::string {
    Experiment e(frozen(testing::double_pendulum()));
    e.end = 1;
    e.drives = {under(text), Drive{}};
    try {
      check(e);
      return {};
    } catch (const InputError& error) {
      return error.what();
    }
  };
  Experiment e(frozen(testing::double_pendulum()));
  const std::string joint = e.model->speed_names()[0];
  EXPECT_EQ(complaint("-q." + joint), "");
  for (const std::string& channel :
       {"a." + joint, "tau." + joint, std::string("power.efforts"), "reaction." + joint + ".fx"}) {
    EXPECT_THAT(complaint("2*" + channel), HasSubstr("'" + channel + "'"));
    EXPECT_THAT(complaint("2*" + channel), HasSubstr("algebraic loop"));
  }
  EXPECT_THAT(complaint("q.nothing"), HasSubstr("there is no channel 'q.nothing'"));
  EXPECT_THAT(complaint("energy.work"), HasSubstr("summed up"));
}

}  // namespace
}  // namespace ulna
