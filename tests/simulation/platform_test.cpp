// A platform driven through its legs follows under leg controllers, with its loops closed.

#include <gmock/gmock.h>

#include "support/platforms.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;
using testing::ddts_pose;
using testing::degree;

struct Docking {
  std::shared_ptr<const Model> model;
  Platform platform;
  std::vector<int> joints;

  static Robot weightless() {
    Robot robot = read_robot("ddts").robot;
    robot.gravity.setZero();
    return robot;
  }
  Docking()
      : model(std::make_shared<const Model>(weightless())), platform(platform_of(model->robot())) {
    for (const PlatformLeg& leg : platform.data().legs) joints.push_back(model->joint(leg.name));
  }
  Experiment experiment() const {
    Experiment e(model);
    e.end = 2;
    e.q = platform_posture(*model, platform, ddts_pose({3, 0, 0}, 0));
    e.v = VectorXd::Zero(model->speeds());
    e.drives.resize(model->joints().size());
    e.integrator.tolerances = {1e-9, 1e-11};
    e.record.channels = {"q", "closure"};
    return e;
  }
  Pose<double> last_pose(const ulna::Run& run) const {
    VectorXd q(model->coordinates());
    for (int k = 0; k < q.size(); ++k) {
      const auto column = run.column("q." + model->coordinate_names()[k]);
      q(k) = column(column.size() - 1);
    }
    return platform_pose(*model, platform, q);
  }
};

TEST(PlatformSimulation, LegControllersLeadThePlatform) {
  const Docking d;
  Experiment e = d.experiment();
  auto controller = std::make_shared<Feedback>();
  controller->law = FeedbackLaw::computed_torque;
  controller->joints = d.joints;
  controller->kp = VectorXd::Constant(6, 400);
  controller->kd = VectorXd::Constant(6, 40);
  e.controllers = {controller};
  for (int k = 0; k < 6; ++k) {
    const char* length =
        k % 2 == 0 ? "sqrt((3 + poly345(t/2))^2 + 13 - 12*cos(5*deg - 60*deg*poly345(t/2)))"
                   : "sqrt((3 + poly345(t/2))^2 + 13 - 12*cos(115*deg - 60*deg*poly345(t/2)))";
    e.drives[d.joints[k]] = {DriveKind::controller, {std::make_shared<Formula>(length)}, {}, {}};
  }
  const ulna::Run run = simulate(e);
  EXPECT_TRUE(run.summary.complete);
  const Pose<double> end = d.last_pose(run), wanted = ddts_pose({4, 0, 0}, -60 * degree);
  // The controllers hold it to what the integrator's tolerance lets them see.
  EXPECT_LT((end.position - wanted.position).norm(), 1e-7);
  EXPECT_LT((end.rotation - wanted.rotation).norm(), 1e-7);
  EXPECT_LT(run.column("closure.length").maxCoeff(), 1e-10);
}

}  // namespace
}  // namespace ulna
