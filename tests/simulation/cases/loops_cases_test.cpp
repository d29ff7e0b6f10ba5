// Cases with closed answers: mechanisms through singular postures, and drives that loops cannot
// follow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"
#include "simulation/mechanisms.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/simulation/equilibrium.hpp"

namespace ulna {
namespace {

using testing::frozen;
using testing::pi;

TEST(Cases, AParallelogramPassesThroughItsFlatPosture) {
  // Without gravity nothing brakes it: each crank keeps its rate through the flat posture.
  Robot robot = testing::parallelogram(2);
  robot.gravity.setZero();
  Experiment e(frozen(robot));
  e.q = testing::posture_of_parallelogram(*e.model, 0.5);
  e.v = 2 * testing::speed_of(*e.model);
  e.end = 4;
  e.integrator.tolerances = {1e-9, 1e-11};
  const RunSummary summary = simulate(e).summary;
  ASSERT_TRUE(summary.complete);
  for (int k = 0; k < e.model->speeds(); ++k)
    EXPECT_NEAR(std::abs(summary.q(k)), 0.5 + 2 * 4, 1e-6);
}

TEST(Cases, ADriveThatItsLoopCannotFollowIsNamedByEveryIntegrator) {
  // The four-bar 4-18-11-10 has no link that turns fully.
  for (const IntegratorMethod method : {IntegratorMethod::automatic, IntegratorMethod::radau5,
                                        IntegratorMethod::sundials_bdf, IntegratorMethod::ida}) {
    if (!is_available(method)) continue;
    Experiment e(frozen(read_robot("four-bar").robot));
    e.drives.resize(e.model->joints().size());
    e.drives[0] = testing::follows("2*t");
    e.end = 3;
    e.integrator.method = method;
    try {
      simulate(e);
      FAIL() << name_of(method);
    } catch (const ComputationError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("joint1")) << name_of(method);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("1.28")) << name_of(method);
    }
  }
}

TEST(Cases, AnEquilibriumOfALoopIsFoundFromWhereItIs) {
  for (const char* name : {"four-bar", "crank-rocker"}) {
    const Model model(read_robot(name).robot);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.speeds());
    Eigen::VectorXd q = model.neutral();
    AssemblyOptions options;
    options.start = q;
    q = assemble(model, options).solutions.at(0).q;
    const Equilibrium first = find_equilibrium(model, q, none);
    ASSERT_TRUE(first.found) << name << first.reason;
    const Equilibrium again = find_equilibrium(model, first.q, none);
    EXPECT_TRUE(again.found) << name << again.reason;
    EXPECT_LT((again.q - first.q).norm(), 1e-8);
  }
}

TEST(Cases, ASliderCrankTurnsByItsLawOfSines) {
  // The shipped slider-crank, driven: the closing joint keeps the loop closed to 1e-10.
  Experiment e(frozen(read_robot("slider-crank").robot));
  e.drives.resize(e.model->joints().size());
  e.drives[0] = testing::follows("3*t");
  e.end = 2 * pi / 3;
  e.record.channels = {"q", "closure"};
  const auto run = simulate(e);
  EXPECT_LT(testing::worst_closure(run), 1e-10);
  // After a turn every other joint is back, up to a turn.
  const Eigen::VectorXd first = run.values.row(0), last = run.values.row(run.values.rows() - 1);
  for (int k = 1; k < e.model->coordinates(); ++k)
    EXPECT_NEAR(std::remainder(last(k) - first(k), 2 * pi), 0, 1e-7);
}

}  // namespace
}  // namespace ulna
