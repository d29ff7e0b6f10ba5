// The flexible pendulum of Escalona, Hussien and Shabana (1998), a beam that falls from the
// horizontal on a hinge, with 0.7 GPa in place of their 0.7 MPa, whose boundary layer under
// tension, sqrt(EI / N), would need elements of a centimetre. The reference is the tip by 16 ANCF
// cable elements and steps of 0.5 ms (Exudyn 1.13.6); 32 elements and 0.25 ms differ by up to 0.4
// mm.

#include <gtest/gtest.h>

#include <cmath>

#include "../support/places.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

TEST(FlexiblePendulum, FallsLikeItsReference) {
  const ulna::Run run = simulate(read_experiment_text(R"(experiment: 1
robot: )" + testing::data_file("flexible_pendulum.yaml") +
                                                          R"(
duration: 0.8 s
elastic: {level: geometrically-exact, elements: 8}
integrator: {method: dop853, rtol: 1e-6}
record: {interval: 0.2 s, channels: [frame.tip, energy]}
)",
                                                      "pendulum.yaml")
                                     .experiment);
  ASSERT_TRUE(run.summary.complete);
  const double known[][2] = {
      {1.162107, -0.195072}, {0.688179, -0.983148}, {-0.378450, -1.137228}, {-1.111356, -0.422822}};
  const Eigen::VectorXd x = run.column("frame.tip.x"), y = run.column("frame.tip.y");
  ASSERT_EQ(x.size(), 5);
  // 0.1 % of the length; it bends by 5 %.
  for (int k = 0; k < 4; ++k)
    EXPECT_LT(std::hypot(x(k + 1) - known[k][0], y(k + 1) - known[k][1]), 1.2e-3) << k;
  EXPECT_LT(run.summary.energy_balance, 1e-4 * run.summary.largest_kinetic);
}

TEST(FlexiblePendulum, ItsHingeTurnsInertiaHoweverSlenderTheBeamIs) {
  // Without rotatory inertia of the sections, on a hinge and free in the plane.
  for (const char* joint : {"revolute", "planar"}) {
    const std::string text = R"(ulna: 1
name: slender
gravity: [0, -9.81, 0]
bodies:
  - name: beam
    beam: {length: 1, EI: 1, mass_per_length: 1, elements: 4, flexible: {family: geometrically-exact, modes: {bending_y: 2, bending_z: 0}}}
joints:
  - {name: root, parent: world, child: beam, type: )";
    const Model model(read_robot_text(text + joint + "}\n", "slender.yaml").robot);
    Workspace work(model);
    const Eigen::VectorXd q = model.neutral(), none = Eigen::VectorXd::Zero(model.speeds());
    Eigen::VectorXd a;
    ASSERT_NO_THROW(a = forward_dynamics(model, work, q, none, none)) << joint;
    EXPECT_LT(a.cwiseAbs().maxCoeff(), 1e5) << joint;
    EXPECT_LT(inverse_dynamics(model, work, q, none, a).cwiseAbs().maxCoeff(), 1e-9) << joint;
  }
}

}  // namespace
}  // namespace ulna
