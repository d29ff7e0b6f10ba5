// A platform driven through its legs follows under leg controllers, with its loops closed.

#include <gmock/gmock.h>

#include "support/platforms.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;

TEST(PlatformSimulation, LegControllersLeadThePlatform) {
  // The example: the DDTS climbs by a metre and turns by -60 degrees in two seconds.
  const Experiment e =
      read_experiment(std::string(ULNA_TEST_DATA) + "/../../examples/ddts.yaml").experiment;
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

}  // namespace
}  // namespace ulna
