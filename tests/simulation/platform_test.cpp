// A platform driven through its legs follows under leg controllers, with its loops closed.

#include <gmock/gmock.h>

#include "support/places.hpp"
#include "support/platforms.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

TEST(PlatformSimulation, LegControllersLeadThePlatform) {
  // The example: the DDTS climbs by a metre and turns by -60 degrees in two seconds.
  const Experiment e = read_experiment(testing::example_file("ddts.yaml")).experiment;
  const ulna::Run run = simulate(e);
  EXPECT_TRUE(run.summary.complete);
  const Platform platform(platform_of(e.model->robot()));
  VectorXd q(e.model->coordinates());
  for (int k = 0; k < q.size(); ++k) {
    const VectorXd column = run.column("q." + e.model->coordinate_names()[k]);
    q(k) = column(column.size() - 1);
  }
  const Pose<double> end = platform_pose(*e.model, platform, q),
                     wanted = testing::ddts_pose({4, 0, 0}, -60 * testing::degree);
  // Without inverse dynamics the legs lag behind by force over gain, 4 kN / 20 MN/m on the way and
  // little at the end, where the forces have ended.
  EXPECT_LT((end.position - wanted.position).norm(), 1e-4);
  EXPECT_LT((end.rotation - wanted.rotation).norm(), 1e-4);
  EXPECT_LT(run.column("closure.length").maxCoeff(), 1e-10);
}

TEST(PlatformSimulation, ComputedTorqueOfTheLegsUncouplesThem) {
  // The example starts off its path. With the dynamics of the whole platform known, the error of
  // each leg goes as e0 (1 + 20 t) exp(-20 t), whatever the others do.
  const Experiment e =
      read_experiment(testing::example_file("ddts-computed-torque.yaml")).experiment;
  const ulna::Run run = simulate(e);
  ASSERT_TRUE(run.summary.complete);
  for (int leg = 1; leg <= 6; ++leg) {
    const VectorXd length = run.column("q.leg" + std::to_string(leg));
    const auto wanted = [&](double t) {
      const double s = t / 2, p = s * s * s * (10 - 15 * s + 6 * s * s);
      const double first = leg % 2 == 1 ? 5 : 115;
      const double angle = (first - 60 * p) * testing::degree;
      return std::sqrt((3 + p) * (3 + p) + 13 - 12 * std::cos(angle));
    };
    // The start gives lengths with the platform at rest, as the path begins.
    const double e0 = wanted(0) - length(0);
    for (int k = 0; k < length.size(); ++k) {
      const double t = 0.02 * k;
      EXPECT_NEAR(wanted(t) - length(k), e0 * (1 + 20 * t) * std::exp(-20 * t), 1e-6)
          << leg << " at " << t;
    }
  }
  EXPECT_LT(run.column("closure.length").maxCoeff(), 1e-10);
}

}  // namespace
}  // namespace ulna
